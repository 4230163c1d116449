//! What a database of runs must be able to do.

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
/// What is measured can be recorded by the handle alone that has made the run or has taken it; everything
/// else is refused with [`StoreError::LeaseLost`]. A complete run can still be given other figures and
/// warnings, and its samples can be deleted.
pub trait Store: Send {
    /// Where it is, without any password.
    fn place(&self) -> &str;
    /// The job that runs belong to which this handle makes or takes from now on.
    fn set_job(&mut self, job: &str);
    /// Records a new run and takes its lease.
    fn create_run(&mut self, plan: &Plan, owner: &Owner) -> Result<(), StoreError>;
    /// Records a run anew that is not complete: what was recorded of it is deleted. Its lease has ended or
    /// was released, or its owner is dead or is this one.
    fn create_run_anew(&mut self, plan: &Plan, owner: &Owner) -> Result<(), StoreError>;
    /// Takes a run over that is not complete: its lease has ended or was released, or its owner is dead.
    fn take_run(&mut self, run: &str, owner: &Owner) -> Result<Lease, StoreError>;
    /// Makes a lease last longer, by its token: from any handle.
    fn renew_run(&mut self, run: &str, token: u64) -> Result<Lease, StoreError>;
    /// Renews the lease that this handle holds, until what is returned is dropped.
    fn renewal(&self, run: &str) -> Result<Renewal, StoreError>;
    /// Gives the lease up that this handle holds; without one, nothing happens.
    fn release_run(&mut self, run: &str) -> Result<(), StoreError>;
    /// A run's lease.
    fn lease(&self, run: &str) -> Result<Lease, StoreError>;
    /// Records a cell's state; a later one replaces an earlier one.
    fn put_cell(&mut self, run: &str, cell: &CellState) -> Result<(), StoreError>;
    /// Records what measuring cost in one process.
    fn add_overhead(&mut self, run: &str, overhead: &Overhead) -> Result<(), StoreError>;
    /// Records that a visit has begun.
    fn begin_visit(&mut self, run: &str, visit: &Visit) -> Result<(), StoreError>;
    /// Records a sample of a visit that has begun.
    fn add_sample(&mut self, run: &str, sample: &Sample) -> Result<(), StoreError>;
    /// Records what was decided of a pair; a later word replaces an earlier one.
    fn put_pair(&mut self, run: &str, pair: &PairState) -> Result<(), StoreError>;
    /// Records a pair's sample of a visit that has begun.
    fn add_pair_sample(&mut self, run: &str, sample: &PairSample) -> Result<(), StoreError>;
    /// Records that a visit has come to its end, and the time that it took, s.
    fn end_visit(&mut self, run: &str, visit: &Visit, took_s: f64) -> Result<(), StoreError>;
    /// Records a count.
    fn add_count(&mut self, run: &str, count: &CellCount) -> Result<(), StoreError>;
    /// Records a weighing.
    fn add_weight(&mut self, run: &str, weight: &Weight) -> Result<(), StoreError>;
    /// Records what a reader must know of the run; the same text twice is one.
    fn warn(&mut self, run: &str, text: &str) -> Result<(), StoreError>;
    /// Records that all that was planned has been measured, which ends the lease.
    fn complete_run(&mut self, run: &str) -> Result<(), StoreError>;

    /// Everything recorded of a run.
    fn load(&self, run: &str) -> Result<RunRecord, StoreError>;
    /// The counts of a run, which stay when its samples are deleted.
    fn counts(&self, run: &str) -> Result<Vec<CellCount>, StoreError>;
    /// All runs, newest first.
    fn runs(&self) -> Result<Vec<RunSummary>, StoreError>;

