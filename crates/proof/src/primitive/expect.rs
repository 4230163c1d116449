//! What must hold, or else a sentence about what does not.

use tlslab_protocol::Primitive;

/// Fails with the sentence unless it is right.
pub(super) fn due(right: bool, otherwise: impl FnOnce() -> String) -> Result<(), String> {
    if right { Ok(()) } else { Err(otherwise()) }
}

/// A message has the scenario's length.
pub(super) fn message_length(wanted: &Primitive, bytes: usize) -> Result<(), String> {
    due(bytes == wanted.bytes as usize, || format!("a message of {bytes} bytes, not {}", wanted.bytes))
}

/// Both have the same bytes; else shows how each begins.
pub(super) fn differ(what: &str, expected: &[u8], seen: &[u8]) -> Result<(), String> {
    due(expected == seen, || {
        let short =
            |bytes: &[u8]| format!("{}… ({} bytes)", hex::encode(&bytes[..bytes.len().min(16)]), bytes.len());
        format!("{what} is {}, and the lab comes to {}", short(seen), short(expected))
    })
}
