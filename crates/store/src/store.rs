//! What a database of runs must be able to do.

use tlslab_record::{
    CellCount, CellState, Overhead, PairSample, PairState, Plan, RunRecord, Sample, Visit, Weight,
};

use crate::StoreError;

/// A database of runs. Runs are named by their plan's id.
pub trait Store {
    /// Where it is, without any password.
    fn place(&self) -> &str;
    /// Records a new run.
    fn create_run(&mut self, plan: &Plan) -> Result<(), StoreError>;
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
    /// Records that all that was planned has been measured.
    fn complete_run(&mut self, run: &str) -> Result<(), StoreError>;

    /// Everything recorded of a run.
    fn load(&self, run: &str) -> Result<RunRecord, StoreError>;
    /// All runs, newest first.
    fn runs(&self) -> Result<Vec<RunSummary>, StoreError>;
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
    /// How many samples it has.
    pub samples: u64,
}
