//! The engine of the lab: a typed [`Request`] in, [`Event`]s while it is carried out, and an [`Outcome`].
//!
//! It knows no command line, no HTTP and no forge. [`run`] carries out any request; each kind has a function of its own, too,
//! that takes a [`Session`] and returns the outcome's own type.

mod backfill;
mod bisect;
mod build;
mod cancel;
mod compare;
mod counting;
mod doctor;
mod environment;
mod error;
mod event;
mod fidelity;
mod functions;
mod history;
mod host;
mod import;
mod known;
mod outcome;
mod recorded;
mod remove;
mod reproduce;
pub mod request;
mod results;
mod run;
mod sandbox;
mod sandbox_mode;
mod session;
mod states;
mod trusted;
mod untrusted;
mod validate;

use std::sync::{Mutex, PoisonError};

pub use backfill::{Backfilled, Release, ReleaseOutcome, backfill};
pub use bisect::{Bisection, Culprit, Found, Looked, Measured, bisect};
pub use build::{Builds, StackBuild, build};
pub use cancel::{Cancel, Interrupted};
pub use compare::{FileCompared, FoldersCompared, compare, compare_folders, compare_runs, read_comparison};
pub use doctor::{ArrangementNoise, CellNoise, Diagnosis, diagnosis_text, doctor};
pub use environment::{Environment, RunDefaults};
pub use error::Error;
pub use event::{ComparisonStarted, Event, Observer, PairStarted, RunStarted, Silent, Stage, Step};
pub use fidelity::{Both, Contrast, Fidelities, fidelity};
pub use functions::{Functions, diff, profile};
pub use history::{
    Copied, Filter, Keep, Order, Pruned, Recomputed, annotate, copy, explain, prune, recompute, timelines,
    write_pages,
};
pub use import::{ForeignFormat, ImportRequest, import};
pub use outcome::Outcome;
pub use remove::{Removal, Removed, is_unused, remove as remove_artifacts};
pub use reproduce::{Reproduced, documents, reproduce};
pub use request::{Request, Results};
pub use run::{
    CANARY, EVICTOR, Files, RowFunctions, RunOutcome, alias_of, figures_of, recorded, report_of,
    run as run_stacks, write_files,
};
pub use sandbox_mode::SandboxMode;
pub use session::{Built, Session};
pub use states::{StackState, stack_states};
pub use untrusted::read as read_untrusted;
pub use validate::{
    CellEntry, Entry, Neighbours, Validation, neighbours, neighbours_markdown, share_text, validate,
    validation_markdown, validation_page,
};

/// Carries out a request.
///
/// The observer receives every event; the work waits while it does. When `cancel` is requested, the work stops at its next
/// step, its processes with it, and what was measured is recorded: the same request, or one that resumes the run, goes on.
///
/// # Errors
/// [`Error::Interrupted`] if it was cancelled; [`Error::Failed`] with the thing, the cause and the next step.
pub fn run(
    request: &Request,
    environment: &Environment,
    observer: &mut impl Observer,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let observer = Mutex::new(observer);
    // A poisoned lock means that the observer panicked in another thread; this event can still be delivered.
    let report = |event: &Event| observer.lock().unwrap_or_else(PoisonError::into_inner).on(event);
    let session = &Session::new(environment, &report, cancel);
    Ok(match request {
        Request::Run(request) => Outcome::Run(Box::new(run_stacks(session, request)?)),
        Request::Count(request) => {
            Outcome::Run(Box::new(run_stacks(session, &request.as_ref().clone().into())?))
        }
        Request::Compare(request) => Outcome::Comparison(Box::new(compare(session, request)?)),
        Request::CompareRuns(request) => Outcome::Comparison(Box::new(compare_runs(session, request)?)),
        Request::CompareFolders(request) => Outcome::Folders(compare_folders(session, request)?),
        Request::Profile(request) => Outcome::Functions(Box::new(profile(session, request)?)),
        Request::Diff(request) => Outcome::Functions(Box::new(diff(session, request)?)),
        Request::Fidelity(request) => Outcome::Fidelity(Box::new(fidelity(session, request)?)),
        Request::Bisect(request) => Outcome::Bisection(Box::new(bisect(session, request)?)),
        Request::Reproduce(request) => Outcome::Document(Box::new(reproduce(session, request)?)),
        Request::Validate(request) => Outcome::Validation(validate(session, request)?),
        Request::Neighbours(request) => Outcome::Neighbours(neighbours(session, request)?),
        Request::Doctor(request) => Outcome::Diagnosis(doctor(session, request)?),
        Request::Backfill(request) => Outcome::Backfilled(backfill(session, request)?),
        Request::Build(request) => Outcome::Builds(build(session, request)?),
    })
}
