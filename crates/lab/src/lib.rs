//! The engine of the lab: each kind of work is a function of a [`Session`] and its request. It reports
//! [`Event`]s and returns plain data.
//!
//! It knows no command line, no HTTP and no forge. Whole jobs, their outcomes and the rules for untrusted
//! requests are in `tlslab-job`; its public modules are for the crates above it.

pub mod backfill;
pub mod bisect;
pub mod bounded_read;
mod branch;
pub mod calibration;
pub mod canary;
pub mod compare;
pub mod counting;
mod error;
pub mod fidelity;
pub mod functions;
mod history;
pub mod host;
mod import;
mod problem;
mod progress;
pub mod request;
pub mod results;
pub mod run;
pub mod session;
pub mod stacks;

pub use backfill::{Backfilled, Release, ReleaseOutcome, backfill};
pub use bisect::{Bisection, Culprit, Found, Looked, Measured, Suspect, bisect, bisection_text};
pub use bounded_read::read as read_bounded;
pub use branch::{BranchOutcome, BranchRevision, Broken, Watched, branch_line, watch_branch};
pub use calibration::between_runs::keep as keep_between_runs;
pub use canary::{CANARY, FrozenBuild, NO_CANARY, OF_PROJECT, frozen_builds, mark_frozen};
pub use compare::{
    FileCompared, FoldersCompared, at_merge_base, compare, compare_folders, compare_records, compare_runs,
    read_comparison, track,
};
pub use error::{Error, problem_in};
pub use fidelity::{Both, Contrast, Fidelities, TimeRatio, fidelities_text, fidelity};
pub use functions::{
    Functions, Scaled, ScaledStack, Scaling, ScalingTable, contention, diff, profile, profile_into, scaling,
};
pub use history::acknowledgement::{
    Acknowledged, Acknowledging, Size, acknowledge, acknowledged, note_acknowledged,
};
pub use history::anomalies::anomalies;
pub use history::{
    Asked, AskedRatio, Copied, Costs, Extent, Filter, Keep, LabelOrder, Order, Pruned, Recomputed, Wanted,
    annotate, copy, costs, explain, is_whole, no_series, pairs, prune, prune_rows, put_run, ratios,
    recompute, timelines, write_pages,
};
pub use host::busy_loop::BusyLoop;
pub use host::doctor::{ArrangementNoise, CellNoise, Detectable, Diagnosis, diagnosis_text, doctor};
pub use host::effects::effects_text;
pub use host::line_moves::{LineMove, line_move_ns};
pub use host::self_check::{Check, CheckOutcome, Need, self_check, self_check_text};
pub use host::{host_class, usable_processors};
pub use import::{
    ForeignBetterAsked, ForeignFormat, Given, ImportRequest, Imported, Kept, import, keep_imported,
};
pub use problem::{ErrorKind, Problem, ProblemParts};
pub use progress::event::{
    BuildStep, ComparisonStarted, Event, Observer, PairStarted, PlannedProduct, Product, Resource,
    RunStarted, Silent, Stage, Step,
};
pub use progress::phase::Phase;
pub use results::Results;
pub use results::exports::{Export, ExportedFile};
pub use results::pages::Pages;
pub use results::run_ids::{newest_run, run_id};
pub use run::{
    EVICTOR, RowFunctions, RunOutcome, figures_of, newest_interrupted, recorded_id, recorded_run, report_of,
    run as run_stacks, write_files,
};
pub use session::Session;
pub use session::build_place::BuildPlace;
pub use session::cancel::{Cancel, Interrupted};
pub use session::conditions::{Conditions, Isolation, RunName, Start, Trust};
pub use session::drivers::{Built, Drivers, SessionLauncher};
pub use session::environment::{Environment, toml_files};
pub use session::job_id::JobId;
pub use session::reporter::Reporter;
pub use session::root::{Origin, RunDefaults, locate, policy};
pub use session::workshop::Workshop;
pub use stacks::build::{BuildOutcome, Builds, StackBuild, StageTime, build};
pub use stacks::driver_pages::{driver_pages, write_driver_pages};
pub use stacks::remove::{Removal, Removed, is_unused, remove as remove_artifacts};
pub use stacks::states::{StackState, stack_states};
