//! The stages from recipe to driver.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A stage from recipe to driver; all but the first leave a product in the cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Stage {
    /// The plan is made.
    Plan,
    /// The library's source is fetched and checked.
    Source,
    /// A C library is built and installed to a prefix.
    Prefix,
    /// The driver kit is built for drivers in C.
    Kit,
    /// The versions in a Rust driver's graph are settled.
    Versions,
    /// The driver is built.
    Driver,
    /// The library that counts a driver's allocations is built.
    Preload,
    /// The tool that counts a driver's instructions is built.
    Counter,
    /// The tool that counts native execution is installed.
    Frida,
}

impl Stage {
    /// All of them.
    pub const ALL: [Self; 9] = [
        Self::Plan,
        Self::Source,
        Self::Prefix,
        Self::Kit,
        Self::Versions,
        Self::Driver,
        Self::Preload,
        Self::Counter,
        Self::Frida,
    ];

    /// The stage in one word; its folder in the cache.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Plan => "plan",
            Self::Source => "source",
            Self::Prefix => "prefix",
            Self::Kit => "kit",
            Self::Versions => "versions",
            Self::Driver => "driver",
            Self::Preload => "preload",
            Self::Counter => "counter",
            Self::Frida => "frida",
        }
    }
}

impl fmt::Display for Stage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}
