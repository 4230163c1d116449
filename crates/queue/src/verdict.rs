//! Conclusions of comparisons.

use serde::Serialize;

/// The conclusion of a job's comparison.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Verdict {
    /// The class by which style sheets know it, such as `regression`.
    pub mark: String,
    /// How many cells have which verdict.
    pub title: String,
    /// The compared stacks and the outcome, in a sentence.
    pub sentence: String,
}
