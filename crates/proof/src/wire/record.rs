//! The record layer (RFC 8446, section 5).

use tlslab_protocol::ProtocolVersion;

use super::WireError;
use super::limits::MAX_CIPHERTEXT_BYTES;

const HEADER_BYTES: usize = 5;

/// The content type in a record's header. An encrypted record always has application data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ContentType {
    /// The message that TLS 1.2 needs and TLS 1.3 sends for compatibility.
    ChangeCipherSpec,
    /// An alert in cleartext.
    Alert,
    /// A handshake message in cleartext.
    Handshake,
    /// Any encrypted content.
    ApplicationData,
}

/// One record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Record<'a> {
    /// The content type in its header.
    pub content_type: ContentType,
    /// The version in its header, which TLS 1.3 ignores.
    pub legacy_version: ProtocolVersion,
    /// The bytes after the header.
    pub fragment: &'a [u8],
}

impl Record<'_> {
    /// Its length on the wire including its header, bytes.
    pub fn wire_bytes(&self) -> usize {
        HEADER_BYTES + self.fragment.len()
    }
}

/// The records of a flight, which must end at the end of a record.
///
/// # Errors
/// Fails if the flight ends inside a record, or if a record has an unknown type or is too long.
pub fn records(flight: &[u8]) -> Result<Vec<Record<'_>>, WireError> {
    let mut records = Vec::new();
    let mut at = 0;
    while at < flight.len() {
        let record = record(&flight[at..], at)?;
        at += record.wire_bytes();
        records.push(record);
    }
    Ok(records)
}

/// Parses the first record of `bytes`, which begin at `at` in their flight.
fn record(bytes: &[u8], at: usize) -> Result<Record<'_>, WireError> {
    let partial = |needed| WireError::PartialRecord { at, needed, left: bytes.len() };
    let Some((header, rest)) = bytes.split_first_chunk::<HEADER_BYTES>() else {
        return Err(partial(HEADER_BYTES));
    };
    let content_type = match header[0] {
        20 => ContentType::ChangeCipherSpec,
        21 => ContentType::Alert,
        22 => ContentType::Handshake,
        23 => ContentType::ApplicationData,
        value => return Err(WireError::UnknownContentType { at, value }),
    };
    let length = usize::from(u16::from_be_bytes([header[3], header[4]]));
    if length > MAX_CIPHERTEXT_BYTES {
        return Err(WireError::RecordTooLong { at, length });
    }
    let fragment = rest.get(..length).ok_or_else(|| partial(HEADER_BYTES + length))?;
    let legacy_version = ProtocolVersion(u16::from_be_bytes([header[1], header[2]]));
    Ok(Record { content_type, legacy_version, fragment })
}
