//! A run's results: computed once from every raw sample, then rendered for each reader.
//!
//! [`Report::of`] turns a run's record into one view model; the renderers turn that into text and compute nothing
//! of their own. Both are pure: no file, no clock, no chance. Every scenario × stack × side of the plan is in the
//! report, with a value or with the reason why there is none.

mod compute;
mod digits;
mod export;
mod model;
mod render;
mod schema;

pub use export::{
    bencher, github_action_bigger, github_action_smaller, go, holes, openmetrics, parquet, pyperf,
};
pub use model::{
    Cell, CellOverhead, Counter, CrossCheck, CrossOutcome, CrossPair, CrossRefusal, CrossTable, CrossTimes,
    Distribution, Estimated, ExactCell, ExactOutcome, ExactRatio, ExactUnit, ExactValue, Family, Fault,
    FidelityMark, Harness, Headline, Interval, Lead, Measured, Metric, Outcome, Overheads, Proof, Ratio,
    Report, Row, RowFile, RowOutcome, Run, Scenario, Spread, Stack, StackOverhead, StackState, Standing,
    TransferOverhead, Unit, VisitValue, Whose,
};
pub use render::{cross_csv, csv, html, json, markdown, rows_csv, rows_summary, terminal};
pub use schema::results_schema;
