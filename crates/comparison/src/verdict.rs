//! Verdicts on a cell's change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outcome for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The candidate takes more, and a second measurement agrees.
    Regression,
    /// The candidate takes less, and a second measurement agrees.
    Improvement,
    /// Two separately recorded runs differ by more than such runs usually do. The code or the machine may
    /// have changed, so nothing fails.
    Suspect,
    /// It changed by less than the floor.
    Changed,
    /// A change above the negligible effect size is excluded.
    #[serde(alias = "no_change")]
    NotSignificant,
    /// A change above the negligible effect size is not excluded; more data could decide it.
    #[serde(alias = "cannot_tell")]
    Inconclusive,
    /// Both run the same code, so nothing can have changed.
    Identical,
}

impl Verdict {
    /// As people read it.
    pub fn words(self) -> &'static str {
        match self {
            Verdict::Regression => "regression",
            Verdict::Improvement => "improvement",
            Verdict::Suspect => "suspected change",
            Verdict::Changed => "changed, negligible",
            Verdict::NotSignificant => "no significant change",
            Verdict::Inconclusive => "inconclusive",
            Verdict::Identical => "identical binary",
        }
    }

    /// Whether it is worth a reader's attention.
    pub fn is_flagged(self) -> bool {
        matches!(self, Verdict::Regression | Verdict::Improvement)
    }
}
