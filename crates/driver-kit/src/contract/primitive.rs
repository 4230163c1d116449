//! The contract for single cryptographic operations, if a library's own cryptography can be called.

use tlslab_protocol::{Algorithm, Operation, Primitive as Wanted, additional_data, message_to_sign};

use crate::{Buffer, EndpointError};

/// The operations of one algorithm, with all state that outlives a call: looked-up algorithms, loaded keys
/// and their schedules, allocated contexts.
///
/// Operations come in pairs, and one object does both of a pair: the kit measures one, and uses the other to
/// set it up or to check it.
///
/// | operation | `input` | appended to `output` |
/// |---|---|---|
/// | hash, hmac | message | digest, code |
/// | aead-seal | message | sealed message with its tag |
/// | aead-open | sealed message | message; fails if it was altered |
/// | sign | message | signature |
/// | verify | signature of [`Assignment::message`] | nothing; fails if it is wrong |
/// | key-generation | nothing | one's own share; the key is kept, and the previous one freed |
/// | key-agreement | the peer's share | the secret; one's own key may be used up |
/// | encapsulate | the peer's share | one's share, then the secret |
/// | decapsulate | a share made for one's own | the secret; one's own key may be used up |
/// | hash-object | message | digest |
/// | connection | message | what the server received |
pub trait Primitive {
    /// Does one operation. `sequence` is the number of an AEAD's message: the nonce is
    /// [`record_nonce`](tlslab_protocol::record_nonce). An AEAD may overwrite `input`.
    fn run(
        &mut self,
        operation: Operation,
        sequence: u64,
        input: &mut [u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError>;

    /// Appends the result that the last call of `run` left in `input` or in the object, so that it need not
    /// be copied on the clock. For a library that returns memory of its own; off the clock.
    fn collect(&mut self, input: &[u8], output: &mut Buffer) {
        let _ = (input, output);
    }

    /// For a connection: the parameters that both sides negotiate in one further connection of this kind, as
    /// far as the library reports them. Off the clock.
    fn negotiated(&mut self) -> Option<String> {
        None
    }

    /// The key and the IV, if the library does not accept those of the assignment.
    fn own_keys(&self) -> Option<(Vec<u8>, [u8; 12])> {
        None
    }
}

/// The operation and inputs that a primitive is prepared for.
pub struct Assignment {
    /// The operation that will be measured.
    pub operation: Operation,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The length of the messages, bytes.
    pub bytes: usize,
    /// The secret key of hmac and the AEADs.
    pub key: Vec<u8>,
    /// The IV from which an AEAD's nonces are made.
    pub iv: [u8; 12],
    /// An AEAD's additional data: a record's header in TLS 1.3, or as many bytes as TLS 1.2 has.
    pub header: Vec<u8>,
    /// The message that is signed.
    pub message: Vec<u8>,
}

impl Assignment {
    /// An assignment for `wanted`, with keys that are the same in every run.
    pub fn of(wanted: &Wanted) -> Self {
        let key_bytes = match wanted.algorithm {
            Algorithm::Hash(hash) => hash.digest_bytes(),
            Algorithm::Aead(suite) if suite == tlslab_protocol::CipherSuite::AES_128_GCM => 16,
            Algorithm::Aead(_) => 32,
            Algorithm::Signature(_) | Algorithm::Group(_) => 0,
        };
        let byte = |at: usize, from: u8| from.wrapping_add((at as u8).wrapping_mul(29));
        Self {
            operation: wanted.operation,
            algorithm: wanted.algorithm,
            bytes: wanted.bytes as usize,
            key: (0..key_bytes).map(|at| byte(at, 3)).collect(),
            iv: std::array::from_fn(|at| byte(at, 101)),
            header: additional_data(wanted.header_bytes, wanted.bytes as usize),
            message: message_to_sign(),
        }
    }
}
