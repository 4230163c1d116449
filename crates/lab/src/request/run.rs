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
    /// The suite; by default the project's.
    pub suite: Option<String>,
    /// The stacks, each optionally as `NAME=STACK`; by default the suite's or the project's.
    pub stacks: Vec<String>,
    /// Every stack that has a recipe, in every version, besides the named ones.
    pub all_stacks: bool,
    /// Patterns of scenarios, instead of a suite's.
    pub scenarios: Vec<String>,
    /// Patterns over the run's scenarios: the scenarios of one pattern are measured together, in one visit,
    /// so that drift does not affect their ratios. The suite's if none is given.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub together: Vec<String>,
    /// Connections that arrive per second over loopback TCP, whether earlier ones are done or not: each
    /// scenario is measured at each of these rates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub rates: Vec<Rate>,
    /// How arrivals are distributed.
    #[serde(skip_serializing_if = "is_poisson")]
    pub arrivals: Arrivals,
    /// The metrics; the suite's, or time, if none is named.
    pub metrics: Vec<Measure>,
    /// The instruction counter.
    pub counter: Option<Counter>,
    /// Iterations of each scenario's count.
    pub count_iterations: Option<Iterations>,
    /// The parts of a processor to simulate.
    pub simulate: Vec<Simulation>,
    /// The number of seeds of the deterministic RNG.
    pub seeds: Option<Seeds>,
    /// Whether to count the functions of every row, if the suite has rows of instructions.
    pub functions: bool,
    /// Whether to measure each stack also after another program has used the processor.
    pub cold: bool,
    /// Time for measuring, s.
    pub budget_s: Option<Seconds>,
    /// Which server each client is paired with.
    pub pairing: Option<Pairing>,
    /// Rounds of new processes.
    pub rounds: Option<Rounds>,
    /// How stacks take turns.
    pub slicing: SlicingRequest,
    /// The seed of every random order; by default a random one.
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

/// Counts instructions of stacks, and measures nothing else.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CountRequest {
    /// The suite; by default the project's.
    pub suite: Option<String>,
    /// The stacks, each optionally as `NAME=STACK`.
    pub stacks: Vec<String>,
    /// Patterns of scenarios, instead of a suite's.
    pub scenarios: Vec<String>,
    /// The counter.
    pub counter: Option<Counter>,
    /// Iterations of each scenario's count.
    pub iterations: Option<Iterations>,
    /// The number of seeds of the deterministic RNG.
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
