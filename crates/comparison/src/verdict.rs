//! What is said of a cell's change.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The outcome for a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// The new one takes more, and a second measurement said so, too.
    Regression,
    /// It takes less, likewise.
    Improvement,
    /// Runs that were measured separately differ by more than such runs do as a rule. What changed between
    /// them, the code or the machine, is not known, so nothing fails by it.
    Suspect,
    /// It changed, and by too little to call it a regression or an improvement.
    Changed,
    /// No change above what is negligible.
    #[serde(alias = "no_change")]
    NotSignificant,
    /// A change above what is negligible is possible; more data could show it.
    #[serde(alias = "cannot_tell")]
    Inconclusive,
    /// Both run the same code, so that nothing can have changed.
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
