//! Errors in a document.

/// An error in a document, with the file and the next step.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {cause}")]
pub struct DocumentError {
    /// The file.
    pub file: String,
    /// The cause.
    pub cause: String,
}
