//! Requests that explain results by functions.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

use tlslab_record::{Count, Seconds};

use super::{ANSWER_WITHIN, COUNTED_ANSWER_WITHIN, Iterations, Profiler, Top};

/// How often functions are counted: libraries that do more work at every 32nd use of a key do so once in it.
const ITERATIONS: Iterations = Count::of(32);
/// The default number of functions that are shown.
const TOP: Top = Count::of(25);

/// How to count functions.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CountedFunctions {
    /// The counter; the lab's tool of valgrind if none is named.
    pub counter: Option<Profiler>,
    /// Iterations of the count.
    pub iterations: Iterations,
    /// The time limit of the driver's answer, s.
    pub timeout_s: Seconds,
}

impl Default for CountedFunctions {
    fn default() -> Self {
        Self { counter: None, iterations: ITERATIONS, timeout_s: COUNTED_ANSWER_WITHIN }
    }
}

/// A selection of functions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Selection {
    /// One side; both, separately, if none is named.
    pub side: Option<Side>,
    /// One phase; by default all.
    pub phase: Option<String>,
    /// How many functions; the others are summed.
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
    /// How to count them.
    #[serde(default)]
    pub counting: CountedFunctions,
    /// The functions to show.
    #[serde(default)]
    pub selection: Selection,
}

/// Records contention of threads in a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ContentionRequest {
    /// The stack.
    pub stack: String,
    /// The scenario.
    pub scenario: String,
    /// The number of threads that make connections in turn.
    #[serde(default = "two_threads")]
    pub threads: Threads,
    /// How many connections they make in total.
    #[serde(default = "connections")]
    pub connections: Iterations,
    /// The time limit of the driver's answer, s.
    #[serde(default = "answer_within")]
    pub timeout_s: Seconds,
}

/// Compares the time of several threads in one process with that of as many processes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct ScalingRequest {
    /// The stacks; by default those of `[run]` in `tlslab.toml`.
    #[serde(default)]
    pub stacks: Vec<String>,
    /// The scenario.
    pub scenario: String,
    /// The number of threads, and of processes.
    #[serde(default = "two_threads")]
    pub threads: Threads,
    /// Time for timing each stack, s.
    #[serde(default = "timed_for")]
    pub point_s: Seconds,
    /// The time limit of a driver's answer, s.
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

/// The source of counted functions.
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
    /// A folder with a stored profile: only for jobs of trust owner.
    Folder(PathBuf),
    /// A file in callgrind's format: only for jobs of trust owner.
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
    /// How to count stacks.
    #[serde(default)]
    pub counting: CountedFunctions,
    /// The functions to show.
    #[serde(default)]
    pub selection: Selection,
}

/// Compares valgrind's counts with native execution.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FidelityRequest {
    /// The stack.
    pub stack: String,
    /// The suite whose scenarios are counted.
    #[serde(default = "fidelity")]
    pub suite: String,
    /// Patterns of scenarios, instead of a suite's.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// Iterations of each scenario's count.
    #[serde(default = "iterations")]
    pub iterations: Iterations,
    /// Time for timing, s.
    #[serde(default)]
    pub budget_s: Option<Seconds>,
    /// The time limit of the driver's answer, s; ten times as long under a counter.
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
