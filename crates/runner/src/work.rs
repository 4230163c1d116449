//! The work of a service's job.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use tlslab_queue::{Fault, State};

/// The work that a runner gets.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Work {
    /// Jobs of the engine, one after the other; the last one's outcome is the result.
    pub steps: Vec<Step>,
    /// Whether the runs are sent to the service, for its history.
    #[serde(default)]
    pub keeps_runs: bool,
    /// Origins from which sources may be fetched, besides those of the lab's own recipes.
    #[serde(default)]
    pub allowed_origins: Vec<String>,
    /// Addresses of repositories that git fetches with a credential, which the service provides during the
    /// lease.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub private: Vec<String>,
}

impl Work {
    /// These steps, whose runs are not kept, from public sources.
    pub fn of(steps: Vec<Step>) -> Self {
        Self { steps, keeps_runs: false, allowed_origins: Vec::new(), private: Vec::new() }
    }
}

/// One job of the engine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The job, as `tlslab work` reads it.
    pub job: Value,
    /// The cache of its products.
    pub cache: Cache,
    /// The state of the service's job while it builds.
    pub state: State,
    /// Whose fault it is if the step's own work fails: a build that does not compile, or a program that does
    /// not answer.
    pub fault: Fault,
    /// Whether it is a canary of the machine: its outcome is sent with the result, and without one the job
    /// continues.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_canary: bool,
}

/// The cache of a step's products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Cache {
    /// In the runner's cache, which all jobs read.
    Shared,
    /// In a cache of the job's own, which is deleted with it; the runner's is read.
    Own,
}
