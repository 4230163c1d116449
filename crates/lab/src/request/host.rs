//! Requests about this host, published documents and builds.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Metric;

use tlslab_record::{Count, Seconds, Share};

use super::{ANSWER_WITHIN, Iterations, Rounds, SlicingRequest, Stacks, Trials};

/// The stack that validates the lab unless another is named: its code layout can be randomised.
const STACK: &str = "rustls/ring";
/// The suite of comparisons.
const SUITE: &str = "compare";

/// Measures this host's noise and the smallest detectable change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorRequest {
    /// The stack that is compared with itself.
    pub stack: String,
    /// The suite whose scenarios are measured.
    pub suite: String,
    /// Scenarios by pattern instead of a suite's.
    pub scenarios: Vec<String>,
    /// How long measuring may take, s.
    pub budget_s: Seconds,
    /// Budgets of one timed cell for which the smallest detectable change is computed, s.
    pub budgets_s: Vec<Seconds>,
}

impl Default for DoctorRequest {
    fn default() -> Self {
        Self {
            stack: STACK.to_owned(),
            suite: SUITE.to_owned(),
            scenarios: Vec::new(),
            budget_s: Seconds::of(60.0),
            budgets_s: vec![Seconds::of(2.0), Seconds::of(10.0), Seconds::of(60.0)],
        }
    }
}

/// Measures false alarms and power of comparisons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct ValidateRequest {
    /// The stack that is compared with itself.
    pub stack: String,
    /// The suite whose scenarios are compared.
    pub suite: String,
    /// Scenarios by pattern instead of a suite's.
    pub scenarios: Vec<String>,
    /// Time or count.
    pub metric: Metric,
    /// Comparisons of the very same program.
    pub same: Trials,
    /// Comparisons of the same source linked in other orders.
    pub twins: Trials,
    /// Comparisons for each difference that is not the code's work: one more allocation, a longer environment or path, more constants, an
    /// unused function, data in another order.
    pub nulls: Trials,
    /// Comparisons with a slowed twin, for each scenario and slow-down.
    pub slowed: Trials,
    /// The slow-downs, as shares.
    pub by: Vec<Share>,
    /// Pairs of fixed code layouts, which show how far layout alone moves times.
    pub layouts: Trials,
    /// Twins of which every round is measured, for replays.
    pub recordings: Trials,
    /// Jobs that are made of recorded rounds: so many in which nothing changed, and a tenth as many for each slow-down.
    pub replays: Trials,
    /// Jobs of made-up rounds for each kind of noise.
    pub simulated: Trials,
    /// How long each timed comparison takes for each scenario without confirmation, s.
    pub per_scenario_s: Seconds,
    /// Seeds of each count.
    pub seeds: Count<2, 100>,
    /// Iterations of each count.
    pub count_iterations: Iterations,
    /// How stacks take turns.
    pub slicing: SlicingRequest,
    /// The first seed of every random order.
    pub seed: u64,
    /// How long a driver may take over one answer, s.
    pub timeout_s: Seconds,
}

impl Default for ValidateRequest {
    fn default() -> Self {
        Self {
            stack: STACK.to_owned(),
            suite: SUITE.to_owned(),
            scenarios: Vec::new(),
            metric: Metric::Time,
            same: Count::of(10),
            twins: Count::of(10),
            nulls: Count::of(0),
            slowed: Count::of(5),
            by: [0.001, 0.005, 0.01, 0.02, 0.05].map(Share::of).to_vec(),
            layouts: Count::of(0),
            recordings: Count::of(0),
            replays: Count::of(0),
            simulated: Count::of(0),
            // As a comparison takes whose budget nobody gives: 10 s for each of two cells.
            per_scenario_s: Seconds::of(20.0),
            seeds: Count::of(5),
            count_iterations: Count::of(32),
            slicing: SlicingRequest::default(),
            seed: 1,
            timeout_s: ANSWER_WITHIN,
        }
    }
}

/// Measures how far times depend on the stacks measured beside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NeighboursRequest {
    /// The stacks; the project's own if none is named.
    pub stacks: Vec<String>,
    /// How many of the others each one is measured beside.
    pub others: Stacks,
    /// The suite whose scenarios are measured.
    pub suite: String,
    /// Scenarios by pattern instead of a suite's.
    pub scenarios: Vec<String>,
    /// Rounds of fresh processes.
    pub rounds: Rounds,
    /// How stacks take turns.
    pub slicing: SlicingRequest,
    /// The first seed of every random order.
    pub seed: u64,
    /// How long a driver may take over one answer, s.
    pub timeout_s: Seconds,
}

impl Default for NeighboursRequest {
    fn default() -> Self {
        Self {
            stacks: Vec::new(),
            others: Count::of(3),
            suite: "neighbours".to_owned(),
            scenarios: Vec::new(),
            rounds: Count::of(10),
            slicing: SlicingRequest::default(),
            seed: 1,
            timeout_s: ANSWER_WITHIN,
        }
    }
}

/// Reproduces a published document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ReproduceRequest {
    /// The document.
    pub document: String,
    /// Further stacks, in tables that have a column for each of theirs.
    #[serde(default)]
    pub stacks: Vec<String>,
    /// Whether it is measured as it was published.
    #[serde(default = "yes")]
    pub as_published: bool,
    /// Whether it is measured with the same work for all.
    #[serde(default = "yes")]
    pub fair: bool,
    /// A tenth of the time, in eight rounds.
    #[serde(default)]
    pub quick: bool,
    /// How long measuring times takes in all, s, in proportion over the parts; as long as the document says if nothing is said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget_s: Option<Seconds>,
    /// Whether parts that are timed wait until other processes leave the host alone, and are measured once more if it was busy
    /// meanwhile.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub quiet: bool,
    /// Measure again what was measured before.
    #[serde(default)]
    pub again: bool,
    /// How long a driver may take over one answer, s.
    #[serde(default = "answer_within_s")]
    pub timeout_s: Seconds,
}

fn yes() -> bool {
    true
}

fn answer_within_s() -> Seconds {
    ANSWER_WITHIN
}

/// Builds stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BuildRequest {
    /// The stacks; the project's own if none is named.
    pub stacks: Vec<String>,
    /// Every stack that has a recipe.
    pub all_stacks: bool,
    /// Only check that the programs these builds need are installed.
    pub check_tools: bool,
}
