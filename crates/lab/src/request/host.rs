//! Requests about this host, published documents and builds.

use serde::{Deserialize, Serialize};
use tlslab_protocol::Metric;

use super::{ANSWER_WITHIN_S, Results, SlicingRequest};

/// The stack that validates the lab unless another is named: its code layout can be randomised.
const STACK: &str = "rustls/ring";
/// The suite of comparisons.
const SUITE: &str = "compare";

/// Measures this host's noise and the smallest detectable change.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DoctorRequest {
    /// The stack that is compared with itself.
    pub stack: String,
    /// The suite whose scenarios are measured.
    pub suite: String,
    /// Scenarios by pattern instead of a suite's.
    pub scenarios: Vec<String>,
    /// How long measuring may take, s.
    #[serde(deserialize_with = "tlslab_record::seconds::read")]
    pub budget_s: f64,
    /// Budgets of one timed cell for which the smallest detectable change is computed, s.
    pub budgets_s: Vec<f64>,
}

impl Default for DoctorRequest {
    fn default() -> Self {
        Self {
            stack: STACK.to_owned(),
            suite: SUITE.to_owned(),
            scenarios: Vec::new(),
            budget_s: 60.0,
            budgets_s: vec![2.0, 10.0, 60.0],
        }
    }
}

/// Measures false alarms and power of comparisons.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    pub same: u32,
    /// Comparisons of the same source linked in other orders.
    pub twins: u32,
    /// Comparisons with a slowed twin, for each scenario and slow-down.
    pub slowed: u32,
    /// The slow-downs, as shares.
    pub by: Vec<f64>,
    /// How long each timed comparison takes for each scenario without confirmation, s.
    #[serde(deserialize_with = "tlslab_record::seconds::read")]
    pub per_scenario_s: f64,
    /// Seeds of each count.
    pub seeds: u64,
    /// Iterations of each count.
    pub count_iterations: u64,
    /// How stacks take turns.
    pub slicing: SlicingRequest,
    /// The first seed of every random order.
    pub seed: u64,
    /// How long a driver may take over one answer, s.
    #[serde(deserialize_with = "tlslab_record::seconds::read")]
    pub timeout_s: f64,
    /// Where jobs are recorded: the same request resumes.
    pub results: Results,
}

impl Default for ValidateRequest {
    fn default() -> Self {
        Self {
            stack: STACK.to_owned(),
            suite: SUITE.to_owned(),
            scenarios: Vec::new(),
            metric: Metric::Time,
            same: 10,
            twins: 10,
            slowed: 5,
            by: vec![0.001, 0.005, 0.01, 0.02, 0.05],
            per_scenario_s: 10.0,
            seeds: 5,
            count_iterations: 32,
            slicing: SlicingRequest::default(),
            seed: 1,
            timeout_s: ANSWER_WITHIN_S,
            results: Results::default(),
        }
    }
}

/// Measures how far times depend on the stacks measured beside them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct NeighboursRequest {
    /// The stacks; the project's own if none is named.
    pub stacks: Vec<String>,
    /// How many of the others each one is measured beside.
    pub others: usize,
    /// The suite whose scenarios are measured.
    pub suite: String,
    /// Scenarios by pattern instead of a suite's.
    pub scenarios: Vec<String>,
    /// Rounds of fresh processes.
    pub rounds: u32,
    /// How stacks take turns.
    pub slicing: SlicingRequest,
    /// The first seed of every random order.
    pub seed: u64,
    /// How long a driver may take over one answer, s.
    #[serde(deserialize_with = "tlslab_record::seconds::read")]
    pub timeout_s: f64,
    /// Where the result is kept for reports of this host.
    pub results: Results,
}

impl Default for NeighboursRequest {
    fn default() -> Self {
        Self {
            stacks: Vec::new(),
            others: 3,
            suite: "neighbours".to_owned(),
            scenarios: Vec::new(),
            rounds: 10,
            slicing: SlicingRequest::default(),
            seed: 1,
            timeout_s: ANSWER_WITHIN_S,
            results: Results::default(),
        }
    }
}

/// Reproduces a published document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
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
    /// Measure again what was measured before.
    #[serde(default)]
    pub again: bool,
    /// How long a driver may take over one answer, s.
    #[serde(default = "answer_within_s")]
    #[serde(deserialize_with = "tlslab_record::seconds::read")]
    pub timeout_s: f64,
    /// Where runs and pages are kept.
    #[serde(default)]
    pub results: Results,
}

fn yes() -> bool {
    true
}

fn answer_within_s() -> f64 {
    ANSWER_WITHIN_S
}

/// Builds stacks.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct BuildRequest {
    /// The stacks; the project's own if none is named.
    pub stacks: Vec<String>,
    /// Every stack that has a recipe.
    pub all: bool,
    /// Only check that the programs these builds need are installed.
    pub check_tools: bool,
}
