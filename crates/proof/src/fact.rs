//! Facts and their sources.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A source of facts.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The bytes on the wire.
    Wire,
    /// The client's library.
    Client,
    /// The server's library.
    Server,
    /// The driver's own counting.
    Driver,
    /// The scenario, if it requires something that cannot be proven.
    Scenario,
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Source::Wire => "wire",
            Source::Client => "client",
            Source::Server => "server",
            Source::Driver => "driver",
            Source::Scenario => "scenario",
        })
    }
}

/// A fact with its sources, or the reason why no source shows it. A shown fact has at least one source.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Fact<T> {
    /// The sources agree on a value.
    Shown {
        /// The value.
        value: T,
        /// The sources that show it.
        sources: Vec<Source>,
    },
    /// Neither the wire nor a library shows it.
    NotShown {
        /// The reason.
        not_shown: String,
    },
}

impl<T> Fact<T> {
    /// The value, if it is shown.
    pub fn value(&self) -> Option<&T> {
        match self {
            Fact::Shown { value, .. } => Some(value),
            Fact::NotShown { .. } => None,
        }
    }

    /// The sources; empty if it is not shown.
    pub fn sources(&self) -> &[Source] {
        match self {
            Fact::Shown { sources, .. } => sources,
            Fact::NotShown { .. } => &[],
        }
    }
}
