//! Errors of a library.

use std::fmt;

/// Why a side could not be prepared.
#[derive(Debug)]
pub enum Unready {
    /// The library does not support it; the reason.
    Unsupported(String),
    /// It should have worked; the cause.
    Failed(String),
}

impl From<Unready> for String {
    fn from(unready: Unready) -> Self {
        match unready {
            Unready::Unsupported(reason) => format!("unsupported: {reason}"),
            Unready::Failed(reason) => reason,
        }
    }
}

/// The library's error message for a failed call.
#[derive(Debug)]
pub struct EndpointError(pub String);

impl<E: std::error::Error> From<E> for EndpointError {
    fn from(error: E) -> Self {
        Self(error.to_string())
    }
}

impl fmt::Display for EndpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<E: std::error::Error> From<E> for Unready {
    fn from(error: E) -> Self {
        Self::Failed(error.to_string())
    }
}
