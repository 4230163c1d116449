//! Comparison of two stacks: which cells changed, by how much, and how certain that is; with its renderings.
//!
//! [`judge`] computes a [`Comparison`] from the record of a run whose plan compares stacks, [`judge_runs`]
//! from two recorded runs. [`open`] returns the cells that are undecided after a look, [`visit_lengths`] the
//! length of their next visits, [`to_confirm`] the cells that need a confirmation. [`read`] parses
//! `comparison.json`. Everything is pure: no file, no clock, no randomness.

mod allotment;
mod compared;
mod judge;
mod model;
mod numbers;
mod read;
mod render;
mod rows;
mod significance;
mod spread;
mod time_rule;
mod verdict;

pub use compared::Compared;
pub use judge::{Flagged, judge, judge_runs, open, to_confirm, to_draw, visit_lengths};
pub use model::{
    Acknowledgement, Change, ClassPoints, Comparison, Confirmation, Dependence, Design, Effect, Interval,
    Outcome, Pair, ProfilePair, Reason, RoundGroups, Tracked, Version,
};
pub use read::{Unreadable, read};
pub use render::{
    CommentParts, Conclusion, MARKDOWN_LIMIT, Summary, acceptable_percent, change_of, described, figure,
    figures, groups, has_no_ratio, json, markdown, markdown_within, method, reasons, sentence, terminal,
    verdict,
};
pub use rows::{FigureKind, NamedRows, OtherNames, RowChange, RowsCompared};
pub use significance::{FailOn, Rule};
pub use spread::Spread;
pub use time_rule::{CellJudged, CellRounds, TimeRule};
pub use verdict::Verdict;
