//! What a check finds wrong, and what it is given besides the scenario.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::{BySide, Source};

/// A fact that is not what the scenario says.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct WrongFact {
    /// The fact's name.
    pub fact: String,
    /// What should have been seen.
    pub expected: String,
    /// What was seen instead.
    pub seen: String,
    /// Who shows it.
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

/// How long the certificates are that each side was given to show, bytes, its own first; empty where it is
/// not known.
pub type Chains = BySide<Vec<u64>>;
