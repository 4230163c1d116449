//! Errors of the lab's PKI.

use std::io;
use std::path::PathBuf;

/// Why the PKI is not available.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PkiError {
    /// A file operation failed.
    #[error("cannot {action} `{}`: {cause}; give the lab access to it, or choose another place", path.display())]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The path.
        path: PathBuf,
        /// The system's error.
        cause: io::Error,
    },
    /// A key or a certificate could not be made.
    #[error("cannot make the {what}: {cause}; this is a fault of the lab, please report it")]
    Issue {
        /// The library's error.
        what: String,
        /// The library's error.
        cause: rcgen::Error,
    },
    /// The work was cancelled.
    #[error("stopped before all keys were made; those that are complete stay")]
    Stopped,
    /// The directory contains other files.
    #[error(
        "`{}` holds files but not the lab's PKI; choose another directory for it",
        dir.display()
    )]
    Foreign {
        /// The folder.
        dir: PathBuf,
    },
    /// The contents of the directory are damaged or incomplete.
    #[error(
        "the PKI in `{}` is damaged: {what}; delete the directory, and the next run makes new keys and certificates",
        dir.display()
    )]
    Damaged {
        /// The PKI's folder.
        dir: PathBuf,
        /// The defect.
        what: String,
    },
}

impl PkiError {
    /// Wraps the file system's error.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Io { action, path, cause }
    }
}
