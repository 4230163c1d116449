//! Errors in bytes that should be TLS.

/// Why bytes are not TLS records, or not the expected message.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WireError {
    /// The bytes end inside a record.
    #[error("the record at byte {at} needs {needed} bytes and {left} are left")]
    PartialRecord {
        /// Where the record begins, bytes from the start.
        at: usize,
        /// The record's length including its header, or the header's length; bytes.
        needed: usize,
        /// The bytes from its beginning to the end of the input.
        left: usize,
    },
    /// A record's length exceeds the limit of TLS 1.3.
    #[error(
        "the record at byte {at} has {length} bytes, {} are allowed",
        super::limits::MAX_CIPHERTEXT_BYTES
    )]
    RecordTooLong {
        /// Where the record begins, bytes from the start.
        at: usize,
        /// Its length without its header, bytes.
        length: usize,
    },
    /// A record's content type does not exist in TLS 1.3.
    #[error("the record at byte {at} has the content type {value}, which TLS 1.3 does not have")]
    UnknownContentType {
        /// Where the record begins, bytes from the start.
        at: usize,
        /// Its first byte.
        value: u8,
    },
    /// The handshake's bytes end inside a message.
    #[error("the handshake message at byte {at} is cut short")]
    PartialMessage {
        /// Where the message begins, bytes from the start.
        at: usize,
    },
    /// A message is not of the expected type.
    #[error("{expected} was due, a handshake message of type {seen} came")]
    UnexpectedMessage {
        /// The expected message.
        expected: &'static str,
        /// The type that came.
        seen: u8,
    },
    /// The message is missing.
    #[error("there is no {expected}")]
    MissingMessage {
        /// The expected message.
        expected: &'static str,
    },
    /// A message does not follow its grammar.
    #[error("the {message} is malformed: {what}")]
    Malformed {
        /// The message.
        message: &'static str,
        /// The field and the error.
        what: String,
    },
}
