//! Errors of a runner.

use std::io::{self, ErrorKind};
use std::path::PathBuf;

use tlslab_process::ProcessError;

/// Why a runner cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum RunnerError {
    /// The service cannot be reached at the moment.
    #[error("{url}: {cause}")]
    Unreachable {
        /// The request.
        url: String,
        /// The cause.
        cause: String,
    },
    /// The service does not know the key.
    #[error(
        "{url}: the service does not know this runner's key; register the runner there, or use its key file"
    )]
    Unknown {
        /// The request.
        url: String,
    },
    /// The service rejects a request.
    #[error("{url}: status {status}: {message}")]
    Refused {
        /// The request.
        url: String,
        /// The status.
        status: u16,
        /// Its message.
        message: String,
    },
    /// A file or folder.
    #[error("{}: {cause}", path.display())]
    File {
        /// The path.
        path: PathBuf,
        /// The cause.
        cause: io::Error,
    },
    /// A disk that is nearly full.
    #[error("{why}; free space there, or choose another disk with --folder or TLSLAB_CACHE")]
    Room {
        /// The disk, and its free space.
        why: String,
    },
    /// The address is invalid.
    #[error(
        "\"{address}\" is not the address of a service; write https://HOST, or http://127.0.0.1:PORT on the same machine"
    )]
    Address {
        /// The address.
        address: String,
    },
    /// The service and the runner are incompatible.
    #[error("the service and this runner are incompatible: {cause}")]
    Version {
        /// The versions of both.
        cause: String,
    },
    /// Jobs cannot be bound to their processors.
    #[error(
        "jobs cannot be kept to the processors {processors:?}: {cause}; name some that this runner may use"
    )]
    Processors {
        /// The processors.
        processors: Vec<usize>,
        /// The cause.
        cause: io::Error,
    },
    /// The process of a job failed.
    #[error(transparent)]
    Process(#[from] ProcessError),
}

impl RunnerError {
    /// Whether a disk is full.
    pub fn is_full(&self) -> bool {
        match self {
            Self::Room { .. } => true,
            Self::File { cause, .. } => {
                matches!(cause.kind(), ErrorKind::StorageFull | ErrorKind::QuotaExceeded)
            }
            _ => false,
        }
    }

    /// Whether a later attempt may succeed.
    pub fn may_pass(&self) -> bool {
        match self {
            Self::Unreachable { .. } => true,
            Self::Refused { status, .. } => *status >= 500 || *status == 429,
            _ => false,
        }
    }
}
