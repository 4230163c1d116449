//! What passes between a runner and a service, as JSON over HTTP. A runner is known by its key alone.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tlslab_queue::{Fault, Renewed, Settled, State};

/// A runner has started: `POST /runner/v1/hello`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// A new text at each start.
    pub boot: String,
    /// The lab's version.
    pub version: String,
    /// The host's name.
    pub host: String,
    /// Why its sandbox does not work; nothing if it does.
    #[serde(default)]
    pub no_sandbox: Option<String>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// The runner's name, by its key.
    pub name: String,
    /// For how long a lease lasts, ms.
    pub lease_ms: u64,
}

/// Asks for a job: `POST /runner/v1/take`. The answer is a lease, or nothing (status 204).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// The same text as in `hello`.
    pub boot: String,
    /// Whether its sandbox works.
    pub has_sandbox: bool,
    /// For how long the service may wait for a job, s.
    pub wait_s: u32,
}

/// Renews a lease: `POST /runner/v1/renew`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Renew {
    /// The job.
    pub job: String,
    /// The number of its lease.
    pub token: u64,
    /// How far it is.
    #[serde(default)]
    pub state: Option<State>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Renewal {
    /// What to do.
    pub answer: Renewed,
}

/// What happened: `POST /runner/v1/events`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Events {
    /// The job.
    pub job: String,
    /// The number of its lease.
    pub token: u64,
    /// Events with their numbers.
    pub events: Vec<(u64, Value)>,
}

/// Ends a lease: `POST /runner/v1/finish`. Sent until an answer comes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finish {
    /// The job.
    pub job: String,
    /// The number of its lease.
    pub token: u64,
    /// `reported`, `cancelled` or `failed`.
    pub state: State,
    /// Whose fault, if it failed.
    #[serde(default)]
    pub fault: Option<Fault>,
    /// Why, in a sentence.
    pub reason: String,
    /// The last line of the last step's process, if there is one.
    #[serde(default)]
    pub ending: Option<Value>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// What came of it.
    pub answer: Settled,
}
