//! The contract for one cryptographic operation by itself, where a library's own cryptography can be called.

use tlslab_protocol::{Algorithm, Operation, Primitive as Wanted, additional_data, message_to_sign};

use crate::{Buffer, EndpointError};

/// The operations of one algorithm, with all that lasts longer than a call: algorithms looked up, keys loaded
/// and scheduled, contexts allocated.
///
/// Operations come in pairs, and one object does both of a pair: the kit measures one and sets it up, or
/// checks it, with the other.
///
/// | operation | `input` | appended to `output` |
/// |---|---|---|
/// | hash, hmac | message | digest, code |
/// | aead-seal | message | message sealed, with its tag |
/// | aead-open | sealed message | message; fails where it was altered |
/// | sign | message | signature |
/// | verify | signature of [`Assignment::message`] | nothing; fails where it is wrong |
/// | key-generation | nothing | one's own share; the key is kept, and the one before it freed |
/// | key-agreement | the peer's share | the secret; one's own key may be used up |
/// | encapsulate | the peer's share | one's share, then the secret |
/// | decapsulate | a share made for one's own | the secret; one's own key may be used up |
/// | hash-object | message | digest |
/// | connection | message | what the server received |
pub trait Primitive {
    /// Does one operation. `sequence` counts an AEAD's messages: the nonce is
    /// [`record_nonce`](tlslab_protocol::record_nonce). An AEAD may overwrite `input`.
    fn run(
        &mut self,
        operation: Operation,
        sequence: u64,
        input: &mut [u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError>;

    /// Appends what the last call of `run` left elsewhere, in `input` or in the object, instead of copying it
    /// to the output on the clock. For a library that hands out memory of its own; off the clock.
    fn collect(&mut self, input: &[u8], output: &mut Buffer) {
        let _ = (input, output);
    }

    /// Of a connection: what both sides agree on in one more of its kind, as far as the library reports. Off
    /// the clock.
    fn negotiated(&mut self) -> Option<String> {
        None
    }

    /// The key and the IV, where the library does not take those of the assignment.
    fn own_keys(&self) -> Option<(Vec<u8>, [u8; 12])> {
        None
    }
}

/// What a primitive is prepared for.
pub struct Assignment {
    /// The operation that will be measured.
    pub operation: Operation,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The length of the messages, bytes.
    pub bytes: usize,
    /// The secret key of hmac and the AEADs.
    pub key: Vec<u8>,
    /// What an AEAD's nonces are made from.
    pub iv: [u8; 12],
    /// What an AEAD authenticates besides the message: a record's header in TLS 1.3, or as many bytes as TLS
    /// 1.2 puts together.
    pub header: Vec<u8>,
    /// What is signed.
    pub message: Vec<u8>,
}

impl Assignment {
    /// With keys that are the same in every run.
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
