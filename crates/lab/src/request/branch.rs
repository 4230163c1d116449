//! A request that builds the newest revision of an upstream branch.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Builds the newest revision of a branch with the lab's driver, and looks for the one that broke it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BranchRequest {
    /// The stack without a source, perhaps with variants.
    pub stack: String,
    /// The branch.
    pub branch: String,
    /// The repository; upstream's, as the recipe names it, if none is named.
    pub repository: Option<String>,
    /// A revision of the branch that builds, as a whole commit, if none is recorded yet.
    pub good: Option<String>,
}
