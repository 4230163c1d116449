//! A run, its stacks and its scenarios.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use tlslab_protocol::{Capabilities, Library, Measure, WarmUpRule};
use tlslab_record::{Placement, Policy, ProvenFacts, StackIdentity};

use super::{Between, Family};

/// The run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Run {
    /// Its name.
    pub id: String,
    /// When it began, UTC, RFC 3339.
    pub started: String,
    /// The lab's version.
    pub lab_version: String,
    /// Its command line.
    pub command: Vec<String>,
    /// The suite's name, or `custom`.
    pub suite: String,
    /// The seed of every random order.
    pub seed: u64,
    /// How long measuring was allowed to take, s.
    pub budget_s: f64,
    /// How long it took, s.
    pub measuring_s: f64,
    /// Rounds of fresh processes.
    pub rounds: u32,
    /// The target length of a slice, ns.
    pub slice_ns: u64,
    /// How many slices a stack had in a row.
    #[serde(default = "one")]
    pub slices: u32,
    /// The warm-up of a stack at the beginning of each turn; none in runs of earlier versions.
    #[serde(default)]
    pub warm_up: Option<WarmUpRule>,
    /// Where memory lay in timed processes; fixed in runs of earlier versions.
    #[serde(default, skip_serializing_if = "Placement::is_fixed")]
    pub placement: Placement,
    /// The program that used the processor before each turn, if one was requested.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evicted_by: Option<String>,
    /// The stack that ratios refer to.
    pub baseline: String,
    /// Every number that decisions depended on.
    #[serde(default)]
    pub policy: Policy,
    /// The effect of code layout alone on ratios of each family on this runner class, as a share; for the
    /// families for which it was measured.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub layout_floors: BTreeMap<String, f64>,
    /// The differences between runs that intervals contain; none in runs of earlier versions.
    #[serde(default)]
    pub between_runs: Between,
    /// The digest of keys and certificates.
    pub pki_digest: String,
    /// Whether everything that was planned was measured.
    pub complete: bool,
    /// Visits that came to their end; only their samples are estimated from.
    pub complete_visits: usize,
    /// Visits that were cut short.
    pub cut_short_visits: usize,
    /// Samples of complete visits.
    pub samples: usize,
    /// The metrics.
    #[serde(default = "time")]
    pub metrics: Vec<Measure>,
    /// The counter of instructions; none if nothing was counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counter: Option<Counter>,
}

/// A counter of instructions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Counter {
    /// Its name and version.
    pub name: String,
    /// Whether it counted the code that runs on the host: only then are stacks compared.
    pub native: bool,
    /// Features of the processor that each stack's code saw while it was counted.
    pub features: BTreeMap<String, Vec<String>>,
}

fn one() -> u32 {
    1
}

fn time() -> Vec<Measure> {
    vec![Measure::Time]
}

/// A resolved scenario and its family.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Scenario {
    /// Its family.
    pub family: Family,
    /// Its parameters.
    #[serde(flatten)]
    pub resolved: tlslab_protocol::Scenario,
}

impl Scenario {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.resolved.name
    }
}

/// A stack as it took part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Stack {
    /// Its requested name.
    pub name: String,
    /// The recipe's title.
    pub title: String,
    /// Its licence, SPDX.
    pub licence: String,
    /// Source, flags, compiler and digests.
    pub identity: Option<StackIdentity>,
    /// Where the driver program was.
    pub driver: String,
    /// SHA-256 of the driver program, hex.
    pub driver_digest: String,
    /// Whether it took part.
    #[serde(flatten)]
    pub state: StackState,
    /// Notes for comparisons of this stack with others.
    pub notes: Vec<String>,
}

impl Stack {
    /// Its library's name and version as the library reports them.
    pub fn library(&self) -> Option<&Library> {
        match &self.state {
            StackState::Ready { library, .. } => Some(library),
            StackState::Failed { .. } => None,
        }
    }

    /// Why it did not take part.
    pub fn failure(&self) -> Option<&str> {
        match &self.state {
            StackState::Ready { .. } => None,
            StackState::Failed { failed } => Some(failed),
        }
    }
}

/// Whether a stack took part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum StackState {
    /// Its driver answered.
    Ready {
        /// The library as it reports itself.
        library: Library,
        /// Its capabilities, and the reasons for the missing ones.
        capabilities: Box<Capabilities>,
    },
    /// It was not built, or its driver did not answer.
    Failed {
        /// Why.
        failed: String,
    },
}

/// The proof of one scenario on one stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Proof {
    /// The scenario's name.
    pub scenario: String,
    /// The stack's name.
    pub stack: String,
    /// Observations of the connection, with their sources.
    #[schemars(with = "Value")]
    pub facts: ProvenFacts,
    /// The faults that were tried, and how each ended.
    pub faults: Vec<Fault>,
}

/// A fault that was put on the wire or into the credentials.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Fault {
    /// Its name.
    pub name: String,
    /// How the connection ended.
    pub outcome: String,
}
