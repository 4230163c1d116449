//! What a comparison came to.

use serde::Serialize;

/// What a job's comparison came to.
#[derive(Clone, Debug, PartialEq, Eq, Default, Serialize)]
pub struct Verdict {
    /// The class by which style sheets know it, such as `regression`.
    pub mark: String,
    /// How many cells have which verdict.
    pub title: String,
    /// What was compared, and the outcome in a sentence.
    pub sentence: String,
}
