//! Adds releases of a stack to a history: builds missing ones, measures each, and resumes after a kill.

mod execute;
mod known;
mod neighbours;
mod releases;

pub(crate) use releases::{newest_releases, releases_between};

pub use execute::{Backfilled, Release, ReleaseOutcome, backfill};
