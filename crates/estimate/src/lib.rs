//! The figures of a run: computed once from all its samples, and used by everything that shows or compares
//! them.
//!
//! [`Report::of`] turns a run's record into one model, which `results.json` contains. It is pure: no file, no
//! clock, no randomness but the seed of the record. Every scenario × stack × side of the plan is in the
//! model, with a value or the reason for its absence.

mod compute;
pub mod digits;
mod model;
mod over_runs;
mod pair;
mod quantity;
mod schema;

pub use compute::pairs::PairedTimes;
pub use model::{
    AsProcessor, Between, Cause, Cell, CellOverhead, Counter, CrossCheck, CrossOutcome, CrossPair,
    CrossRefusal, CrossTable, CrossTimes, Distribution, Estimated, ExactCell, ExactOutcome, ExactRatio,
    ExactUnit, ExactValue, Family, Fault, FidelityMark, Harness, Headline, Interval, Latency, Lead, Measured,
    Metric, Modes, Outcome, Overheads, Part, Proof, Ratio, Report, Row, RowFile, RowOutcome, Run, Scenario,
    ScenarioRatio, Share, Size, Spread, Stack, StackDefaults, StackOverhead, StackState, Standing,
    SteadyShare, Together, TransferOverhead, Turns, Unit, VisitValue, WarmUpShare, Whose,
};
pub use over_runs::{Covered, FigureOverRuns, OneOf, OverRuns};
pub use pair::PairRatio;
pub use quantity::Quantity;
pub use schema::results_schema;
