//! The cost of a function.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A function's instructions in one iteration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FunctionCost {
    /// Its name.
    pub name: String,
    /// The part of the work that it belongs to. It is not kept with the figures, as rules may change.
    #[serde(skip)]
    pub part: String,
    /// Its own cost, without that of the functions it calls.
    pub own: f64,
    /// With all that it called.
    pub total: f64,
}

/// Whether a function matches: by its name, by the end of its path, or by its part of the work.
pub(crate) fn is_meant(cost: &FunctionCost, wanted: &str) -> bool {
    let is_end = |rest: &str| rest.is_empty() || rest.ends_with("::");
    cost.part == wanted || cost.name.strip_suffix(wanted).is_some_and(is_end)
}
