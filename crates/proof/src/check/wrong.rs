//! Wrong facts, and further inputs of a check.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{BySide, Source};

/// A fact that differs from the scenario.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WrongFact {
    /// The fact's name.
    pub fact: String,
    /// The expected value.
    pub expected: String,
    /// The value that was seen.
    pub seen: String,
    /// The source that shows it.
    pub source: Source,
}

impl fmt::Display for WrongFact {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let shows = match self.source {
            Source::Wire => "the wire shows",
            Source::Client => "the client reports",
            Source::Server => "the server reports",
            Source::Driver => "the driver counted",
            Source::Scenario => "the scenario asks for",
        };
        write!(f, "{}: expected {}, {shows} {}", self.fact, self.expected, self.seen)
    }
}

/// The lengths of the certificates that each side was given, bytes, its own first; empty if unknown.
pub type Chains = BySide<Vec<u64>>;
