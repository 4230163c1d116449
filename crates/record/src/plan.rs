//! A run's plan: everything that must stay the same when a run is resumed.

use serde::{Deserialize, Deserializer, Serialize};
use tlslab_host::Fingerprint;
use tlslab_protocol::{Measure, Pairing, Scenario, WarmUpRule, Work};

use crate::{
    BetweenRuns, BetweenRunsPolicy, CellCount, CellState, ComparisonPlan, CountPlan, CounterRecord, Fidelity,
    LayoutEffect, NeighbourEffect, Overhead, PairSample, PairState, Placement, Policy, RowPlan, Sample,
    Slicing, StackRecord, StackSize, Visit, VisitEstimator, Weight, tolerant,
};

/// What a run sets out to do.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The run's name: its start in UTC and a few random letters.
    pub id: String,
    /// When it began, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// The lab's version.
    pub lab_version: String,
    /// The command line that asked for it; empty if none did.
    pub command: Vec<String>,
    /// The request that asked for it, as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<serde_json::Value>,
    /// The suite's name, or `custom` when scenarios were given by pattern.
    pub suite: String,
    /// What decides every random order.
    pub seed: u64,
    /// How long measuring may take, s.
    #[serde(deserialize_with = "crate::seconds::read")]
    pub budget_s: f64,
    /// Rounds of fresh processes.
    pub rounds: u32,
    /// How long one slice is meant to take, ns.
    pub slice_ns: u64,
    /// How many slices a stack has in a row before it is another one's turn.
    #[serde(default = "one_slice")]
    pub slices: u32,
    /// What a stack does at the beginning of each turn before anything counts. Runs of earlier versions of
    /// the lab have no warm-up, and times that depend on the stacks that were measured beside them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUpRule>,
    /// Where memory lies in timed processes: [`Placement::Randomised`] draws it for each from the seed, the
    /// round and the stack.
    #[serde(default)]
    pub placement: Placement,
    /// What uses the processor before each turn, where cold figures are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evictor: Option<Evictor>,
    /// What a visit's slices become.
    #[serde(default)]
    pub estimator: VisitEstimator,
    /// The stack that ratios refer to.
    pub baseline: String,
    /// Every number that its decisions depend on; that of their time for runs of earlier versions of the lab.
    #[serde(default = "earlier_policy", deserialize_with = "recorded_policy")]
    pub policy: Policy,
    /// The host's fingerprint.
    #[serde(default, deserialize_with = "tolerant")]
    pub host: Fingerprint,
    /// What identifies the keys and certificates.
    pub pki_digest: String,
    /// The scenarios in the catalogue's order.
    pub scenarios: Vec<Scenario>,
    /// Scenarios whose slices are taken in one visit, as indices: a group each. All others have visits of
    /// their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Vec<usize>>,
    /// The stacks in the order in which they were asked for.
    pub stacks: Vec<StackRecord>,
    /// The sandbox in which drivers run, if they run in one: its programs and how it is made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// What is measured.
    #[serde(default = "time")]
    pub metrics: Vec<Measure>,
    /// The library that counts allocations, where memory is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preload: Option<Preload>,
    /// How instructions are counted, where they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counting: Option<CountPlan>,
    /// What notes contention, where it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contention: Option<CounterRecord>,
    /// How large each stack is, where that was asked for; the stacks that were built.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<StackSize>,
    /// Which server each client is paired with.
    #[serde(default)]
    pub pairing: Pairing,
    /// What its cells are called in files of their own, where its suite says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowPlan>,
    /// What is compared with what, where it is a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonPlan>,
    /// The stacks that are timed beside the others so that a history knows what the machine did, where there
    /// are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canaries: Option<crate::Canaries>,
}

impl Plan {
    /// Whether something is measured.
    pub fn has(&self, metric: Measure) -> bool {
        self.metrics.contains(&metric)
    }

    /// How long turns and slices are.
    pub fn slicing(&self) -> Slicing {
        Slicing { slice_ns: self.slice_ns, slices: self.slices, warm_up: self.warm_up }
    }

    /// Whether a scenario is to be tried on a stack: where there are rows, one of them has a figure of it.
    pub fn asks(&self, scenario: usize, stack: usize) -> bool {
        self.rows.as_ref().is_none_or(|rows| rows.asks(scenario, stack))
    }

