//! What is asked of a document.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_lab::request::ANSWER_WITHIN;
use tlslab_record::Seconds;

/// Reproduces a published document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReproduceRequest {
    /// The document.
    pub document: String,
    /// Further stacks, in tables that have a column for each of theirs.
    #[serde(default)]
    pub stacks: Vec<String>,
    /// Whether it is measured as it was published.
    #[serde(default = "yes")]
    pub as_published: bool,
    /// Whether it is measured with the same work for all.
    #[serde(default = "yes")]
    pub fair: bool,
    /// A tenth of the time, in eight rounds.
    #[serde(default)]
    pub quick: bool,
    /// How long measuring times takes in all, s, in proportion over the parts; as long as the document says
    /// if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_s: Option<Seconds>,
    /// Whether parts that are timed wait until other processes leave the host alone, and are measured once
    /// more if it was busy meanwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// Measure again what was measured before.
    #[serde(default)]
    pub again: bool,
    /// How long a driver may take over one answer, s.
    #[serde(default = "answer_within_s")]
    pub timeout_s: Seconds,
}

fn yes() -> bool {
    true
}

fn answer_within_s() -> Seconds {
    ANSWER_WITHIN
}
