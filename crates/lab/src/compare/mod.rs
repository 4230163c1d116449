//! Comparisons: from two stacks, runs or folders to a verdict on every cell.
//!
//! A measured comparison is a run in stages. Every stage has rounds of fresh processes of both stacks, each round with
//! another code layout; after each stage the cells that are decided are excluded, and what is flagged in the end is
//! measured once more.

mod arrangement;
pub(crate) mod execute;
mod files;
mod folders;
mod job;
mod kept;
mod layouts;
mod profiles_of_rows;
pub(crate) mod reasons;
mod rows;
mod runs;
mod same;
mod stages;
mod terms;
mod tracked;

pub use execute::compare;
pub use files::read_comparison;
pub use folders::{FoldersCompared, compare_folders};
pub use rows::FileCompared;
pub use runs::compare_runs;

pub(crate) use execute::scenarios;
pub(crate) use job::{Job, planned};
pub(crate) use layouts::Places;
pub(crate) use stages::judged;
pub(crate) use terms::Terms;
