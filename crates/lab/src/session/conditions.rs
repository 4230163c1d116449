//! The conditions of a request: all parts of a job but the request, and those that only this machine knows.

use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_record::Policy;

use crate::session::job_id::JobId;

/// All parts of a job but the request.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The job's identifier, which is also that of its run.
    pub id: JobId,
    /// Whether a run of this identifier may exist.
    pub start: Start,
    /// How far sources are trusted.
    pub trust: Trust,
    /// Which code runs in a sandbox.
    pub isolation: Isolation,
    /// Every number that decisions depend on; the lab's own by default.
    pub policy: Option<Policy>,
    /// The command line of the request, for repetition; empty without a command.
    pub command: Vec<String>,
}

/// How far the sources and recipes of a job are trusted. Only this decides whether they run in a sandbox,
/// which cache has their products, and from which hosts they may be fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// A user's own work on their own machine: no sandbox, any source, including folders and files of this
    /// machine.
    Owner,
    /// The lab's own recipes at released versions, in a sandbox; all jobs may use their products.
    Reviewed,
    /// Untrusted code: in a sandbox, with its products in a separate cache if there is one.
    Candidate,
}

impl Trust {
    /// Its name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Owner => "owner",
            Self::Reviewed => "reviewed",
            Self::Candidate => "candidate",
        }
    }
}

impl FromStr for Trust {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known =
            [Self::Owner, Self::Reviewed, Self::Candidate].into_iter().find(|trust| trust.name() == text);
        known.ok_or_else(|| "write owner, reviewed or candidate".to_owned())
    }
}

/// Whether a run to resume exists.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// No run of this identifier exists.
    New,
    /// It continues: there must be an interrupted run.
    Resume,
    /// If there is one, it resumes.
    Either,
}

/// Which code runs in a sandbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// Everything; if no sandbox can be made, nothing runs.
    Always,
    /// None.
    Never,
    /// Everything, unless all stacks are the lab's at released versions and the lab is not in one of these
    /// folders, whose contents are proposals.
    UnlessReleased {
        /// The folders.
        proposals: Vec<PathBuf>,
    },
}

impl From<Trust> for Isolation {
    fn from(trust: Trust) -> Self {
        match trust {
            Trust::Owner => Self::Never,
            Trust::Reviewed | Trust::Candidate => Self::Always,
        }
    }
}

impl Conditions {
    /// The conditions of a user's own new request on their own machine.
    pub fn own() -> Self {
        let (trust, policy, command) = (Trust::Owner, None, Vec::new());
        Self { id: JobId::new(), start: Start::New, trust, isolation: trust.into(), policy, command }
    }
}

/// A run's name, and whether it may exist.
#[derive(Clone, Debug)]
pub struct RunName {
    /// The identifier.
    pub id: String,
    /// Whether it may exist.
    pub start: Start,
}

impl Conditions {
    /// The name of a job's only run: the job's own.
    pub fn own_run(&self) -> RunName {
        RunName { id: self.id.to_string(), start: self.start }
    }

    /// The name of one of several runs of a job, by its distinguishing part.
    pub fn part_run(&self, part: &impl Serialize) -> RunName {
        RunName { id: JobId::of(self.id.as_str(), part).to_string(), start: Start::Either }
    }
}
