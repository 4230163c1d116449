//! What a reviewer can do after a comparison.

use tlslab_comparison::{Comparison, Conclusion, FailOn};

/// The words that a comment shows in bold, and the rest of the sentence.
pub(crate) fn advice(comparison: &Comparison) -> [&'static str; 2] {
    match Conclusion::of(comparison) {
        Conclusion::Regression => ["Look at the regressions", "before this is merged."],
        Conclusion::Failed => {
            ["Look at the cells that failed:", "the stack did not do the work as the scenario demands."]
        }
        _ if !comparison.complete => ["Measure again:", "the comparison is not complete."],
        Conclusion::NotCompared | Conclusion::Inconclusive => {
            ["Measure again with a larger budget:", "nothing could be decided."]
        }
        Conclusion::Improvement | Conclusion::Unchanged if comparison.fails_on(FailOn::AnyRegression) => [
            "No significant regression.",
            "Confirmed ones below their thresholds are listed below; they count only in projects that fail on any regression.",
        ],
        _ if !comparison.acknowledged().is_empty() => {
            ["Nothing to do:", "every significant regression is acknowledged."]
        }
        Conclusion::Improvement => ["Nothing to do:", "improvements and no significant regression."],
        Conclusion::Unchanged => ["Nothing to do:", "no significant regression was found."],
    }
}
