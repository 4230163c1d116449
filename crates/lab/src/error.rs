//! Errors of requests.

use std::io;

use tlslab_build::MissingTools;
use tlslab_recipe::RecipeError;
use tlslab_scenario::ScenarioError;
use tlslab_store::StoreError;

use crate::problem::{ErrorKind, Problem};
use crate::session::cancel::Interrupted;

/// The reason why a request has no outcome.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// It was cancelled. Measurements are kept.
    #[error("interrupted")]
    Interrupted {
        /// The run to resume, if one had begun.
        run: Option<String>,
    },
    /// It failed: the thing, the cause and the next step.
    #[error("{0:#}")]
    Failed(anyhow::Error),
}

impl From<anyhow::Error> for Error {
    fn from(cause: anyhow::Error) -> Self {
        if cause.is::<Interrupted>() { Self::EARLY } else { Self::Failed(cause) }
    }
}

impl From<Problem> for Error {
    fn from(problem: Problem) -> Self {
        Self::Failed(problem.into())
    }
}

impl Error {
    /// Cancelled before a run had begun, or in work that cannot resume.
    pub const EARLY: Self = Self::Interrupted { run: None };

    /// The same as data: its kind, and as far as known the thing, the cause and the next step.
    pub fn problem(&self) -> Problem {
        match self {
            Self::Interrupted { run } => {
                let thing = run.clone().unwrap_or_else(|| "the job".to_owned());
                let next = "a job with the same identifier resumes it";
                Problem::new(ErrorKind::Interrupted, thing, "interrupted", next)
            }
            Self::Failed(cause) => problem_in(cause),
        }
    }
}

/// The kind of an error that was passed on through several parts.
pub fn problem_in(error: &anyhow::Error) -> Problem {
    let text = format!("{error:#}");
    let of = |kind: ErrorKind| Problem::new(kind, "the request", text.clone(), "");
    for cause in error.chain() {
        if let Some(problem) = cause.downcast_ref::<Problem>() {
            return problem.clone();
        }
        if let Some(cause) = cause.downcast_ref::<StoreError>() {
            let retry_after_s = match cause {
                StoreError::Held { until_unix_ms, .. } => {
                    let now = jiff::Timestamp::now().as_millisecond().unsigned_abs();
                    Some(until_unix_ms.saturating_sub(now) as f64 / 1e3)
                }
                _ => None,
            };
            return of(kind_of_store(cause)).with_retry(retry_after_s);
        }
        if let Some(cause) = cause.downcast_ref::<io::Error>()
            && matches!(cause.kind(), io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded)
        {
            return of(ErrorKind::Unavailable);
        }
        if cause.is::<MissingTools>() || cause.is::<tlslab_sandbox::Unavailable>() {
            return of(ErrorKind::Unavailable);
        }
        if matches!(
            cause.downcast_ref::<ScenarioError>(),
            Some(
                ScenarioError::NoSuchSuite { .. }
                    | ScenarioError::NoMatch { .. }
                    | ScenarioError::NoSuchScenario { .. }
            )
        ) {
            return of(ErrorKind::NotFound);
        }
        if let Some(ScenarioError::Pattern { .. }) = cause.downcast_ref::<ScenarioError>() {
            return of(ErrorKind::Invalid);
        }
        match cause.downcast_ref::<RecipeError>() {
            // The request is wrong, not a file.
            Some(RecipeError { file, cause, next_step, .. }) if file.is_empty() => {
                return Problem::new(ErrorKind::NotFound, "a stack", cause.clone(), next_step.clone());
            }
            _ => {}
        }
    }
    of(ErrorKind::Failed)
}

fn kind_of_store(cause: &StoreError) -> ErrorKind {
    match cause {
        StoreError::NoSuchRun { .. } => ErrorKind::NotFound,
        StoreError::Unreachable { .. } | StoreError::Database { .. } => ErrorKind::Unavailable,
        StoreError::Held { .. } => ErrorKind::Unavailable,
        StoreError::LeaseLost { .. } | StoreError::Complete { .. } => ErrorKind::Refused,
        _ => ErrorKind::Failed,
    }
}

#[cfg(test)]
mod tests {
    use anyhow::Context;

    use super::*;

    #[test]
    fn a_full_disk_is_the_machines_and_not_the_requests() {
        let of = |kind: io::ErrorKind| {
            let failed: Result<(), io::Error> = Err(kind.into());
            problem_in(&failed.context("cannot write a file").unwrap_err()).kind
        };
        assert_eq!(of(io::ErrorKind::StorageFull), ErrorKind::Unavailable);
        assert_eq!(of(io::ErrorKind::QuotaExceeded), ErrorKind::Unavailable);
        assert_eq!(of(io::ErrorKind::PermissionDenied), ErrorKind::Failed);
    }
}
