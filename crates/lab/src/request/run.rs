//! Requests that measure stacks.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::{Arrivals, Measure, Pairing};

use tlslab_record::Seconds;

use super::{ANSWER_WITHIN, Counter, Iterations, Rate, Rounds, Seeds, Simulation, SlicingRequest};

/// Measures stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct RunRequest {
    /// The suite; the project's own if none is named.
    pub suite: Option<String>,
    /// The stacks, each perhaps as `NAME=STACK`; the suite's or the project's if none is named.
    pub stacks: Vec<String>,
    /// Every stack that has a recipe, in every version, besides the named ones.
    pub all_stacks: bool,
    /// Scenarios by pattern instead of a suite's.
    pub scenarios: Vec<String>,
    /// Patterns over the run's scenarios: the scenarios of one pattern are measured together, in one visit,
    /// so that drift does not affect their ratios. The suite's if none is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<String>,
    /// Connections that arrive per second over loopback TCP, whether earlier ones are done or not: each
    /// scenario is measured at each of these rates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<Rate>,
    /// When they arrive.
    #[serde(skip_serializing_if = "is_poisson")]
    pub arrivals: Arrivals,
    /// The metrics; the suite's, or time, if none is named.
    pub metrics: Vec<Measure>,
    /// What counts instructions.
    pub counter: Option<Counter>,
    /// How often each scenario's work is counted.
    pub count_iterations: Option<Iterations>,
    /// What is simulated of a processor.
    pub simulate: Vec<Simulation>,
    /// How many seeds of the deterministic RNG are counted.
    pub seeds: Option<Seeds>,
    /// Also count the functions of every row of a suite that has rows of instructions.
    pub functions: bool,
    /// Also measure each stack after another program has used the processor.
    pub cold: bool,
    /// How long measuring may take, s.
    pub budget_s: Option<Seconds>,
    /// Which server each client is paired with.
    pub pairing: Option<Pairing>,
    /// Rounds of fresh processes.
    pub rounds: Option<Rounds>,
    /// How stacks take turns.
    pub slicing: SlicingRequest,
    /// The seed of every random order.
    pub seed: Option<u64>,
    /// The stack that ratios refer to.
    pub baseline: Option<String>,
    /// A stack at a version that is timed in the same run, as a reference for the machine in a history of
    /// times; `project` is the one in `[run]` of `tlslab.toml`.
    pub canary: Option<String>,
    /// The time limit of a driver's answer, s.
    pub timeout_s: Seconds,
}

fn is_poisson(arrivals: &Arrivals) -> bool {
    *arrivals == Arrivals::Poisson
}

impl Default for RunRequest {
    fn default() -> Self {
        Self {
            suite: None,
            stacks: Vec::new(),
            all_stacks: false,
            scenarios: Vec::new(),
            together: Vec::new(),
            rates: Vec::new(),
            arrivals: Arrivals::default(),
            metrics: Vec::new(),
            counter: None,
            count_iterations: None,
            simulate: Vec::new(),
            seeds: None,
            functions: false,
            cold: false,
            budget_s: None,
            pairing: None,
            rounds: None,
            slicing: SlicingRequest::default(),
            seed: None,
            baseline: None,
            canary: None,
            timeout_s: ANSWER_WITHIN,
        }
    }
}

/// Counts instructions of stacks and measures nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CountRequest {
    /// The suite; the project's own if none is named.
    pub suite: Option<String>,
    /// The stacks, each perhaps as `NAME=STACK`.
    pub stacks: Vec<String>,
    /// Scenarios by pattern instead of a suite's.
    pub scenarios: Vec<String>,
    /// The counter.
    pub counter: Option<Counter>,
    /// How often each scenario's work is counted.
    pub iterations: Option<Iterations>,
    /// How many seeds of the deterministic RNG are counted.
    pub seeds: Option<Seeds>,
}

impl From<CountRequest> for RunRequest {
    fn from(request: CountRequest) -> Self {
        let CountRequest { suite, stacks, scenarios, counter, iterations, seeds } = request;
        let metrics = vec![Measure::Count];
        Self {
            suite,
            stacks,
            scenarios,
            metrics,
            counter,
            count_iterations: iterations,
            seeds,
            ..Self::default()
        }
    }
}
