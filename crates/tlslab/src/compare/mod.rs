//! Comparisons that are measured here: from two stacks to a verdict on every cell.
//!
//! A comparison is a run in stages. Every stage has rounds of fresh processes of both stacks, each round with their code
//! in other places; after each the cells that are decided are left alone, and what is flagged in the end is measured
//! once more.

mod arrangement;
mod job;
mod kept;
mod layouts;
mod profiles_of_rows;
mod reasons;
mod rows;
mod same;
mod stages;

pub use arrangement::choose as choose_arrangement;
pub use job::{Job, Terms, planned};
pub use kept::Stored;
pub use layouts::{Places, Programs};
pub use profiles_of_rows::changed_functions;
pub use reasons::find as find_reasons;
pub use rows::{are_folders, compared as compared_rows};
pub use stages::{Bench, finish, judged};
