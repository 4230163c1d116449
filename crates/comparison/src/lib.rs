//! Two stacks put side by side: which cells changed, by how much, how sure that is, and its rendering.
//!
//! [`judge`] computes a [`Comparison`] from the record of a run whose plan compares stacks; [`judge_runs`] from two runs
//! that were made apart. [`open`] says what is still undecided after a look, [`to_confirm`] what has to be measured
//! again. [`read`] takes `comparison.json` back. Everything is pure: no file, no clock, no chance.

mod judge;
mod model;
mod numbers;
mod read;
mod render;
mod rows;

pub use judge::{judge, judge_runs, open, to_confirm};
pub use model::{
    Change, Comparison, Confirmation, Design, Effect, Interval, Metric, Outcome, Pair, Reason, Tracked,
    Verdict,
};
pub use read::{Unreadable, read};
pub use render::{
    MARKDOWN_LIMIT, html, json, markdown, markdown_within, page, reasons, sentence, terminal, verdict,
};
pub use rows::{FigureKind, NamedRows, OtherNames, RowChange, RowsCompared};
