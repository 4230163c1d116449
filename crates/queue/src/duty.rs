//! Duties and origins of runners.

use std::str::FromStr;

use serde::Serialize;

/// How a runner was registered.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Origin {
    /// The configuration, which also forgets it.
    Configuration,
    /// A command; it stays until a command removes it.
    Command,
    /// A service, for its own machine.
    Local,
}

/// The duty of a runner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Duty {
    /// Take jobs.
    Works,
    /// Take no more jobs; those that it has go on.
    Drains,
    /// Take no jobs, and give back those that it has.
    Paused,
    /// Take no jobs but those that show whether it can be trusted again.
    Quarantined,
}

macro_rules! names {
    ($type:ident: $($case:ident = $name:literal),* $(,)?) => {
        impl $type {
            /// Its name in JSON and in the database.
            pub fn name(self) -> &'static str {
                match self { $(Self::$case => $name),* }
            }
        }

        impl FromStr for $type {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($name => Ok(Self::$case),)*
                    other => Err(format!("\"{}\" is not one of: {}", other.escape_debug(), [$($name),*].join(", "))),
                }
            }
        }
    };
}

names!(Origin: Configuration = "configuration", Command = "command", Local = "local");
names!(Duty: Works = "works", Drains = "drains", Paused = "paused", Quarantined = "quarantined");
