//! Failures of a driver. Results show their texts after `failed: `.

use std::time::Duration;

use tlslab_process::Ended;

/// A driver did not do what it was asked.
#[derive(Debug, Clone, thiserror::Error)]
pub enum DriverFailure {
    /// The program could not be started.
    #[error("the driver could not be started: {0}")]
    NotStarted(String),
    /// No answer came in time.
    #[error("no answer to `{request}` within {} s; the driver was killed", within.as_secs())]
    TimedOut {
        /// What was asked.
        request: &'static str,
        /// How long the lab waited.
        within: Duration,
    },
    /// The program ended before it answered.
    #[error("the driver ended during `{request}` with {ended}{}", end_of(stderr))]
    Ended {
        /// What was asked.
        request: &'static str,
        /// How it ended.
        ended: Ended,
        /// The end of what it wrote to standard error.
        stderr: String,
    },
    /// The process of the lab's that supervises it was killed, and the driver with it.
    #[error("the process that supervises the driver was killed during `{request}`, and the driver with it")]
    KeeperLost {
        /// What was asked.
        request: &'static str,
    },
    /// It answered something that is no reply, or too much.
    #[error("the driver answered `{request}` with {what}")]
    Nonsense {
        /// What was asked.
        request: &'static str,
        /// What came.
        what: String,
    },
    /// Its times do not agree with what the system counts and the lab's own clock shows over a visit.
    #[error("the driver answered `measure` with {what}")]
    Untrue {
        /// What does not agree.
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
        /// What the system said.
        cause: String,
    },
    /// Its processes used too much memory.
    #[error("the driver used more than {} MiB of memory during `{request}` and was killed; see what it allocates, or use a machine with more", limit_bytes >> 20)]
    TooMuchMemory {
        /// What was asked.
        request: &'static str,
        /// What all its processes may use together, bytes.
        limit_bytes: u64,
    },
    /// The run was interrupted while the driver worked.
    #[error("interrupted")]
    Interrupted,
}

impl DriverFailure {
    /// Whether it may have come from outside, so that trying again is worth it: a signal, or a machine that
    /// stood still while nothing was on the clock. A visit that is made again loses its samples, so what does
    /// not agree is in no figure.
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
