//! Turns: warm-ups, and the influence of other stacks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::SteadyShare;

/// The report on a run's turns.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Turns {
    /// Each stack's warm-ups.
    pub warm_ups: Vec<WarmUpShare>,
    /// Of each stack, in how many visits its process came to a steady state.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steady: Vec<SteadyShare>,
    /// The excluded warm-up, the number of steady visits, and the largest known dependence on neighbours for
    /// this runner class, in words.
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
