//! Failures of a driver. Results show their texts after `failed: `.

use std::time::Duration;

use tlslab_process::Ended;

/// A driver did not do what was requested.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DriverFailure {
    /// The program could not be started.
    #[error("the driver could not be started: {0}")]
    NotStarted(String),
    /// No answer came in time.
    #[error("no answer to `{request}` within {} s; the driver was killed", within.as_secs())]
    TimedOut {
        /// The request.
        request: &'static str,
        /// How long the lab waited.
        within: Duration,
    },
    /// The program ended before it answered.
    #[error("the driver ended during `{request}` with {ended}{}", end_of(stderr))]
    Ended {
        /// The request.
        request: &'static str,
        /// How it ended.
        ended: Ended,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// The lab's process that supervises it was killed, and the driver with it.
    #[error("the process that supervises the driver was killed during `{request}`, and the driver with it")]
    KeeperLost {
        /// The request.
        request: &'static str,
    },
    /// Its answer is not a reply, or too long.
    #[error("the driver answered `{request}` with {what}")]
    Nonsense {
        /// The request.
        request: &'static str,
        /// The answer.
        what: String,
    },
    /// Its times disagree with the system's counts and the lab's own clock over a visit.
    #[error("the driver answered `measure` with {what}")]
    Untrue {
        /// The disagreement.
        what: String,
    },
    /// It answered that it failed.
    #[error("{reason}")]
    Refused {
        /// Its reason.
        reason: String,
    },
    /// It ended, but left processes behind.
    #[error("the driver left {count} {} behind, which were killed", if *count == 1 { "process" } else { "processes" })]
    LeftBehind {
        /// How many.
        count: usize,
    },
    /// The system did not let it use other processors.
    #[error("the driver could not be moved to the processors {cpus}: {cause}")]
    NotMoved {
        /// Their numbers.
        cpus: String,
        /// The system's error.
        cause: String,
    },
    /// Its processes used too much memory.
    #[error("the driver used more than {} MiB of memory during `{request}` and was killed; see what it allocates, or use a machine with more", limit_bytes >> 20)]
    TooMuchMemory {
        /// The request.
        request: &'static str,
        /// The memory limit of all its processes together, bytes.
        limit_bytes: u64,
    },
    /// The run was interrupted while the driver worked.
    #[error("interrupted")]
    Interrupted,
}

impl DriverFailure {
    /// Whether the cause may be external, so that a retry is worth it: a signal, or a machine that stood
    /// still while nothing was on the clock. A repeated visit discards its samples, so no figure contains the
    /// disagreement.
    pub fn may_be_chance(&self) -> bool {
        matches!(
            self,
            DriverFailure::Ended { ended: Ended::Signalled(_), .. }
                | DriverFailure::KeeperLost { .. }
                | DriverFailure::Untrue { .. }
        )
    }
}

fn end_of(stderr: &str) -> String {
    match stderr.trim() {
        "" => String::new(),
        text => format!("; end of its standard error: {text}"),
    }
}
