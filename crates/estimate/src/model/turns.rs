//! Turns: warm-ups, and the influence of other stacks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SteadyShare;

/// What is reported of a run's turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turns {
    /// Each stack's warm-ups.
    pub warm_ups: Vec<WarmUpShare>,
    /// Of each stack, in how many visits its process came to a steady state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steady: Vec<SteadyShare>,
    /// What was excluded, in how many visits processes were steady, and the largest dependence on neighbours
    /// that is known for this kind of host, in words.
    pub summary: String,
}

/// A stack's warm-ups over the whole run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct WarmUpShare {
    /// The stack.
    pub stack: String,
    /// Iterations that count in no figure.
    pub iterations: u64,
    /// Their share of the stack's time on the processor, 0 to 1.
    pub share: f64,
}
