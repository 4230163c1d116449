//! Under which conditions a request is carried out: all of a job but what is asked for, and what only this
//! machine knows.

use std::path::PathBuf;
use std::str::FromStr;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_record::Policy;

use crate::session::job_id::JobId;

/// All of a job but what is asked for.
#[derive(Clone, Debug)]
pub struct Conditions {
    /// The job's identifier, which its run has, too.
    pub id: JobId,
    /// Whether a run of this identifier is there already.
    pub start: Start,
    /// How far sources are trusted.
    pub trust: Trust,
    /// What runs in a sandbox.
    pub isolation: Isolation,
    /// Every number that decisions depend on; the lab's own if there is none.
    pub policy: Option<Policy>,
    /// The command line that was asked with, for whoever repeats it; empty if there was none.
    pub command: Vec<String>,
}

/// How far the sources and the recipes of a job are trusted. It alone decides whether they run in a sandbox,
/// in which cache their products are written, and from which hosts they may be fetched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Trust {
    /// A user's own work on their own machine: no sandbox, any source, also folders and files of this
    /// machine.
    Owner,
    /// The lab's own recipes at released versions, in a sandbox; their products are everybody's.
    Reviewed,
    /// Anybody's code: in a sandbox, with products in a cache of its own where there is one.
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

/// Whether there is something to go on with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Start {
    /// Nothing of this identifier is there.
    New,
    /// There must be an interrupted run.
    Resume,
    /// If there is one, it goes on.
    Either,
}

/// What runs in a sandbox.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Isolation {
    /// Everything; where no sandbox can be made, nothing runs.
    Always,
    /// Nothing.
    Never,
    /// Everything, unless all stacks are those of the lab at released versions and the lab itself lies in
    /// none of these folders, whose contents somebody proposes.
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
    /// Those of a user's own new request on their own machine.
    pub fn own() -> Self {
        let (trust, policy, command) = (Trust::Owner, None, Vec::new());
        Self { id: JobId::new(), start: Start::New, trust, isolation: trust.into(), policy, command }
    }
}

/// A run's name, and whether it may be there already.
#[derive(Clone, Debug)]
pub struct RunName {
    /// The name.
    pub id: String,
    /// Whether it may be there already.
    pub start: Start,
}

impl Conditions {
    /// The run of a job that has one: its name is the job's.
    pub fn own_run(&self) -> RunName {
        RunName { id: self.id.to_string(), start: self.start }
    }

    /// One of the runs of a job that has several, by what tells it from the others.
    pub fn part_run(&self, part: &impl Serialize) -> RunName {
        RunName { id: JobId::of(self.id.as_str(), part).to_string(), start: Start::Either }
    }
}
