//! When code runs in a sandbox: by request, or by the variables of CI.

use std::path::PathBuf;
use std::str::FromStr;

use tlslab_lab::Isolation;

/// When builds and drivers run in a sandbox.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SandboxMode {
    /// Under CI, unless all stacks are those of the lab at released versions.
    Auto,
    /// Always; if no sandbox can be made, nothing runs.
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

/// The variables in which CI names the checkout of a job.
const CHECKOUTS: [&str; 8] = [
    "TLSLAB_CHECKOUT",
    "GITHUB_WORKSPACE",
    "CI_PROJECT_DIR",
    "WORKSPACE",
    "BUILD_SOURCESDIRECTORY",
    "CIRCLE_WORKING_DIRECTORY",
    "BITBUCKET_CLONE_DIR",
    "TRAVIS_BUILD_DIR",
];

impl SandboxMode {
    /// The same for the engine, which reads no variables.
    pub(crate) fn isolation(self) -> Isolation {
        let is_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty() && value != "false");
        match self {
            Self::Require => Isolation::Always,
            Self::Auto if is_ci => {
                let checkouts = CHECKOUTS.iter().filter_map(std::env::var_os);
                Isolation::UnlessReleased { proposals: checkouts.map(PathBuf::from).collect() }
            }
            Self::Auto | Self::Off => Isolation::Never,
        }
    }
}
