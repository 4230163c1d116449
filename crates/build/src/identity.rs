//! Identity of a built stack, recorded with results.

use std::collections::BTreeMap;
use std::path::PathBuf;

use tlslab_record::StackIdentity;

use crate::layouts::BuiltLayouts;

/// A built stack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BuiltStack {
    /// The program. All drivers of one cache have paths of one length.
    pub driver: PathBuf,
    /// SHA-256 of the program, hex.
    pub driver_digest: String,
    /// Its other layouts, if requested.
    pub layouts: BuiltLayouts,
    /// Variables of the running driver.
    pub environment: BTreeMap<String, String>,
    /// Its identity.
    pub identity: StackIdentity,
}
