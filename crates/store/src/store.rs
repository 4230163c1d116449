//! The interface of a database of runs.

use tlslab_record::{
    Annotation, CellCount, CellState, Figure, ImportedRun, Overhead, PairSample, PairState, Plan, Point,
    RunRecord, Sample, Series, Visit, Weight,
};

use crate::StoreError;
use crate::lease::model::{Lease, Owner};
use crate::lease::renewal::Renewal;
use crate::outcome::model::{Capability, OutcomeRecord};

/// A database of runs. Runs are named by their plan's id.
///
/// Only the handle that has created the run or has taken it can record measurements; others get
/// [`StoreError::LeaseLost`]. A complete run can still get other figures and warnings, and its samples can be
/// deleted.
pub trait Store: Send {
    /// Its address, without a password.
    fn place(&self) -> &str;
    /// The job of runs that this handle creates or takes from now on.
    fn set_job(&mut self, job: &str);
    /// Records a new run and takes its lease.
    fn create_run(&mut self, plan: &Plan, owner: &Owner) -> Result<(), StoreError>;
    /// Begins an incomplete run again: its records are deleted. Its lease has expired or was released, or its
    /// owner is dead or is this one.
    fn create_run_anew(&mut self, plan: &Plan, owner: &Owner) -> Result<(), StoreError>;
    /// Takes over an incomplete run: its lease has expired or was released, or its owner is dead.
    fn take_run(&mut self, run: &str, owner: &Owner) -> Result<Lease, StoreError>;
    /// Extends a lease, by its token: from any handle.
    fn renew_run(&mut self, run: &str, token: u64) -> Result<Lease, StoreError>;
    /// Renews the lease that this handle holds, until the returned value is dropped.
    fn renewal(&self, run: &str) -> Result<Renewal, StoreError>;
    /// Releases the lease that this handle holds; without one, does nothing.
    fn release_run(&mut self, run: &str) -> Result<(), StoreError>;
    /// A run's lease.
    fn lease(&self, run: &str) -> Result<Lease, StoreError>;
    /// Records a cell's state; a later one replaces an earlier one.
    fn put_cell(&mut self, run: &str, cell: &CellState) -> Result<(), StoreError>;
    /// Records harness overhead in one process.
    fn add_overhead(&mut self, run: &str, overhead: &Overhead) -> Result<(), StoreError>;
    /// Records that a visit has begun.
    fn begin_visit(&mut self, run: &str, visit: &Visit) -> Result<(), StoreError>;
    /// Records a sample of a visit that has begun.
    fn add_sample(&mut self, run: &str, sample: &Sample) -> Result<(), StoreError>;
    /// Records the decision about a pair; a later one replaces an earlier one.
    fn put_pair(&mut self, run: &str, pair: &PairState) -> Result<(), StoreError>;
    /// Records a pair's sample of a visit that has begun.
    fn add_pair_sample(&mut self, run: &str, sample: &PairSample) -> Result<(), StoreError>;
    /// Records that a visit has ended, and its duration, s.
    fn end_visit(&mut self, run: &str, visit: &Visit, took_s: f64) -> Result<(), StoreError>;
    /// Records a count.
    fn add_count(&mut self, run: &str, count: &CellCount) -> Result<(), StoreError>;
    /// Records a weighing.
    fn add_weight(&mut self, run: &str, weight: &Weight) -> Result<(), StoreError>;
    /// Records a warning for the run's readers; the same text twice counts once.
    fn warn(&mut self, run: &str, text: &str) -> Result<(), StoreError>;
    /// Records that everything planned has been measured, which ends the lease.
    fn complete_run(&mut self, run: &str) -> Result<(), StoreError>;

    /// Everything recorded of a run.
    fn load(&self, run: &str) -> Result<RunRecord, StoreError>;
    /// The counts of a run, which stay when its samples are deleted.
    fn counts(&self, run: &str) -> Result<Vec<CellCount>, StoreError>;
    /// The proofs of a run's cells, which stay when its samples are deleted.
    fn cells(&self, run: &str) -> Result<Vec<CellState>, StoreError>;
    /// All runs, newest first.
    fn runs(&self) -> Result<Vec<RunSummary>, StoreError>;

