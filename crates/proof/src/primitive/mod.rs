//! Whether a primitive computed what it should: everything is worked out again with implementations of the
//! lab's own.
//!
//! | operation | what must hold |
//! |---|---|
//! | hash, hmac, hash-object | the digest or code is the lab's |
//! | aead-seal | the lab's sealing of the same message gives the same bytes |
//! | aead-open | what was opened is what the lab's sealing gives, the message came out, and one flipped bit is refused |
//! | sign | the lab finds the signature right under the certificate's key |
//! | verify | it took a signature that the lab finds right, and refused it with one bit flipped |
//! | key-generation | two calls give two shares, and the lab agrees with the second one's key on a secret |
//! | key-agreement | the lab comes to the same secret from its own key and the share |
//! | encapsulate | the lab takes the same secret out of the share, and a second call gives another share |
//! | decapsulate | the secret that was put into the share came out; encapsulate shows that such secrets are right |
//! | connection | its server received what was sent; what both agreed on is what they say of it |
//!
//! For a group that encapsulates, the secret of key-generation is put in and taken out by the library itself:
//! its own key does not leave it. A message that was sealed may have a record's content type behind it, where
//! a library's interface is that of records; its record's header is then that of one byte more.

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

/// What was proven of a primitive, short enough to be kept.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct PrimitiveSummary {
    /// The operation.
    pub operation: String,
    /// The algorithm.
    pub algorithm: String,
    /// What went in, bytes.
    pub input_bytes: usize,
    /// SHA-256 of what went in, hex.
    pub input_sha256: String,
    /// What came out, bytes.
    pub output_bytes: usize,
    /// SHA-256 of what came out, hex.
    pub output_sha256: String,
    /// How that was checked.
    pub checked: String,
    /// Whether the message that was sealed has a record's content type behind it; of an AEAD alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sealed_as_record: Option<bool>,
    /// What both sides say that they agreed on; of a connection alone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<String>,
}

/// What was proven, or why the primitive is not what was asked for: a sentence without its full stop.
///
/// `certificate` is the leaf whose key signs, DER.
///
/// # Errors
/// Whatever the lab comes to another result about.
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
    Ok("the server received what was sent; what both agreed on is reported by themselves")
}
