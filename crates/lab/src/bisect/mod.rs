//! Bisection between a good and a bad revision.

mod execute;
mod revisions;
pub(crate) mod search;
mod steps;
mod text;

pub use execute::{Bisection, Culprit, Looked, Suspect, bisect};
pub use steps::{Found, Measured};
pub use text::bisection_text;
