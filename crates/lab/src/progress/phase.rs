//! Phases of a job.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A part of a job, with its expected duration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Phase {
    /// Its name in progress lines.
    pub name: String,
    /// The expected time, s.
    pub about_s: f64,
    /// How many steps it has; `None` if it has a time instead.
    pub steps: Option<usize>,
    /// Whether all of its steps have been done on this host before.
    pub is_from_here: bool,
    /// Whether it happens only if a change is flagged.
    pub if_flagged: bool,
}

impl Phase {
    /// A phase with a given duration.
    pub fn timed(name: &str, about_s: f64) -> Self {
        Self { name: name.to_owned(), about_s, steps: None, is_from_here: true, if_flagged: false }
    }

    /// The same phase, only if a change is flagged.
    #[must_use]
    pub fn if_flagged(self) -> Self {
        Self { if_flagged: true, ..self }
    }
}
