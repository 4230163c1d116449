//! Requests that build the newest revision of an upstream branch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Builds the newest revision of a branch with the lab's driver. If that fails, finds the revision that broke
/// it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BranchRequest {
    /// The stack without a source, optionally with variants.
    pub stack: String,
    /// The branch.
    pub branch: String,
    /// The repository; by default upstream's, as in the recipe.
    pub repository: Option<String>,
    /// A revision of the branch that builds, as a whole commit, if none is recorded yet.
    pub good: Option<String>,
}
