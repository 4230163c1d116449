//! What comes of a request.

use tlslab_comparison::Comparison;

use crate::backfill::Backfilled;
use crate::bisect::Bisection;
use crate::build::Builds;
use crate::compare::FoldersCompared;
use crate::doctor::Diagnosis;
use crate::fidelity::Fidelities;
use crate::functions::Functions;
use crate::reproduce::Reproduced;
use crate::run::RunOutcome;
use crate::validate::{Neighbours, Validation};

/// What comes of a [`Request`](crate::Request), by its kind.
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
    Validation(Validation),
    /// Of `neighbours`.
    Neighbours(Neighbours),
    /// Of `doctor`.
    Diagnosis(Diagnosis),
    /// Of `backfill`.
    Backfilled(Backfilled),
    /// Of `build`.
    Builds(Builds),
}
