//! Why a product's build stopped. It becomes a [`BuildFailure`](crate::BuildFailure).

use std::io;
use std::path::{Path, PathBuf};

use tlslab_process::{Ended, ProcessError};

/// Why a product's build stopped.
#[derive(Debug, thiserror::Error)]
pub enum Halt {
    /// An operation on a file or folder failed.
    #[error("cannot {doing} `{}`: {cause}; {}", path.display(), next_step(cause))]
    Io {
        /// The operation.
        doing: &'static str,
        /// The file or folder.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A program of the build ended with an error.
    #[error("`{command}` failed: {ended}")]
    Step {
        /// The program.
        command: String,
        /// How it ended.
        ended: Ended,
    },
    /// A program could not be started or supervised.
    #[error("{0}")]
    Process(ProcessError),
    /// Cancellation.
    #[error("cancelled; finished products stay in the cache")]
    Cancelled,
    /// An invalid input or state.
    #[error("{what}: {cause}; {next_step}")]
    Wrong {
        /// The thing.
        what: String,
        /// The cause.
        cause: String,
        /// The next step.
        next_step: String,
    },
}

impl Halt {
    /// An invalid input or state.
    pub fn wrong(what: impl Into<String>, cause: impl Into<String>, next_step: impl Into<String>) -> Self {
        Self::Wrong { what: what.into(), cause: cause.into(), next_step: next_step.into() }
    }
}

impl From<ProcessError> for Halt {
    fn from(error: ProcessError) -> Self {
        match error {
            ProcessError::Cancelled { .. } => Self::Cancelled,
            other => Self::Process(other),
        }
    }
}

/// Adds the operation and its object to an I/O error.
pub trait Doing<T> {
    /// `doing` completes the sentence "cannot … `path`".
    fn doing(self, doing: &'static str, path: &Path) -> Result<T, Halt>;
}

impl<T> Doing<T> for io::Result<T> {
    fn doing(self, doing: &'static str, path: &Path) -> Result<T, Halt> {
        self.map_err(|cause| Halt::Io { doing, path: path.to_owned(), cause })
    }
}

fn next_step(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::NotFound => "check the path",
        io::ErrorKind::PermissionDenied => "check who owns it",
        io::ErrorKind::StorageFull => "free space on that disk",
        io::ErrorKind::ReadOnlyFilesystem => "choose a cache that can be written, with TLSLAB_CACHE",
        _ => "check the disk and the path",
    }
}
