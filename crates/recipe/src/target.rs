//! Processors for which a stack can be built, regardless of the building machine.

use schemars::JsonSchema;
use serde::Deserialize;

/// A processor with its system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Target {
    /// ARM with 64 bits, Linux with glibc.
    Aarch64,
}

impl Target {
    /// As Rust calls it.
    #[must_use]
    pub fn triple(self) -> &'static str {
        match self {
            Self::Aarch64 => "aarch64-unknown-linux-gnu",
        }
    }
}
