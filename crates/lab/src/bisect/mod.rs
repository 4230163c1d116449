//! From a good to a bad revision.

mod execute;
mod revisions;
mod search;
mod steps;

pub use execute::{Bisection, Culprit, Looked, bisect};
pub use steps::{Found, Measured};
