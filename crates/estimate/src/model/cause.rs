//! Warnings of one cause.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The effect of one cause: a sentence for readers, and the warnings that it replaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// The cause in one or two sentences.
    pub summary: String,
    /// The warnings behind the summary, worst first; empty if the summary is the only one.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cells: Vec<String>,
    /// Whether it can change who is fastest in a headline.
    #[serde(default)]
    pub can_change_headline: bool,
}
