//! What each library does if nothing is configured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_record::Defaults;

/// The defaults of one stack, seen in one scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackDefaults {
    /// The scenario's name.
    pub scenario: String,
    /// The stack's name.
    pub stack: String,
    /// What its client offers and its server picks.
    #[serde(flatten)]
    pub defaults: Defaults,
}
