//! Checks that a primitive computed the right result, by computing it again with the lab's own
//! implementations.
//!
//! | operation | condition |
//! |---|---|
//! | hash, hmac, hash-object | the digest or code equals the lab's |
//! | aead-seal | the lab's sealing of the same message gives the same bytes |
//! | aead-open | the input equals the lab's sealing, the output the message; one flipped bit is rejected |
//! | sign | the lab verifies the signature with the certificate's key |
//! | verify | it accepted a signature that the lab verifies, and rejected it with one bit flipped |
//! | key-generation | two calls give two shares, and the lab and the second key agree on a secret |
//! | key-agreement | the lab computes the same secret from its own key and the share |
//! | encapsulate | the lab decapsulates the same secret from the share; a second call gives another share |
//! | decapsulate | it returns the encapsulated secret; encapsulate proves that such secrets are right |
//! | connection | its server received what was sent; both sides report the negotiated parameters |
//!
//! For a group that encapsulates, the library itself encapsulates and decapsulates the secret of
//! key-generation, since its private key does not leave it. A sealed message may be followed by a record's
//! content type, if the library's interface is that of records; its record's header is then that of one byte
//! more.

mod exchange;
mod expect;
mod peer;
mod seal;
mod signed;
mod symmetric;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use tlslab_protocol::{Algorithm, Operation, Primitive, PrimitiveFacts};

use expect::{differ, due, message_length};
pub use peer::peer_share;

/// The proof of a primitive, short enough to be stored.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PrimitiveSummary {
    /// The operation.
    pub operation: String,
    /// The algorithm.
    pub algorithm: String,
    /// The length of the input, bytes.
    pub input_bytes: usize,
    /// SHA-256 of the input, hex.
    pub input_sha256: String,
    /// The length of the output, bytes.
    pub output_bytes: usize,
    /// SHA-256 of the output, hex.
    pub output_sha256: String,
    /// How the output was checked.
    pub checked: String,
    /// For an AEAD: whether the sealed message is followed by a record's content type.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed_as_record: Option<bool>,
    /// For a connection: the negotiated parameters as both sides report them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<String>,
}

/// Checks a primitive against the lab's own result, and returns the proof.
///
/// `certificate` is the leaf whose key signs, DER.
///
/// # Errors
/// Fails with the first difference from the lab's result, as a sentence without its full stop.
pub fn check_primitive(
    wanted: &Primitive,
    facts: &PrimitiveFacts,
    certificate: &[u8],
) -> Result<PrimitiveSummary, String> {
    let mut sealed_as_record = None;
    let checked = match (wanted.operation, wanted.algorithm) {
        (Operation::Hash | Operation::HashObject, Algorithm::Hash(hash)) => {
            symmetric::hash(hash, wanted, facts)?
        }
        (Operation::Hmac, Algorithm::Hash(hash)) => symmetric::hmac(hash, wanted, facts)?,
        (Operation::AeadSeal | Operation::AeadOpen, Algorithm::Aead(suite)) => {
            let (checked, as_record) = seal::check(suite, wanted, facts)?;
            sealed_as_record = Some(as_record);
            checked
        }
        (Operation::Sign, Algorithm::Signature(key)) => signed::sign(key, facts, certificate)?,
        (Operation::Verify, Algorithm::Signature(key)) => signed::verify(key, facts, certificate)?,
        (Operation::KeyGeneration, Algorithm::Group(group)) => exchange::generated(group, facts)?,
        (Operation::KeyAgreement, Algorithm::Group(group)) => exchange::agreed(group, facts)?,
        (Operation::Encapsulate, Algorithm::Group(group)) => exchange::encapsulated(group, facts)?,
        (Operation::Decapsulate, Algorithm::Group(group)) => exchange::decapsulated(group, facts)?,
        (Operation::Connection, Algorithm::Signature(_)) => connected(wanted, facts)?,
        (operation, algorithm) => return Err(format!("{operation} does not work with {algorithm}")),
    };
    Ok(PrimitiveSummary {
        operation: wanted.operation.name().to_owned(),
        algorithm: wanted.algorithm.to_string(),
        input_bytes: facts.input.len(),
        input_sha256: hex::encode(Sha256::digest(&facts.input)),
        output_bytes: facts.output.len(),
        output_sha256: hex::encode(Sha256::digest(&facts.output)),
        checked: checked.to_owned(),
        sealed_as_record,
        negotiated: facts.negotiated.clone(),
    })
}

fn connected(wanted: &Primitive, facts: &PrimitiveFacts) -> Result<&'static str, String> {
    message_length(wanted, facts.input.len())?;
    differ("what the server received", &facts.input, &facts.output)?;
    due(facts.negotiated.is_some(), || "nothing is reported of what both sides agreed on".to_owned())?;
    Ok("the server received what was sent; both reported what they agreed on")
}
