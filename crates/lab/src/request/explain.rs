//! Requests about functions.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

use tlslab_record::{Count, Seconds};

use super::{ANSWER_WITHIN, COUNTED_ANSWER_WITHIN, Iterations, Profiler, Top};

/// How often functions are counted: libraries that do more at every 32nd use of a key do so once in it.
const ITERATIONS: Iterations = Count::of(32);
/// How many functions are shown.
const TOP: Top = Count::of(25);

/// How functions are counted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CountedFunctions {
    /// What counts; the lab's tool of valgrind if nothing is named.
    pub counter: Option<Profiler>,
    /// How often the work is counted.
    pub iterations: Iterations,
    /// How long the driver may take over one answer, s.
    pub timeout_s: Seconds,
}

impl Default for CountedFunctions {
    fn default() -> Self {
        Self { counter: None, iterations: ITERATIONS, timeout_s: COUNTED_ANSWER_WITHIN }
    }
}

/// Which functions are selected.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// One side; both, apart, if none is named.
    pub side: Option<Side>,
    /// One phase.
    pub phase: Option<String>,
    /// How many functions; the others are one sum.
    pub top: Top,
}

impl Default for Selection {
    fn default() -> Self {
        Self { side: None, phase: None, top: TOP }
    }
}

/// Counts the functions of a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ProfileRequest {
    /// The stack.
    pub stack: String,
    /// The scenario.
    pub scenario: String,
    /// How they are counted.
    #[serde(default)]
    pub counting: CountedFunctions,
    /// Which are selected.
    #[serde(default)]
    pub selection: Selection,
}

/// Notes what threads contend for in a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentionRequest {
    /// The stack.
    pub stack: String,
    /// The scenario.
    pub scenario: String,
    /// How many threads make connections in turn.
    #[serde(default = "two_threads")]
    pub threads: Threads,
    /// How many connections they make in all.
    #[serde(default = "connections")]
    pub connections: Iterations,
    /// How long the driver may take over one answer, s.
    #[serde(default = "answer_within")]
    pub timeout_s: Seconds,
}

/// Times threads of one process against as many processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScalingRequest {
    /// The stacks; those of `[run]` in `tlslab.toml` if none is named.
    #[serde(default)]
    pub stacks: Vec<String>,
    /// The scenario.
    pub scenario: String,
    /// How many threads, and how many processes.
    #[serde(default = "two_threads")]
    pub threads: Threads,
    /// How long each stack is timed, s.
    #[serde(default = "timed_for")]
    pub point_s: Seconds,
    /// How long a driver may take over one answer, s.
    #[serde(default = "answer_within")]
    pub timeout_s: Seconds,
}

fn timed_for() -> Seconds {
    Seconds::of(10.0)
}

/// Threads that take turns.
pub type Threads = Count<2, 64>;

fn two_threads() -> Threads {
    Count::of(2)
}

fn connections() -> Iterations {
    Count::of(8)
}

fn answer_within() -> Seconds {
    COUNTED_ANSWER_WITHIN
}

/// Where counted functions come from.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum FunctionSource {
    /// A stack, counted now.
    Stack {
        /// The stack.
        stack: String,
        /// The scenario.
        scenario: String,
    },
    /// A folder that a profile was kept in: for jobs of the owner's.
    Folder(PathBuf),
    /// A file in the format of callgrind: for jobs of the owner's.
    File(PathBuf),
}

/// Compares functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffRequest {
    /// The baseline.
    pub baseline: FunctionSource,
    /// The candidate.
    pub candidate: FunctionSource,
    /// How stacks are counted.
    #[serde(default)]
    pub counting: CountedFunctions,
    /// Which functions are selected.
    #[serde(default)]
    pub selection: Selection,
}

/// Compares what valgrind counts with what runs on the processor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FidelityRequest {
    /// The stack.
    pub stack: String,
    /// The suite whose scenarios are counted.
    #[serde(default = "fidelity")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// How often each scenario's work is counted.
    #[serde(default = "iterations")]
    pub iterations: Iterations,
    /// How long the timing may take, s.
    #[serde(default)]
    pub budget_s: Option<Seconds>,
    /// How long the driver may take over one answer, s; ten times as long where it is counted.
    #[serde(default = "answer_within_s")]
    pub timeout_s: Seconds,
}

fn fidelity() -> String {
    "fidelity".to_owned()
}

fn iterations() -> Iterations {
    ITERATIONS
}

fn answer_within_s() -> Seconds {
    ANSWER_WITHIN
}