    /// Records a run's figures, in place of earlier ones.
    fn put_figures(&mut self, run: &str, figures: &[Figure]) -> Result<(), StoreError>;
    /// A run's figures.
    fn figures(&self, run: &str) -> Result<Vec<Figure>, StoreError>;
    /// The plan of a run, which stays when its samples are deleted.
    fn plan(&self, run: &str) -> Result<Plan, StoreError>;
    /// The plans of complete runs of the lab whose figures have epochs in an earlier form; recording a run's
    /// figures updates it.
    fn plans_of_old_epochs(&self) -> Result<Vec<Plan>, StoreError>;
    /// Every series that has a point.
    fn series(&self) -> Result<Vec<SeriesSummary>, StoreError>;
    /// The points of a series, oldest first; within a run in the order of its stacks.
    fn points(&self, series: &Series) -> Result<Vec<Point>, StoreError>;
    /// Each label of each stack in each run, oldest run first; within a run in the order of its stacks.
    fn appearances(&self) -> Result<Vec<Appearance>, StoreError>;
    /// Records an annotation, in place of one with the same stack, version and scenarios; an empty text
    /// removes that.
    fn annotate(&mut self, annotation: &Annotation) -> Result<(), StoreError>;
    /// All annotations.
    fn annotations(&self) -> Result<Vec<Annotation>, StoreError>;
    /// Records an imported run.
    fn import(&mut self, run: &ImportedRun, figures: &[Figure]) -> Result<(), StoreError>;
    /// An imported run.
    fn imported(&self, run: &str) -> Result<ImportedRun, StoreError>;

    /// Records the outcome of a job, in place of an earlier one that is not done. Returns whether it was
    /// recorded: an outcome that is done stays.
    fn put_outcome(&mut self, outcome: &OutcomeRecord) -> Result<bool, StoreError>;
    /// The outcome of a job.
    fn outcome(&self, id: &str) -> Result<Option<OutcomeRecord>, StoreError>;
    /// The last outcome of the jobs that made a run.
    fn outcome_of_run(&self, run: &str) -> Result<Option<OutcomeRecord>, StoreError>;
    /// Stores a text under a key, in place of an earlier one of the same kind and key.
    fn put_entry(&mut self, kind: &str, key: &str, body: &str) -> Result<(), StoreError>;
    /// Stores several texts, each under its key: all of them or none.
    fn put_entries(&mut self, kind: &str, entries: &[(String, String)]) -> Result<(), StoreError>;
    /// The keys and texts of a kind with this prefix of keys, oldest first.
    fn entries(&self, kind: &str, key_prefix: &str) -> Result<Vec<(String, String)>, StoreError>;
    /// Records a stack's capabilities, in place of earlier ones.
    fn put_capability(&mut self, capability: &Capability) -> Result<(), StoreError>;
    /// The stacks' capabilities, sorted by stack.
    fn capabilities(&self) -> Result<Vec<Capability>, StoreError>;

    /// The size of a run's samples.
    fn samples_of(&mut self, run: &str) -> Result<Deleted, StoreError>;
    /// Deletes a run's samples; its other records stay, in particular its figures. Returns what was freed.
    fn delete_samples(&mut self, run: &str, now_unix_ms: u64) -> Result<Deleted, StoreError>;
    /// Returns unused space to the system, if the database supports that.
    fn shrink(&mut self) -> Result<(), StoreError>;
    /// Its size on disk, bytes.
    fn bytes(&self) -> Result<u64, StoreError>;
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct RunSummary {
    /// Its name.
    pub id: String,
    /// When it began, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// Its suite.
    pub suite: String,
    /// Whether it is complete.
    pub complete: bool,
    /// How many samples were measured, deleted ones included.
    pub samples: u64,
    /// Whether it ended and nothing could be measured; only lists that count everything set this.
    pub has_failed: bool,
    /// Its origin.
    pub kind: RunKind,
    /// When its samples were deleted, milliseconds since 1970.
    pub samples_deleted_unix_ms: Option<u64>,
    /// The job that it belongs to; empty without a job.
    pub job: String,
    /// The host that measured it last; empty if unknown.
    pub host: String,
    /// The process that measures it.
    pub owner: Option<Owner>,
    /// The end of its lease, milliseconds since 1970; 0 if it is free.
    pub lease_until_unix_ms: u64,
}

/// The origin of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// The lab measured it.
    Measured,
    /// It was imported: it has only figures.
    Imported,
}

impl RunKind {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Measured => "measured",
            Self::Imported => "imported",
        }
    }
}

/// A series in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct SeriesSummary {
    /// The series.
    pub series: Series,
    /// How many points it has, including those without a value.
    pub points: u64,
    /// Whether any of them belongs to an imported run.
    pub imported: bool,
}

/// A label of a stack in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Appearance {
    /// The stack's name in series.
    pub stack: String,
    /// Its version or revision.
    pub label: String,
    /// The run.
    pub run: String,
    /// Whether any of its figures there has a value.
    pub has_value: bool,
}

/// Deleted samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deleted {
    /// Their number.
    pub samples: u64,
    /// Their packed size, bytes.
    pub bytes: u64,
}
