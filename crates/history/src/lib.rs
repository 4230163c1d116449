//! The history of one cell over many runs: where its series changed, by how much, and the cause.
//!
//! A [`Point`] is one run of the cell. [`segments`] cuts the series, in the order of time, where its level
//! changed (E-divisive, on logarithms) and where the environment did, and computes how far a new run may lie
//! from the last level before it counts as a possible change. If a reference that never changes was measured
//! in the same jobs, values are divided by it first, so that changes of the machine are not attributed to the
//! program.
//!
//! Counts of instructions and bytes are exact: [`steps`] finds each of their changes at its point.
//!
//! Everything here is a pure function of its arguments, with a seeded RNG; the cuts of a series are cached as
//! long as the program runs. Apart from [`figures`], which turns a run into entries of the history, it knows
//! neither revisions nor machines: an epoch and a label are text.

#[cfg(test)]
extern crate self as tlslab_history;

pub mod advice;
mod change;
mod divisive;
mod fewest;
pub mod figures;
mod known;
mod level;
mod linked;
mod options;
mod point;
mod segments;
mod steps;
mod stretch;
#[cfg(test)]
#[path = "../tests/tested/mod.rs"]
mod tested;
mod tracked;

pub use change::{Cause, Change};
pub use fewest::{fewest_points, most_comparable};
pub use linked::{Linked, Reference, linked};
pub use options::{Options, StepOptions};
pub use point::{Point, Seen};
pub use segments::{History, Segment, segments};
pub use steps::{counts_scatter, steps};
pub use tlslab_stats::Refused;
pub use tracked::{ENOUGH, neighbour_threshold, ratio_threshold};
