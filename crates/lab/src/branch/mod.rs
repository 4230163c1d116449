//! The newest revision of an upstream branch, built; if it does not build, the revision that broke it.

mod execute;
mod failure;
mod search;
mod state;
mod text;

pub use execute::{BranchOutcome, BranchRevision, Broken, Watched, watch_branch};
pub use text::branch_line;
