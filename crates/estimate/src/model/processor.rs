//! Stacks that were run as another processor, over themselves.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

use super::Estimated;

/// A stack's time with features of the processor hidden, over its time with all of them: the same program,
/// from slices of the same visits.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct AsProcessor {
    /// The stack that saw all features.
    pub stack: String,
    /// The processor, such as `zen3`; or `without-` and the hidden features.
    pub processor: String,
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: Side,
    /// The ratio: above 1 the stack takes longer with features hidden; `null` if it is missing.
    pub ratio: Option<Estimated>,
    /// The reason for its absence.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_ratio: Option<String>,
}
