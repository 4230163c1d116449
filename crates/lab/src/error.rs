//! Why a request has no outcome.

use crate::cancel::Interrupted;

/// Why a request has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It was cancelled. What was measured is kept.
    #[error("interrupted")]
    Interrupted {
        /// The run to resume, if one had begun.
        run: Option<String>,
    },
    /// It could not be done: the thing, the cause and the next step.
    #[error("{0:#}")]
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Error {
    fn from(cause: anyhow::Error) -> Self {
        if cause.is::<Interrupted>() { Self::EARLY } else { Self::Failed(cause) }
    }
}

impl Error {
    /// Cancelled before a run had begun, or in work that begins anew.
    pub(crate) const EARLY: Self = Self::Interrupted { run: None };
}
