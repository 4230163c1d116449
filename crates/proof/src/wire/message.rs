//! Handshake messages in cleartext (RFC 8446, section 4).

use super::{ContentType, Record, WireError};

const HEADER_BYTES: usize = 4;

/// One handshake message.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Message<'a> {
    /// Its type: 1 for a ClientHello, 2 for a ServerHello.
    pub message_type: u8,
    /// The bytes after its header.
    pub body: &'a [u8],
}

impl Message<'_> {
    /// Its length including its header, bytes.
    pub fn message_bytes(&self) -> usize {
        HEADER_BYTES + self.body.len()
    }
}

/// The concatenated content of the handshake records among these, since a message may span several.
pub fn handshake_bytes(records: &[Record<'_>]) -> Vec<u8> {
    let handshake = records.iter().filter(|record| record.content_type == ContentType::Handshake);
    handshake.flat_map(|record| record.fragment).copied().collect()
}

/// The messages in these bytes, which must end at the end of a message.
///
/// # Errors
/// An item is an error if the bytes end inside a message; it is the last one.
pub fn messages(handshake: &[u8]) -> impl Iterator<Item = Result<Message<'_>, WireError>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        if at >= handshake.len() {
            return None;
        }
        let next = message(&handshake[at..]).ok_or(WireError::PartialMessage { at });
        // After an error the next message cannot be located.
        at = next.as_ref().map_or(handshake.len(), |message| at + message.message_bytes());
        Some(next)
    })
}

fn message(bytes: &[u8]) -> Option<Message<'_>> {
    let (header, rest) = bytes.split_first_chunk::<HEADER_BYTES>()?;
    let length = u32::from_be_bytes([0, header[1], header[2], header[3]]);
    Some(Message { message_type: header[0], body: rest.get(..usize::try_from(length).ok()?)? })
}
