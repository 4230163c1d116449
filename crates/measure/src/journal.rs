//! The journal that takes a run's records.

use tlslab_record::{CellCount, CellState, Overhead, PairSample, PairState, Sample, Visit, Weight};

/// The error of a journal that cannot write. The run then ends: measurements without a record are useless.
pub type JournalError = Box<dyn std::error::Error + Send + Sync>;

/// Takes records as they arrive. When a call has returned, its record survives a kill.
pub trait Journal {
    /// The result of proving a cell.
    fn cell(&mut self, cell: &CellState) -> Result<(), JournalError>;
    /// A process was calibrated.
    fn overhead(&mut self, overhead: &Overhead) -> Result<(), JournalError>;
    /// A visit begins.
    fn begin_visit(&mut self, visit: &Visit) -> Result<(), JournalError>;
    /// A sample of the visit that has begun.
    fn sample(&mut self, sample: &Sample) -> Result<(), JournalError>;
    /// The result of proving a pair of client and server.
    fn pair(&mut self, pair: &PairState) -> Result<(), JournalError>;
    /// A pair's sample of the visit that has begun.
    fn pair_sample(&mut self, sample: &PairSample) -> Result<(), JournalError>;
    /// A visit has ended, complete or not; it took so many seconds.
    fn end_visit(&mut self, visit: &Visit, took_s: f64) -> Result<(), JournalError>;
    /// A cell was counted.
    fn count(&mut self, count: &CellCount) -> Result<(), JournalError>;
    /// A cell was weighed in one process.
    fn weight(&mut self, weight: &Weight) -> Result<(), JournalError>;
    /// A warning that a reader must see.
    fn warn(&mut self, text: &str) -> Result<(), JournalError>;
}
