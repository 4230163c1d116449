//! The next step for a reviewer after a comparison.

use tlslab_comparison::{Comparison, Conclusion, FailOn};

/// The next step, in one sentence.
pub(crate) fn advice(comparison: &Comparison) -> &'static str {
    match Conclusion::of(comparison) {
        Conclusion::Regression => "Look at the regressions before this is merged.",
        Conclusion::Failed => "Look at the cells that failed: the stack did not do the scenario's work.",
        _ if !comparison.complete => "Measure again: the comparison is not complete.",
        Conclusion::NotCompared | Conclusion::Inconclusive => {
            "Measure again with a larger budget: no cell could be decided."
        }
        Conclusion::Improvement | Conclusion::Unchanged if comparison.fails_on(FailOn::AnyRegression) => {
            "Confirmed regressions below their thresholds fail only projects that fail on any regression."
        }
        _ if !comparison.acknowledged().is_empty() => {
            "Nothing to do: every significant regression is acknowledged."
        }
        Conclusion::Improvement | Conclusion::Unchanged => "Nothing to do.",
    }
}
