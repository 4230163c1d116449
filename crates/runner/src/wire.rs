//! The messages between a runner and a service, as JSON over HTTP. A runner is identified only by its key.
//!
//! Both send their version of these, [`WIRE`]. It is increased when old and new versions would not understand
//! each other.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tlslab_queue::{Fault, Leased, Renewed, Settled, State};

/// The version of these messages.
pub const WIRE: u32 = 2;

/// The version of a sender without one.
const FIRST: u32 = 1;

fn first() -> u32 {
    FIRST
}

/// A runner has started: `POST /runner/v1/hello`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hello {
    /// A new text at each start.
    pub boot: String,
    /// The version of the message.
    #[serde(default = "first")]
    pub wire: u32,
    /// Its description of itself.
    #[serde(flatten)]
    pub facts: Facts,
}

/// A runner's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Facts {
    /// The lab's version.
    pub version: String,
    /// The host's name.
    pub host: String,
    /// The processor's architecture, such as `x86_64`.
    #[serde(default)]
    pub architecture: String,
    /// The class of its machine, as in histories: times of two machines of one class are comparable.
    #[serde(default)]
    pub class: String,
    /// How many jobs that measure no time it takes at the same time as one that does.
    #[serde(default)]
    pub places_for_counts: u32,
    /// Free space on the disk with the jobs' folders, bytes.
    #[serde(default)]
    pub free_bytes: Option<u64>,
    /// Why its sandbox does not work; `None` if it does.
    #[serde(default)]
    pub no_sandbox: Option<String>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Welcome {
    /// The runner's name, found by its key.
    pub name: String,
    /// For how long a lease lasts, ms.
    pub lease_ms: u64,
    /// The version of the message.
    #[serde(default = "first")]
    pub wire: u32,
    /// The lab's version.
    #[serde(default)]
    pub version: String,
}

/// Asks for a job: `POST /runner/v1/take`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Take {
    /// The same text as in `hello`.
    pub boot: String,
    /// Whether its sandbox works.
    pub has_sandbox: bool,
    /// For how long the service may wait for a job, s.
    pub wait_s: u32,
    /// The version of the message: the service may have changed since `hello`.
    #[serde(default = "first")]
    pub wire: u32,
    /// The place: the first one, 0, is for jobs that measure time.
    #[serde(default)]
    pub slot: u32,
    /// Free space on the disk with the jobs' folders, bytes.
    #[serde(default)]
    pub free_bytes: Option<u64>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Taken {
    /// The version of the message. Without it this is the answer of another version.
    pub wire: u32,
    /// The job, if there is one.
    pub lease: Option<Leased>,
    /// Why the runner gets none, even if jobs wait.
    pub rests: Option<String>,
}

/// Renews a lease: `POST /runner/v1/renew`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Renew {
    /// The job.
    pub job: String,
    /// The number of its lease.
    pub token: u64,
    /// Its progress.
    #[serde(default)]
    pub state: Option<State>,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Renewal {
    /// The order.
    pub answer: Renewed,
}

/// Events: `POST /runner/v1/events`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Events {
    /// The job.
    pub job: String,
    /// The number of its lease.
    pub token: u64,
    /// Events with their numbers.
    pub events: Vec<(u64, Value)>,
}

/// Ends a lease: `POST /runner/v1/finish`. Repeated until an answer arrives.
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
    /// The reason, in a sentence.
    pub reason: String,
    /// The last line of the last step's process, if there is one.
    #[serde(default)]
    pub ending: Option<Value>,
    /// The last line of the canary's process, if one was timed.
    #[serde(default)]
    pub canary: Option<Value>,
}

/// Asks for the credential of the job's private repositories: `POST /runner/v1/credential`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct AskCredential {
    /// The job.
    pub job: String,
    /// The number of its lease.
    pub token: u64,
}

/// The answer: the credential for the code host. It can only read these repositories.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Credential {
    /// The name that the code host expects.
    pub username: String,
    /// The token.
    pub password: String,
}

impl std::fmt::Debug for Credential {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Credential(not shown)")
    }
}

/// The received part of a job's runs: the answer to `GET` and `PUT /runner/v1/runs`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Received {
    /// Bytes from the beginning.
    pub bytes: u64,
    /// Whether the runs are part of the history.
    pub is_kept: bool,
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finished {
    /// The outcome.
    pub answer: Settled,
}
