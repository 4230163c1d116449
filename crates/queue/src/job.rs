//! Jobs in the queue, and a runner's actions on them.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::approval::Approval;
use crate::duty::Duty;
use crate::showing::NewCanary;
use crate::state::{Fault, State};
use crate::verdict::Verdict;

/// A job to be run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct NewJob {
    /// Its unique identifier.
    pub id: String,
    /// Its project; runners are shared fairly between projects.
    pub project: String,
    /// Its subject, for pages and messages.
    pub subject: Value,
    /// The work for a runner.
    pub body: Value,
    /// The labels that a runner must have.
    pub labels: Vec<String>,
    /// Whether it may only run in a sandbox.
    pub needs_sandbox: bool,
    /// Whether it measures time; jobs that do not may run at the same time as one that does.
    pub is_timed: bool,
    /// The only runner that may take it, if it is about that one.
    pub only_runner: Option<String>,
    /// Jobs of a larger number go first.
    pub priority: i64,
    /// A job with the same key is the same job, and is not added again.
    pub dedup: Option<String>,
    /// A newer job with the same text takes the place of this one.
    pub supersedes: Option<String>,
    /// The approval that it needs.
    pub approval: Approval,
    /// The commit whose status it decides, if it is of a proposed commit.
    pub head: Option<String>,
    /// How often it is tried if the lab or runners fail.
    pub most_attempts: u32,
    /// For how long it waits at least.
    pub delay_ms: u64,
    /// Whether it has its answer, `cause`, without running.
    pub is_answered: bool,
    /// Why it was added, for its first transition.
    pub cause: String,
}

/// A job in its present state.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct JobRow {
    /// Its number, which grows.
    pub key: i64,
    /// Its identifier.
    pub id: String,
    /// Its project.
    pub project: String,
    /// Its subject.
    pub subject: Value,
    /// The work for a runner.
    pub body: Value,
    /// The labels that a runner must have.
    pub labels: Vec<String>,
    /// Whether it may only run in a sandbox.
    pub needs_sandbox: bool,
    /// Whether it measures time.
    pub is_timed: bool,
    /// The only runner that may take it, if it is about that one.
    pub only_runner: Option<String>,
    /// Jobs of a larger number go first.
    pub priority: i64,
    /// The text by which newer jobs take its place.
    pub supersedes: Option<String>,
    /// The approval that it needs.
    pub approval: Approval,
    /// The commit whose status it decides.
    pub head: Option<String>,
    /// Its state.
    pub state: State,
    /// Why, in a sentence.
    pub reason: String,
    /// Who caused the failure, if it failed.
    pub fault: Option<Fault>,
    /// When it was added, milliseconds since 1970.
    pub created_unix_ms: u64,
    /// No runner gets it before.
    pub not_before_unix_ms: u64,
    /// When a runner last took it; 0 if none did.
    pub leased_unix_ms: u64,
    /// When it ended; 0 if it did not.
    pub ended_unix_ms: u64,
    /// Until when its runner has it; 0 if none has.
    pub lease_until_unix_ms: u64,
    /// The number of its newest lease.
    pub token: u64,
    /// How many attempts failed by the lab or a runner.
    pub attempts: u32,
    /// How many may.
    pub most_attempts: u32,
    /// Its runner, or its last one.
    pub runner: Option<String>,
    /// Which start of that runner.
    pub boot: Option<String>,
    /// In which of the runner's places: the first one, 0, is for jobs that measure time.
    pub slot: u32,
    /// Why it is to be cancelled, if it is.
    pub cancel: Option<String>,
    /// The job that takes its place.
    pub superseded_by: Option<String>,
    /// Its place among queued jobs with the same labels, from 1, if it is queued and was listed.
    pub position: Option<u64>,
    /// The conclusion of its comparison, if one was announced and the job was listed.
    pub verdict: Option<Verdict>,
}

/// A step of a job.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Transition {
    /// Its number, which grows.
    pub key: i64,
    /// When, milliseconds since 1970.
    pub at_unix_ms: u64,
    /// From which state; none for the first.
    pub from: Option<State>,
    /// To which.
    pub to: State,
    /// Why.
    pub cause: String,
    /// The number of the lease at that time.
    pub token: u64,
}

/// A runner that requests a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Taker {
    /// Its name.
    pub name: String,
    /// A new text at each start of it.
    pub boot: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// Whether its sandbox works.
    pub has_sandbox: bool,
    /// For which of its places; only the first one, 0, gets jobs that measure time.
    pub slot: u32,
    /// Facts that it reports of itself, recorded with the time.
    pub facts: Option<Value>,
}

/// A job that a runner has.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Leased {
    /// The job.
    pub job: String,
    /// The number of the lease.
    pub token: u64,
    /// For how long it has it without renewing, ms.
    pub lease_ms: u64,
    /// The work.
    pub body: Value,
}

/// The answer to a runner that requests a job.
#[derive(Clone, Debug, PartialEq)]
pub enum Taken {
    /// A job.
    Job(Box<Leased>),
    /// No job suits the runner.
    Nothing,
    /// No job, although some may suit it: the reason.
    Rest(String),
}

impl Taken {
    /// The job, if it is one.
    pub fn job(self) -> Option<Leased> {
        match self {
            Self::Job(leased) => Some(*leased),
            Self::Nothing | Self::Rest(_) => None,
        }
    }
}

/// The lease under which a runner writes to a job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hold {
    /// The job.
    pub job: String,
    /// The number of its lease.
    pub token: u64,
    /// The runner, identified by its key.
    #[serde(skip)]
    pub runner: String,
}

/// The instruction for a runner that renews its lease.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Renewed {
    /// Go on.
    Go,
    /// End the job.
    Cancel,
    /// Keep the measurements and return the job: the runner is to rest.
    GiveBack,
    /// End the job: it is no longer the runner's.
    Lost,
}

/// How a runner ends a job.
#[derive(Clone, Debug, PartialEq)]
pub struct Finish {
    /// `Reported`, `Cancelled`, `Failed`, or `Queued` for a job that is given back because its runner stops.
    pub state: State,
    /// Who caused the failure, if it failed.
    pub fault: Option<Fault>,
    /// Why, in a sentence.
    pub reason: String,
    /// The result.
    pub body: Vec<u8>,
    /// The result of the runner's canary in this job, if one was timed.
    pub canary: Option<NewCanary>,
    /// The runner's new duty, if it changes.
    pub duty: Option<(Duty, String)>,
}

/// The outcome.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Settled {
    /// It is the job's end, or the job waits for another attempt.
    Accepted,
    /// It was accepted before.
    AcceptedBefore,
    /// Another runner holds the lease: it does not count.
    Stale,
}
