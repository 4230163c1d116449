//! A change of a series in a line.

use serde::{Deserialize, Serialize};
use tlslab_record::Better;
use tlslab_text::number::change;

/// A change of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeLine {
    /// The stack without its version.
    pub stack: String,
    /// The version from which on it holds.
    pub label: String,
    /// The scenario.
    pub scenario: String,
    /// `client`, `server` or `both`.
    pub side: String,
    /// The metric.
    pub metric: String,
    /// Which values are better.
    #[serde(default)]
    pub better: Better,
    /// After over before.
    pub ratio: f64,
    /// The run that showed it.
    pub run: String,
    /// When that began, RFC 3339.
    pub at: String,
    /// Whether it is below the negligible effect size.
    pub is_negligible: bool,
    /// A note on it.
    pub note: String,
}

impl ChangeLine {
    /// The class of its mark: a regression or an improvement if it is known which values are better, else a
    /// rise or a fall.
    #[must_use]
    pub fn class(&self) -> &'static str {
        let is_up = self.ratio > 1.0;
        match (self.is_negligible, is_up, self.better.is_regression(is_up)) {
            (true, true, _) => "tiny up",
            (true, false, _) => "tiny down",
            (false, _, Some(true)) => "regression",
            (false, _, Some(false)) => "improvement",
            (false, true, None) => "rise",
            (false, false, None) => "fall",
        }
    }

    /// Whether it is large enough to mention, and its direction is unknown.
    #[must_use]
    pub fn is_without_verdict(&self) -> bool {
        matches!(self.class(), "rise" | "fall")
    }

    /// As a signed share; of a change without a verdict `rises by 3.00 %`.
    #[must_use]
    pub fn text(&self) -> String {
        let share = change(self.ratio);
        match self.class() {
            "rise" => format!("rises by {}", share.trim_start_matches('+')),
            "fall" => format!("falls by {}", share.trim_start_matches('−')),
            _ => share,
        }
    }
}
