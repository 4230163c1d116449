//! Requests to the lab: plain data, so that a queue can hold them and another machine can carry them out.
//!
//! A request has what is measured and never where results are stored: that belongs to the session. Every
//! field has a default, and an unknown field is an error. Times are in seconds, shares are fractions of 1.

mod backfill;
mod branch;
mod choice;
mod compare;
mod explain;
mod history;
mod host;
mod run;

use tlslab_record::Seconds;

pub use backfill::{BackfillRequest, Every, range};
pub use branch::BranchRequest;
pub use choice::{
    ArrangementChoice, Counter, Iterations, Profiler, Rate, Rounds, Seeds, Simulation, SlicingRequest,
    Stacks, Top, Trials,
};
pub use compare::{BisectRequest, CompareFoldersRequest, CompareRequest, CompareRunsRequest, Decision};
pub use explain::{
    ContentionRequest, CountedFunctions, DiffRequest, FidelityRequest, FunctionSource, ProfileRequest,
    ScalingRequest, Selection, Threads,
};
pub use history::HistoryFilter;
pub use host::{BuildRequest, DoctorRequest};
pub use run::{CountRequest, RunRequest};

/// The stack by which the lab is validated unless another is named. Its code layout can be randomised.
pub const VALIDATED_STACK: &str = "rustls/ring";
/// The default suite of comparisons.
pub const SUITE_OF_COMPARISONS: &str = "compare";
/// The time limit of a driver's answer.
pub const ANSWER_WITHIN: Seconds = Seconds::of(30.0);
/// The same while its functions are counted.
pub const COUNTED_ANSWER_WITHIN: Seconds = Seconds::of(300.0);
