//! Comparisons: from two stacks, runs or folders to a verdict on every cell.
//!
//! A measured comparison is a run in stages. Every stage has rounds of fresh processes of both stacks, each
//! round with another code layout. After each stage, decided cells are excluded; flagged cells are measured
//! once more at the end.

mod arrangement;
mod decision_rule;
mod design;
pub mod execute;
mod files;
mod folders;
mod forecast;
pub mod identical_code;
mod kept_profiles;
mod layouts;
mod own_threshold;
mod profiles_of_rows;
pub mod reasons;
mod recorder;
mod rows;
mod runs;
mod shown;
mod stages;

pub use execute::{at_merge_base, compare};
pub use files::read_comparison;
pub use folders::{FoldersCompared, compare_folders};
pub use own_threshold::track;
pub use rows::FileCompared;
pub use runs::{compare_records, compare_runs};

pub use decision_rule::DecisionRule;
pub use design::{ComparisonDesign, planned};
pub use execute::{requested_pairs, scenarios};
pub use layouts::Places;
pub use stages::judge_unrecorded;
