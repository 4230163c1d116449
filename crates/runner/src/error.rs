//! What can go wrong with a runner.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use tlslab_process::ProcessError;

/// Why a runner cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The service cannot be reached at the moment.
    #[error("{url}: {cause}")]
    Unreachable {
        /// What was asked.
        url: String,
        /// Why.
        cause: String,
    },
    /// The service does not know the key.
    #[error(
        "{url}: the service does not know this runner's key; register the runner there, or use its key file"
    )]
    Unknown {
        /// What was asked.
        url: String,
    },
    /// The service refuses a request.
    #[error("{url}: status {status}: {message}")]
    Refused {
        /// What was asked.
        url: String,
        /// The status.
        status: u16,
        /// What it says.
        message: String,
    },
    /// A file or folder.
    #[error("{}: {cause}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// A disk that is nearly full.
    #[error("{why}; free space there, or choose another disk with --folder or TLSLAB_CACHE")]
    Room {
        /// Which, and how much is free.
        why: String,
    },
    /// The address is none.
    #[error(
        "\"{address}\" is not the address of a service; write https://HOST, or http://127.0.0.1:PORT on the same machine"
    )]
    Address {
        /// What it is.
        address: String,
    },
    /// The service and the runner do not understand each other.
    #[error("the service and this runner are incompatible: {cause}")]
    Version {
        /// What each speaks.
        cause: String,
    },
    /// The processors that jobs are to be kept to.
    #[error(
        "jobs cannot be kept to the processors {processors:?}: {cause}; name some that this runner may use"
    )]
    Processors {
        /// Which.
        processors: Vec<usize>,
        /// Why.
        cause: io::Error,
    },
    /// The process of a job.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl RunnerError {
    /// Whether a disk has no room.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Room { .. } => true,
            Self::File { cause, .. } => {
                matches!(cause.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
            }
            _ => false,
        }
    }

    /// Whether the same may go well later.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused { status, .. } => *status >= 500 || *status == 429,
            _ => false,
        }
    }
}