    /// The scenarios that are visited with this one, itself among them; none where it has visits of its own.
    pub fn group_of(&self, scenario: usize) -> &[usize] {
        self.together.iter().find(|group| group.contains(&scenario)).map_or(&[], Vec::as_slice)
    }

    /// Whether a stack is only timed, for the history's sake.
    pub fn is_canary(&self, stack: usize) -> bool {
        self.canaries.as_ref().is_some_and(|canaries| canaries.has(stack))
    }

    /// The scenarios that are timed, as indices: an idle connection takes no time.
    pub fn timed(&self) -> impl Iterator<Item = usize> {
        let timed = |(index, scenario): (usize, &Scenario)| {
            (!matches!(scenario.work, Work::Idle { .. })).then_some(index)
        };
        let all = if self.has(Measure::Time) { &self.scenarios[..] } else { &[] };
        all.iter().enumerate().filter_map(timed)
    }
}

/// A program that uses the processor between two turns.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evictor {
    /// The program.
    pub program: String,
    /// The variables that it runs with.
    pub environment: std::collections::BTreeMap<String, String>,
    /// How much data it writes to, bytes.
    pub data_bytes: u64,
    /// How much code it runs through at least, bytes.
    pub code_bytes: u64,
}

impl Evictor {
    /// What it is, for a reader.
    pub fn title(&self) -> String {
        let kib = |bytes: u64| bytes / 1024;
        format!(
            "a program with {} KiB of data and {} KiB of code",
            kib(self.data_bytes),
            kib(self.code_bytes)
        )
    }
}

fn earlier_policy() -> Policy {
    Policy { between_runs: BetweenRunsPolicy::NONE, ..Policy::default() }
}

/// A policy as it was recorded: intervals of earlier runs contain nothing of what differs between runs.
fn recorded_policy<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Policy, D::Error> {
    let value = serde_json::Value::deserialize(deserializer)?;
    let says = value.get("between_runs").is_some();
    let policy: Policy = serde_json::from_value(value).map_err(serde::de::Error::custom)?;
    Ok(if says { policy } else { Policy { between_runs: BetweenRunsPolicy::NONE, ..policy } })
}

fn one_slice() -> u32 {
    1
}

fn time() -> Vec<Measure> {
    vec![Measure::Time]
}

/// A library that is loaded into drivers that are weighed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preload {
    /// Where it is.
    pub library: String,
    /// SHA-256 of it, hex.
    pub digest: String,
}

/// A run with all that has been recorded of it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The plan.
    pub plan: Plan,
    /// Whether everything that was planned has been measured.
    pub complete: bool,
    /// Time spent measuring, over all the run's sittings, s.
    pub measuring_s: f64,
    /// What disturbed the run, with what to do about it, one sentence each.
    pub warnings: Vec<String>,
    /// Every cell of scenario × stack, as far as it was decided.
    pub cells: Vec<CellState>,
    /// What measuring cost, per stack and process.
    pub overheads: Vec<Overhead>,
    /// Every visit, complete or cut short.
    pub visits: Vec<Visit>,
    /// Every sample.
    pub samples: Vec<Sample>,
    /// Every weighing.
    #[serde(default)]
    pub weights: Vec<Weight>,
    /// Every count.
    #[serde(default)]
    pub counts: Vec<CellCount>,
    /// What is known of how far an emulator's counts are of the code that runs. It is kept beside the runs.
    #[serde(default)]
    pub fidelity: Vec<Fidelity>,
    /// How far times depend on neighbours, as far as that was measured. It is kept beside the runs.
    #[serde(default)]
    pub neighbours: Vec<NeighbourEffect>,
    /// How far code layout alone moves times, as far as that was measured. It is kept beside the runs.
    #[serde(default)]
    pub layouts: Vec<LayoutEffect>,
    /// How far runs differ on this kind of host, as far as that was measured. It is kept beside the runs.
    #[serde(default)]
    pub between_runs: Vec<BetweenRuns>,
    /// Every pair of client and server, as far as it was decided; none without cross pairing.
    #[serde(default)]
    pub pairs: Vec<PairState>,
    /// Every sample of a pair.
    #[serde(default)]
    pub pair_samples: Vec<PairSample>,
}
