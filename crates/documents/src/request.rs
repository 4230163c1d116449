//! The request for a document.

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
    /// Further stacks, in tables that have a column for each stack.
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
    /// The total timing, s, divided in proportion to the parts; the document's own by default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_s: Option<Seconds>,
    /// Whether timed parts wait until no other process disturbs the host, and are measured once more if it
    /// was busy meanwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// Whether to repeat earlier measurements.
    #[serde(default)]
    pub again: bool,
    /// The time limit of a driver's answer, s.
    #[serde(default = "answer_within_s")]
    pub timeout_s: Seconds,
}

fn yes() -> bool {
    true
}

fn answer_within_s() -> Seconds {
    ANSWER_WITHIN
}
