//! The outcome of a request, as plain data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::{Comparison, FailOn};
use tlslab_documents::Reproduced;
use tlslab_lab::backfill::{Backfilled, ReleaseOutcome};
use tlslab_lab::bisect::{Bisection, Culprit};
use tlslab_lab::compare::FoldersCompared;
use tlslab_lab::fidelity::Fidelities;
use tlslab_lab::functions::Functions;
use tlslab_lab::host::doctor::Diagnosis;
use tlslab_lab::run::{RowFunctions, RunOutcome};
use tlslab_lab::stacks::build::{BuildOutcome, Builds};
use tlslab_validation::{Neighbours, Validation};

/// The outcome of a [`Request`](crate::Request), by its kind.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", content = "value", rename_all = "kebab-case")]
pub enum Outcome {
    /// Of `run` and `count`.
    Run(Box<RunOutcome>),
    /// Of `compare` and `compare-runs`.
    Comparison(Box<Comparison>),
    /// Of `compare-folders`.
    Folders(FoldersCompared),
    /// Of `profile` and `diff`.
    Functions(Box<Functions>),
    /// Of `fidelity`.
    Fidelity(Box<Fidelities>),
    /// Of `bisect`.
    Bisection(Box<Bisection>),
    /// Of `reproduce`.
    Document(Box<Reproduced>),
    /// Of `validate`.
    Validation(Box<Validation>),
    /// Of `neighbours`.
    Neighbours(Neighbours),
    /// Of `doctor`.
    Diagnosis(Diagnosis),
    /// Of `backfill`.
    Backfilled(Backfilled),
    /// Of `build`.
    Builds(Builds),
}

/// How a job ended: the same for an exit status, a check of a commit and a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// It was done, and every part of it has an outcome.
    Done,
    /// It was done, and at least one part of it failed; the outcome names it and the reason.
    WithFailures,
    /// It was done, and found a change of the given kind.
    Changed,
    /// It was cancelled, and can be resumed.
    Interrupted,
    /// It was not done.
    Failed,
}

impl Status {
    /// The exit status of a process that carried it out.
    pub fn exit_code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failed => 1,
            Self::WithFailures => 3,
            Self::Changed => 4,
            Self::Interrupted => 130,
        }
    }
}

impl Outcome {
    /// How the job ended, regardless of given kinds of changes.
    pub fn status(&self) -> Status {
        match self.has_failures() {
            true => Status::WithFailures,
            false => Status::Done,
        }
    }

    /// How it ended, given these kinds of changes.
    pub fn status_on(&self, fail_on: FailOn) -> Status {
        let has_changed = match self {
            Self::Comparison(comparison) => comparison.fails_on(fail_on),
            Self::Folders(folders) => {
                let changed = match fail_on {
                    FailOn::AnyRegression => folders.above(0.0),
                    FailOn::Regression | FailOn::Change => folders.above(folders.threshold),
                };
                changed.iter().any(|share| *share > 0.0) || fail_on == FailOn::Change && !changed.is_empty()
            }
            _ => false,
        };
        if has_changed { Status::Changed } else { self.status() }
    }

    fn has_failures(&self) -> bool {
        match self {
            Self::Run(run) => {
                let has_excluded =
                    matches!(run.functions, Some(RowFunctions::Counted { excluded }) if excluded > 0);
                run.report.has_failures() || has_excluded
            }
            Self::Comparison(comparison) => comparison.has_failures(),
            Self::Bisection(bisection) => {
                !matches!(bisection.culprit, None | Some(Culprit::Revision { is_sure: true, .. }))
            }
            Self::Document(document) => document.has_failures,
            Self::Neighbours(found) => found.holes.iter().any(|hole| hole.contains(": failed: ")),
            Self::Backfilled(backfilled) => {
                let failed = |outcome: &ReleaseOutcome| matches!(outcome, ReleaseOutcome::Failed(_));
                backfilled.releases.iter().any(|release| failed(&release.outcome))
            }
            Self::Builds(builds) => {
                builds.stacks.iter().any(|stack| matches!(stack.outcome, BuildOutcome::Failed(_)))
            }
            Self::Folders(_) | Self::Functions(_) | Self::Fidelity(_) => false,
            Self::Validation(_) | Self::Diagnosis(_) => false,
        }
    }
}
