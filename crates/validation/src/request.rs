//! Requests of validations.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_lab::request::{
    ANSWER_WITHIN, Iterations, Rounds, SUITE_OF_COMPARISONS, SlicingRequest, Stacks, Trials, VALIDATED_STACK,
};
use tlslab_protocol::Measure;
use tlslab_record::{Count, Seconds, Share};

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
    pub metric: Measure,
    /// Comparisons of the very same program.
    pub same: Trials,
    /// Comparisons of the same source linked in other orders.
    pub twins: Trials,
    /// Comparisons for each difference that is not the code's work: one more allocation, a longer environment
    /// or path, more constants, an unused function, data in another order.
    pub nulls: Trials,
    /// Comparisons with a slowed twin, for each scenario and slow-down.
    pub slowed: Trials,
    /// The slow-downs, as shares.
    pub by: Vec<Share>,
    /// Pairs of fixed code layouts, which show the effect of layout alone on times.
    pub layouts: Trials,
    /// Twins with every round measured, for replays.
    pub recordings: Trials,
    /// Jobs made of recorded rounds: so many without a change, and a tenth as many for each slow-down.
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
            stack: VALIDATED_STACK.to_owned(),
            suite: SUITE_OF_COMPARISONS.to_owned(),
            scenarios: Vec::new(),
            metric: Measure::Time,
            same: Count::of(10),
            twins: Count::of(10),
            nulls: Count::of(0),
            slowed: Count::of(5),
            by: [0.001, 0.005, 0.01, 0.02, 0.05].map(Share::of).to_vec(),
            layouts: Count::of(0),
            recordings: Count::of(0),
            replays: Count::of(0),
            simulated: Count::of(0),
            // The default budget of a comparison: 10 s for each of two cells.
            per_scenario_s: Seconds::of(20.0),
            seeds: Count::of(5),
            count_iterations: Count::of(32),
            slicing: SlicingRequest::default(),
            seed: 1,
            timeout_s: ANSWER_WITHIN,
        }
    }
}

/// Measures how far times depend on a stack's neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct NeighboursRequest {
    /// The stacks; the project's own if none is named.
    pub stacks: Vec<String>,
    /// The number of neighbours of each.
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
