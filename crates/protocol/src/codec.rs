//! The framing: one JSON message per line. A line longer than [`MAX_LINE_BYTES`] is an error, so a peer
//! cannot exhaust the memory.

use std::io::{self, BufRead, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest line that either side accepts, bytes. A connection that carries 1 MiB is about 2.2 MiB in hex.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// Why a line was rejected.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The line is longer than [`MAX_LINE_BYTES`].
    #[error("a line of more than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The line is not UTF-8.
    #[error("a line that is not UTF-8")]
    NotUtf8,
    /// The line is not a message.
    #[error("{cause}, in the line {excerpt:?}")]
    NotAMessage {
        /// The parser's message.
        cause: String,
        /// The beginning of the line.
        excerpt: String,
    },
    /// Reading the stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Encodes one message as a line, with its line feed.
pub fn encode_line<T: Serialize>(message: &T) -> String {
    // Serialising these types cannot fail: every map has string keys and every number is in range.
    let mut line = serde_json::to_string(message).expect("messages serialise");
    line.push('\n');
    line
}

/// Decodes the message in one line.
///
/// # Errors
/// Fails with [`CodecError::NotAMessage`] if the line is not JSON of this type.
pub fn decode_line<T: DeserializeOwned>(line: &str) -> Result<T, CodecError> {
    if line.len() > MAX_LINE_BYTES {
        return Err(CodecError::TooLong);
    }
    serde_json::from_str(line).map_err(|cause| CodecError::NotAMessage {
        cause: cause.to_string(),
        excerpt: line.trim_end().chars().take(120).collect(),
    })
}

/// Reads the next line of a stream; `None` at its end. Holds at most [`MAX_LINE_BYTES`] of it.
///
/// # Errors
/// Fails if the line is too long or not UTF-8, or if the stream cannot be read.
pub fn read_line(stream: &mut impl BufRead) -> Result<Option<String>, CodecError> {
    let mut line = Vec::new();
    let read = stream.take(MAX_LINE_BYTES as u64 + 1).read_until(b'\n', &mut line)?;
    if read == 0 {
        return Ok(None);
    }
    if line.len() > MAX_LINE_BYTES {
        return Err(CodecError::TooLong);
    }
    String::from_utf8(line).map(Some).map_err(|_| CodecError::NotUtf8)
}
