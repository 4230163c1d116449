//! A failed build: a value that does not end other builds.

use std::fmt;
use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::stage::Stage;

/// Why a stack could not be built.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct BuildFailure {
    /// The stage that failed.
    pub stage: Stage,
    /// The cause, and the next step.
    pub reason: String,
    /// The full log, if anything was started.
    pub log: Option<PathBuf>,
    /// The last lines that the failing program wrote, 20 at most.
    pub last_lines: Vec<String>,
}

impl BuildFailure {
    /// A failure before anything was started.
    pub fn unlogged(stage: Stage, reason: impl fmt::Display) -> Self {
        Self { stage, reason: reason.to_string(), log: None, last_lines: Vec::new() }
    }
}

impl std::error::Error for BuildFailure {}

impl fmt::Display for BuildFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.stage, self.reason)?;
        if let Some(log) = &self.log {
            write!(f, "\n  log: {}", log.display())?;
        }
        self.last_lines.iter().try_for_each(|line| write!(f, "\n  | {line}"))
    }
}
