//! From a good to a bad revision.

mod revisions;
mod search;
mod steps;

pub use revisions::Revisions;
pub use search::{Known, Next, next, steps_left};
pub use steps::{Found, Measured, Steps};
