//! Who a built stack is. It goes into results.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::layouts::BuiltLayouts;

/// A stack that was built.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltStack {
    /// The program. All drivers of one cache have paths of one length.
    pub driver: PathBuf,
    /// SHA-256 of the program, hex.
    pub driver_digest: String,
    /// Its other layouts, where they were asked for.
    pub layouts: BuiltLayouts,
    /// Variables of the running driver.
    pub environment: BTreeMap<String, String>,
    /// Who it is.
    pub identity: StackIdentity,
}

/// Everything that says which build a result belongs to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
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
    /// The C compiler and what it builds for.
    pub compiler: String,
    /// The Rust compiler; of the kit alone, where the driver is in C.
    pub rustc: String,
    /// The profile of the Rust parts.
    pub profile: String,
}
