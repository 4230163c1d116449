//! What can go wrong between the lab and its keys.

use std::io;
use std::path::PathBuf;

/// Why there is no PKI.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PkiError {
    /// The file system refused.
    #[error("cannot {action} `{}`: {cause}; give the lab access to it, or choose another place", path.display())]
    Io {
        /// What was tried, as a verb.
        action: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        cause: io::Error,
    },
    /// A key or a certificate could not be made.
    #[error("cannot make the {what}: {cause}; this is a fault of the lab, please report it")]
    Issue {
        /// The key or the certificate.
        what: String,
        /// What the library said.
        cause: rcgen::Error,
    },
    /// Somebody who watched the work asked it to stop.
    #[error("stopped before all keys were made; those that are complete stay")]
    Stopped,
    /// The directory is in use for something else.
    #[error(
        "`{}` holds files but not the lab's PKI; choose another directory for it",
        dir.display()
    )]
    Foreign {
        /// The directory.
        dir: PathBuf,
    },
    /// What is in the directory is not what was put there, or not all of it.
    #[error(
        "the PKI in `{}` is damaged: {what}; delete the directory, and the next run makes new keys and certificates",
        dir.display()
    )]
    Damaged {
        /// The PKI's directory.
        dir: PathBuf,
        /// What does not fit.
        what: String,
    },
}

impl PkiError {
    /// Wraps what the file system said.
    pub(crate) fn io(action: &'static str, path: impl Into<PathBuf>) -> impl FnOnce(io::Error) -> Self {
        let path = path.into();
        move |cause| Self::Io { action, path, cause }
    }
}
