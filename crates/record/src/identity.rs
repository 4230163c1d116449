//! What a stack was built from.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Everything that says which build a result belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default)]
pub struct StackIdentity {
    /// The recipe's name.
    pub recipe: String,
    /// SHA-256 of the recipe's text, hex.
    pub recipe_digest: String,
    /// The library's licence, SPDX.
    pub licence: String,
    /// Where the library came from, for a person.
    pub source: String,
    /// What pins the source's content: a SHA-256 in hex, or the commit for git.
    pub source_digest: String,
    /// How the library and the driver were built: variables, commands, features, flags and pins, one each.
    pub flags: Vec<String>,
    /// SHA-256 of the lock file of a driver in Rust, hex: every package that is in it.
    pub lock_digest: Option<String>,
    /// The C compiler and its target.
    pub compiler: String,
    /// The Rust compiler; of the kit alone if the driver is in C.
    pub rustc: String,
    /// The profile of the Rust parts.
    pub profile: String,
    /// SHA-256 over the sources of the kit and of the driver, hex; nothing in runs of earlier versions of the lab.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub harness_digest: String,
}