    /// Records a run's figures, instead of those that it had.
    fn put_figures(&mut self, run: &str, figures: &[Figure]) -> Result<(), StoreError>;
    /// A run's figures.
    fn figures(&self, run: &str) -> Result<Vec<Figure>, StoreError>;
    /// The plan of a run, which stays when its samples are deleted.
    fn plan(&self, run: &str) -> Result<Plan, StoreError>;
    /// The plans of complete runs that the lab measured and whose figures have epochs of an earlier form;
    /// recording a run's figures gives them the present one.
    fn plans_of_old_epochs(&self) -> Result<Vec<Plan>, StoreError>;
    /// Every series that has a point.
    fn series(&self) -> Result<Vec<SeriesSummary>, StoreError>;
    /// The points of a series, oldest first; those of one run in the order of its stacks.
    fn points(&self, series: &Series) -> Result<Vec<Point>, StoreError>;
    /// Each label of each stack in each run, oldest run first; those of one run in the order of its stacks.
    fn appearances(&self) -> Result<Vec<Appearance>, StoreError>;
    /// Records an annotation, instead of one of the same stack, version and scenarios; an empty text removes
    /// that.
    fn annotate(&mut self, annotation: &Annotation) -> Result<(), StoreError>;
    /// All annotations.
    fn annotations(&self) -> Result<Vec<Annotation>, StoreError>;
    /// Records a run that another program made.
    fn import(&mut self, run: &ImportedRun, figures: &[Figure]) -> Result<(), StoreError>;
    /// A run that another program made.
    fn imported(&self, run: &str) -> Result<ImportedRun, StoreError>;

    /// Records the outcome of a job, instead of an earlier one that is not done. Whether it was recorded: an
    /// outcome that is done stays.
    fn put_outcome(&mut self, outcome: &OutcomeRecord) -> Result<bool, StoreError>;
    /// The outcome of a job.
    fn outcome(&self, id: &str) -> Result<Option<OutcomeRecord>, StoreError>;
    /// The last outcome of those jobs that made a run.
    fn outcome_of_run(&self, run: &str) -> Result<Option<OutcomeRecord>, StoreError>;
    /// Notes a text under a key, instead of an earlier one of the same kind and key.
    fn put_entry(&mut self, kind: &str, key: &str, body: &str) -> Result<(), StoreError>;
    /// Notes several texts, each under its key: all of them or none.
    fn put_entries(&mut self, kind: &str, entries: &[(String, String)]) -> Result<(), StoreError>;
    /// The keys and texts of a kind whose keys begin so, in the order in which they were noted.
    fn entries(&self, kind: &str, key_prefix: &str) -> Result<Vec<(String, String)>, StoreError>;
    /// Notes what a stack can do, instead of what was noted before.
    fn put_capability(&mut self, capability: &Capability) -> Result<(), StoreError>;
    /// What the stacks can do, in their order.
    fn capabilities(&self) -> Result<Vec<Capability>, StoreError>;

    /// What a run's samples take.
    fn samples_of(&mut self, run: &str) -> Result<Deleted, StoreError>;
    /// Deletes a run's samples; everything else of it stays, its figures above all. What was freed.
    fn delete_samples(&mut self, run: &str, now_unix_ms: u64) -> Result<Deleted, StoreError>;
    /// Gives room that nothing needs any more back to the system, as far as the database does that.
    fn shrink(&mut self) -> Result<(), StoreError>;
    /// What it takes on disk, bytes.
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
    /// How many samples were measured, whether they are kept or not.
    pub samples: u64,
    /// Whether it ended and nothing could be measured; lists alone that count everything say so.
    pub has_failed: bool,
    /// Where it comes from.
    pub kind: RunKind,
    /// When its samples were deleted, milliseconds since 1970.
    pub samples_deleted_unix_ms: Option<u64>,
    /// The job that it belongs to; empty if there is none.
    pub job: String,
    /// Where it was measured last; empty if that is unknown.
    pub host: String,
    /// Who measures it.
    pub owner: Option<Owner>,
    /// Until when its lease lasts, milliseconds since 1970; 0 if nobody holds it.
    pub lease_until_unix_ms: u64,
}

/// Where a run comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RunKind {
    /// The lab measured it.
    Measured,
    /// Another program made it: there are figures alone.
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
    /// How many points it has, holes too.
    pub points: u64,
    /// Whether any of them is of a run that another program made.
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
    /// How many.
    pub samples: u64,
    /// What they take when they are packed, bytes.
    pub bytes: u64,
}
