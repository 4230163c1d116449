//! Whether processes came to a steady state while they were measured.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The steadiness of one stack's processes during their visits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SteadyShare {
    /// The stack.
    pub stack: String,
    /// Visits with enough slices for the test.
    pub visits: usize,
    /// One level from the first slice that counts.
    pub flat: usize,
    /// Steady, after it had been slower.
    pub warmed_up: usize,
    /// Steady, after it had been faster.
    pub slowed_down: usize,
    /// Its last level holds for less than half of the visit.
    pub not_reached: usize,
    /// The scenario in which this is most frequent, if it occurs at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub most_in: Option<String>,
}

impl SteadyShare {
    /// The share of visits in which the process came to a steady state; none without a visit that is long
    /// enough.
    pub fn reached(&self) -> Option<f64> {
        (self.visits > 0).then(|| (self.visits - self.not_reached) as f64 / self.visits as f64)
    }
}
