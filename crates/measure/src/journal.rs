//! The journal that takes a run's records.

use tlslab_record::{CellCount, CellState, Overhead, PairSample, PairState, Sample, Visit, Weight};

/// What a journal says when it cannot write. The run ends then: measuring without recording is worth nothing.
pub type JournalError = Box<dyn std::error::Error + Send + Sync>;

/// Takes records as they come about. When a call has returned, its record survives a kill.
pub trait Journal {
    /// A cell was decided.
    fn cell(&mut self, cell: &CellState) -> Result<(), JournalError>;
    /// A process was calibrated.
    fn overhead(&mut self, overhead: &Overhead) -> Result<(), JournalError>;
    /// A visit begins.
    fn begin_visit(&mut self, visit: &Visit) -> Result<(), JournalError>;
    /// A sample of the visit that has begun.
    fn sample(&mut self, sample: &Sample) -> Result<(), JournalError>;
    /// A pair of client and server was decided.
    fn pair(&mut self, pair: &PairState) -> Result<(), JournalError>;
    /// A pair's sample of the visit that has begun.
    fn pair_sample(&mut self, sample: &PairSample) -> Result<(), JournalError>;
    /// A visit has come to its end, complete or not; it took so many seconds.
    fn end_visit(&mut self, visit: &Visit, took_s: f64) -> Result<(), JournalError>;
    /// A cell was counted.
    fn count(&mut self, count: &CellCount) -> Result<(), JournalError>;
    /// A cell was weighed in one process.
    fn weight(&mut self, weight: &Weight) -> Result<(), JournalError>;
    /// Something that a reader must know.
    fn warn(&mut self, text: &str) -> Result<(), JournalError>;
}
