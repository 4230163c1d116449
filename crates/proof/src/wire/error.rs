//! What can be wrong with bytes that should be TLS.

/// Why bytes are not TLS records, or not the message that they should be.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum WireError {
    /// The bytes end inside a record.
    #[error("the record at byte {at} needs {needed} bytes and {left} are left")]
    PartialRecord {
        /// Where the record begins.
        at: usize,
        /// Its length with its header, or that of a header.
        needed: usize,
        /// Bytes from its beginning to the end.
        left: usize,
    },
    /// A record says that it is longer than TLS 1.3 allows.
    #[error(
        "the record at byte {at} has {length} bytes, {} are allowed",
        super::limits::MAX_CIPHERTEXT_BYTES
    )]
    RecordTooLong {
        /// Where the record begins.
        at: usize,
        /// Its length without its header.
        length: usize,
    },
    /// A record of a kind that TLS 1.3 does not have.
    #[error("the record at byte {at} has the content type {value}, which TLS 1.3 does not have")]
    UnknownContentType {
        /// Where the record begins.
        at: usize,
        /// Its first byte.
        value: u8,
    },
    /// The handshake's bytes end inside a message.
    #[error("the handshake message at byte {at} is cut short")]
    PartialMessage {
        /// Where the message begins.
        at: usize,
    },
    /// A message of another kind than was due.
    #[error("{expected} was due, a handshake message of type {seen} came")]
    UnexpectedMessage {
        /// What was due.
        expected: &'static str,
        /// The type that came.
        seen: u8,
    },
    /// There is no such message.
    #[error("there is no {expected}")]
    MissingMessage {
        /// What was due.
        expected: &'static str,
    },
    /// A message does not follow its grammar.
    #[error("the {message} is malformed: {what}")]
    Malformed {
        /// The message.
        message: &'static str,
        /// The field and what is wrong with it.
        what: String,
    },
}
