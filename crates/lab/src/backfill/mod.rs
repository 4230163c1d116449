//! Fills a history with releases of a stack: builds what is missing, measures each release, and goes on after
//! a kill.

mod execute;
mod known;
mod neighbours;
mod releases;

pub(crate) use releases::newest_releases;

pub use execute::{Backfilled, Release, ReleaseOutcome, backfill};
