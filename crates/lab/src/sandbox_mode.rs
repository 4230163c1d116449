//! When code runs in a sandbox: what is asked for.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// When builds and drivers run in a sandbox.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SandboxMode {
    /// Under CI, unless all stacks are those of the lab at released versions.
    #[default]
    Auto,
    /// Always; where none can be made, nothing runs.
    Require,
    /// Never.
    Off,
}

impl FromStr for SandboxMode {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "auto" => Ok(Self::Auto),
            "require" => Ok(Self::Require),
            "off" => Ok(Self::Off),
            _ => Err("write auto, require or off".to_owned()),
        }
    }
}
