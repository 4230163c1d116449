//! Lines in, lines out. A line longer than [`MAX_LINE_BYTES`] is an error, not a reason to use up the memory.

use std::io::{self, BufRead, Read};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The longest line that either side accepts: a connection that carries 1 MiB is about 2.2 MiB in hex.
pub const MAX_LINE_BYTES: usize = 8 * 1024 * 1024;

/// Why a line could not be taken.
#[derive(Debug, thiserror::Error)]
pub enum CodecError {
    /// The line is longer than allowed.
    #[error("a line of more than {MAX_LINE_BYTES} bytes")]
    TooLong,
    /// The line is not UTF-8.
    #[error("a line that is not UTF-8")]
    NotUtf8,
    /// The line is not a message.
    #[error("{cause}, in the line {excerpt:?}")]
    NotAMessage {
        /// What the parser said.
        cause: String,
        /// The line's beginning.
        excerpt: String,
    },
    /// The stream failed.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// One message as a line, with its line feed.
pub fn encode_line<T: Serialize>(message: &T) -> String {
    // Serialising these types cannot fail: no map has keys that are not strings and no number is out of range.
    let mut line = serde_json::to_string(message).expect("messages serialise");
    line.push('\n');
    line
}

/// The message in one line.
pub fn decode_line<T: DeserializeOwned>(line: &str) -> Result<T, CodecError> {
    if line.len() > MAX_LINE_BYTES {
        return Err(CodecError::TooLong);
    }
    serde_json::from_str(line).map_err(|cause| CodecError::NotAMessage {
        cause: cause.to_string(),
        excerpt: line.trim_end().chars().take(120).collect(),
    })
}

/// The next line of a stream, or `None` at its end. Never holds more than [`MAX_LINE_BYTES`] of it.
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
