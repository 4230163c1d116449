//! Errors in a document.

/// What is wrong with a document, with the file and what to do.
#[derive(Debug, thiserror::Error)]
#[error("{file}: {cause}")]
pub struct DocumentError {
    /// The file.
    pub file: String,
    /// What is wrong.
    pub cause: String,
}
