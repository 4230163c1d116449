//! A run's plan: everything that must stay the same when a run is resumed.

use serde::{Deserialize, Deserializer, Serialize};
use tlslab_host::Fingerprint;
use tlslab_protocol::{Measure, Pairing, Scenario, WarmUpRule, Work};

use crate::{
    BetweenRuns, BetweenRunsPolicy, CellCount, CellState, ComparisonPlan, CountPlan, CounterRecord, Fidelity,
    LayoutEffect, NeighbourEffect, Overhead, PairSample, PairState, Placement, Policy, RowPlan, Sample,
    Slicing, StackRecord, StackSize, Visit, VisitEstimator, Weight, tolerant,
};

/// The plan of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plan {
    /// The run's name: its start in UTC and a few random letters.
    pub id: String,
    /// When it began, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// The lab's version.
    pub lab_version: String,
    /// The command line of the request; empty without a command.
    pub command: Vec<String>,
    /// The request, as data.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request: Option<serde_json::Value>,
    /// The suite's name, or `custom` when scenarios were given by pattern.
    pub suite: String,
    /// The seed of every random order.
    pub seed: u64,
    /// How long measuring may take, s.
    #[serde(deserialize_with = "crate::seconds::read")]
    pub budget_s: f64,
    /// Rounds of fresh processes.
    pub rounds: u32,
    /// The target length of one slice, ns.
    pub slice_ns: u64,
    /// The number of slices in a stack's turn.
    #[serde(default = "one_slice")]
    pub slices: u32,
    /// The warm-up at the beginning of each turn. Runs of earlier versions of the lab have none, and their
    /// times depend on the other stacks of the run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub warm_up: Option<WarmUpRule>,
    /// The memory placement of timed processes: [`Placement::Randomised`] draws it for each from the seed,
    /// the round and the stack.
    #[serde(default)]
    pub placement: Placement,
    /// The evictor before each turn, if cold figures are measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evictor: Option<Evictor>,
    /// The statistics made from a visit's slices.
    #[serde(default)]
    pub estimator: VisitEstimator,
    /// The stack that ratios refer to.
    pub baseline: String,
    /// Every number on which its decisions depend; for runs of earlier versions of the lab, those of that
    /// time.
    #[serde(default = "earlier_policy", deserialize_with = "recorded_policy")]
    pub policy: Policy,
    /// The host's fingerprint.
    #[serde(default, deserialize_with = "tolerant")]
    pub host: Fingerprint,
    /// The identity of the keys and certificates.
    pub pki_digest: String,
    /// The scenarios in the catalogue's order.
    pub scenarios: Vec<Scenario>,
    /// Scenarios that are measured in one visit, as indices: a list per group. All others have visits of
    /// their own.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<Vec<usize>>,
    /// The stacks, in the order of the request.
    pub stacks: Vec<StackRecord>,
    /// The sandbox of the drivers, if any: its programs and options.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<String>,
    /// The metrics.
    #[serde(default = "time")]
    pub metrics: Vec<Measure>,
    /// The library that counts allocations, if memory is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub preload: Option<Preload>,
    /// How instructions are counted, if they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub counting: Option<CountPlan>,
    /// The recorder of contention, if it is measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contention: Option<CounterRecord>,
    /// The size of each built stack, if requested.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub sizes: Vec<StackSize>,
    /// Which server each client is paired with.
    #[serde(default)]
    pub pairing: Pairing,
    /// The names of its cells in files of rows, if its suite defines them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rows: Option<RowPlan>,
    /// The pairs and rules, if it is a comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comparison: Option<ComparisonPlan>,
    /// The stacks that are timed only as a reference for the machine in a history, if any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub canaries: Option<crate::Canaries>,
}

impl Plan {
    /// Whether a metric is measured.
    pub fn has(&self, metric: Measure) -> bool {
        self.metrics.contains(&metric)
    }

    /// The lengths of turns and slices.
    pub fn slicing(&self) -> Slicing {
        Slicing { slice_ns: self.slice_ns, slices: self.slices, warm_up: self.warm_up }
    }

    /// Whether a scenario is to be tried on a stack: if there are rows, one of them uses it.
    pub fn asks(&self, scenario: usize, stack: usize) -> bool {
        self.rows.as_ref().is_none_or(|rows| rows.asks(scenario, stack))
    }

    /// The scenarios that are visited with this one, including itself; empty if it has visits of its own.
    pub fn group_of(&self, scenario: usize) -> &[usize] {
        self.together.iter().find(|group| group.contains(&scenario)).map_or(&[], Vec::as_slice)
    }

    /// Whether a stack is only timed, for the history.
    pub fn is_canary(&self, stack: usize) -> bool {
        self.canaries.as_ref().is_some_and(|canaries| canaries.has(stack))
    }

    /// The scenarios that are timed, as indices: idle connections are not.
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
    /// Its variables.
    pub environment: std::collections::BTreeMap<String, String>,
    /// How much data it writes to, bytes.
    pub data_bytes: u64,
    /// The least code that it runs through, bytes.
    pub code_bytes: u64,
}

impl Evictor {
    /// Its description for readers.
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

/// A policy as it was recorded: intervals of earlier runs do not contain variation between runs.
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

/// A library that is preloaded into drivers whose memory is measured.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Preload {
    /// Its path.
    pub library: String,
    /// Its SHA-256, hex.
    pub digest: String,
}

/// A run with all of its records.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunRecord {
    /// The plan.
    pub plan: Plan,
    /// Whether everything planned has been measured.
    pub complete: bool,
    /// Time spent measuring, over all the run's sittings, s.
    pub measuring_s: f64,
    /// Disturbances of the run, with remedies, one sentence each.
    pub warnings: Vec<String>,
    /// Every decided cell of scenario × stack.
    pub cells: Vec<CellState>,
    /// Harness overhead, per stack and process.
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
    /// How far an emulator's counts are those of native execution, if measured. It is stored next to the
    /// runs.
    #[serde(default)]
    pub fidelity: Vec<Fidelity>,
    /// How far times depend on neighbours, if measured. It is stored next to the runs.
    #[serde(default)]
    pub neighbours: Vec<NeighbourEffect>,
    /// How far code layout alone moves times, if measured. It is stored next to the runs.
    #[serde(default)]
    pub layouts: Vec<LayoutEffect>,
    /// How far runs differ on this kind of host, if measured. It is stored next to the runs.
    #[serde(default)]
    pub between_runs: Vec<BetweenRuns>,
    /// Every decided pair of client and server; empty without cross pairing.
    #[serde(default)]
    pub pairs: Vec<PairState>,
    /// Every sample of a pair.
    #[serde(default)]
    pub pair_samples: Vec<PairSample>,
}
