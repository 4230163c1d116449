//! The engine of the lab: a typed [`Request`] in, [`Event`]s while it is carried out, and an [`Outcome`].
//!
//! It knows no command line, no HTTP and no forge. [`run`] carries out any request; each kind has a function of its own, too,
//! that takes a [`Session`] and returns the outcome's own type.

mod as_of;
mod backfill;
mod bisect;
mod bounded_read;
mod calibration;
mod canary;
mod carry_out;
mod compare;
mod counting;
mod error;
mod fidelity;
mod functions;
mod history;
mod host;
mod import;
mod job;
mod job_record;
mod outcome;
mod places;
mod problem;
mod progress;
mod reproduce;
pub mod request;
mod results;
mod run;
mod sandbox;
pub mod schema;
mod schema_reference;
mod session;
mod share;
mod sources;
mod stacks;
mod validate;
mod work;

use std::sync::{Mutex, PoisonError};

use history::{acknowledgement, anomalies, better};
use host::{busy_loop, doctor, effects, processors, self_check};
use progress::event;
use results as database;
use results::{exports, lease, notes, pages, run_ids};
use session::{cancel, conditions, drivers, environment, root};
use stacks::{build, capability, driver_pages, remove, states, trusted};

pub use acknowledgement::{Acknowledged, Acknowledging, Size, acknowledge, acknowledged, note_acknowledged};
pub use anomalies::anomalies;
pub use as_of::take_dependencies_as_of;
pub use backfill::{Backfilled, Release, ReleaseOutcome, backfill};
pub use bisect::{Bisection, Culprit, Found, Looked, Measured, Suspect, bisect, bisection_text};
pub use bounded_read::read as read_bounded;
pub use build::{BuildOutcome, Builds, StackBuild, StageTime, build};
pub use busy_loop::BusyLoop;
pub use calibration::between_runs::keep as keep_between_runs;
pub use canary::{CANARY, FrozenBuild, NO_CANARY, OF_PROJECT, frozen_builds, mark_frozen};
pub use cancel::{Cancel, Interrupted};
pub use carry_out::carry_out;
pub use compare::{
    FileCompared, FoldersCompared, at_merge_base, compare, compare_folders, compare_records, compare_runs,
    read_comparison, track,
};
pub use conditions::{Conditions, Isolation, RunName, Start};
pub use database::Results;
pub use doctor::{ArrangementNoise, CellNoise, Detectable, Diagnosis, diagnosis_text, doctor};
pub use driver_pages::{driver_pages, write_driver_pages};
pub use drivers::{Built, Drivers, SessionLauncher};
pub use effects::effects_text;
pub use environment::Environment;
pub use error::{Error, problem_in};
pub use event::{
    BuildStep, ComparisonStarted, Event, Observer, PairStarted, Product, Resource, RunStarted, Silent, Stage,
    Step,
};
pub use exports::{Export, ExportedFile};
pub use fidelity::{Both, Contrast, Fidelities, TimeRatio, fidelities_text, fidelity};
pub use functions::{Functions, diff, profile, profile_into};
pub use history::{
    Asked, AskedRatio, Copied, Costs, Extent, Filter, Keep, LabelOrder, Order, Pruned, Recomputed, Wanted,
    annotate, copy, costs, explain, is_whole, no_series, pairs, prune, put_run, ratios, recompute, timelines,
    write_pages,
};
pub use host::{host_class, usable_processors};
pub use import::{
    ForeignBetterAsked, ForeignFormat, Given, ImportRequest, Imported, Kept, import, keep_imported,
};
pub use job::{FORMAT, Job, JobId, LONGEST_JOB, Trust};
pub use outcome::{Outcome, Status};
pub use pages::Pages;
pub use problem::{ErrorKind, Problem, ProblemParts};
pub use remove::{Removal, Removed, is_unused, remove as remove_artifacts};
pub use reproduce::{
    Rendered, Reproduced, documents, from_record, place_of_record, record_name, reproduce, rerendered,
    timing_s,
};
pub use request::Request;
pub use root::{Origin, RunDefaults, locate, policy};
pub use run::{
    EVICTOR, Recorded, RowFunctions, RunOutcome, alias_of, figures_of, newest_interrupted, recorded,
    recorded_run, report_of, run as run_stacks, write_files,
};
pub use run_ids::{newest_run, run_id};
pub use self_check::{Check, CheckOutcome, Need, self_check, self_check_text};
pub use session::Session;
pub use states::{StackState, stack_states};
pub use validate::{
    CellEntry, Entry, ErrorRates, FalseAlarms, Neighbours, PowerCurve, Replayed, SameJobs, SlowedCells,
    Validation, ValidationTables, claims_markdown, claims_sentence, neighbours, neighbours_markdown,
    replays_markdown, validate, validation_markdown, validation_tables,
};

pub use sources::admit;
pub use work::{Ending, EventLine, LastEvent};

/// Carries out a request.
///
/// The observer receives every event; the work waits while it does. When `cancel` is requested, the work stops at its next
/// step, its processes with it, and what was measured is recorded: a job of the same identifier goes on.
///
/// # Errors
/// [`Error::Interrupted`] if it was cancelled; [`Error::Failed`] with the thing, the cause and the next step.
pub fn run(
    request: &Request,
    environment: &Environment,
    results: &Results,
    conditions: &Conditions,
    observer: &mut impl Observer,
    cancel: &Cancel,
) -> Result<Outcome, Error> {
    let observer = Mutex::new(observer);
    // A poisoned lock means that the observer panicked in another thread; this event can still be delivered.
    let report = |event: &Event| observer.lock().unwrap_or_else(PoisonError::into_inner).on(event);
    carry_out(&Session::new(environment, results, conditions, &report, cancel), request)
}
