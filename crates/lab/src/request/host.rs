//! Requests about this host, and build requests.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_record::Seconds;

use super::{SUITE_OF_COMPARISONS, VALIDATED_STACK};

/// Measures this host's noise and the smallest detectable change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorRequest {
    /// The stack, which is compared with itself.
    pub stack: String,
    /// The suite whose scenarios are measured.
    pub suite: String,
    /// Patterns of scenarios, instead of a suite's.
    pub scenarios: Vec<String>,
    /// Time for measuring, s.
    pub budget_s: Seconds,
    /// Budgets of one timed cell for which to compute the smallest detectable change, s.
    pub budgets_s: Vec<Seconds>,
}

impl Default for DoctorRequest {
    fn default() -> Self {
        Self {
            stack: VALIDATED_STACK.to_owned(),
            suite: SUITE_OF_COMPARISONS.to_owned(),
            scenarios: Vec::new(),
            budget_s: Seconds::of(60.0),
            budgets_s: vec![Seconds::of(2.0), Seconds::of(10.0), Seconds::of(60.0)],
        }
    }
}

/// Builds stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BuildRequest {
    /// The stacks; by default the project's.
    pub stacks: Vec<String>,
    /// Whether to build every stack that has a recipe.
    pub all_stacks: bool,
    /// Whether to check only that the programs for these builds are installed.
    pub check_tools: bool,
}
