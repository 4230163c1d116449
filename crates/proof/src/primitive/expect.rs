//! Conditions; each fails with a sentence about the violation.

use tlslab_protocol::Primitive;

/// Fails with the sentence if the condition is false.
pub(super) fn due(right: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if right { Ok(()) } else { Err(otherwise()) }
}

/// Fails if a message does not have the scenario's length.
pub(super) fn message_length(wanted: &Primitive, bytes: usize) -> Result<(), String> {
    due(bytes == wanted.bytes as usize, || format!("a message of {bytes} bytes, not {}", wanted.bytes))
}

/// Fails if the bytes differ, with the beginning of each.
pub(super) fn differ(what: &str, expected: &[u8], seen: &[u8]) -> Result<(), String> {
    due(expected == seen, || {
        let short =
            |bytes: &[u8]| format!("{}… ({} bytes)", hex::encode(&bytes[..bytes.len().min(16)]), bytes.len());
        format!("{what} is {}, and the lab comes to {}", short(seen), short(expected))
    })
}
