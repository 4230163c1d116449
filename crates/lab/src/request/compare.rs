//! Requests for comparisons.

use std::path::PathBuf;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Measure;
use tlslab_record::{Seconds, Share};

use super::{ANSWER_WITHIN, ArrangementChoice, Counter, SlicingRequest};

/// Measures pairs of stacks together and judges the changes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct CompareRequest {
    /// Baseline and candidate of each pair, optionally as `NAME=STACK`.
    pub pairs: Vec<(String, String)>,
    /// The suite whose scenarios are compared.
    pub suite: String,
    /// Patterns of scenarios, instead of a suite's; a pattern after `!` excludes.
    pub scenarios: Vec<String>,
    /// The metrics; time and instructions if none is named.
    pub metrics: Vec<Measure>,
    /// The instruction counter.
    pub counter: Option<Counter>,
    /// How to measure and decide.
    pub decision: Decision,
    /// A stack at a version that is timed in the same run, as a reference for the machine in a history of
    /// times; `project` is the one in `[run]` of `tlslab.toml`.
    pub canary: Option<String>,
    /// Whether to determine the functions that changed a count.
    pub functions: bool,
}

impl Default for CompareRequest {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            suite: "compare".to_owned(),
            scenarios: Vec::new(),
            metrics: Vec::new(),
            counter: None,
            decision: Decision::default(),
            canary: None,
            functions: true,
        }
    }
}

/// How to measure a comparison and to decide it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Decision {
    /// Time for measuring without confirmation, s; by default the policy's time for each timed cell.
    pub budget_s: Option<Seconds>,
    /// The order of slices.
    pub arrangement: ArrangementChoice,
    /// The floor for changes of time, a share, instead of the policy's floors.
    pub floor: Option<Share>,
    /// The negligible effect size, a share; by default the policy's.
    pub negligible: Option<Share>,
    /// Whether the code layout is fixed, as linked.
    pub fixed_layout: bool,
    /// How stacks take turns.
    pub slicing: SlicingRequest,
    /// The seed of every random order; by default a random one.
    pub seed: Option<u64>,
    /// The time limit of a driver's answer, s.
    pub timeout_s: Seconds,
}

impl Default for Decision {
    fn default() -> Self {
        Self {
            budget_s: None,
            arrangement: ArrangementChoice::Best,
            floor: None,
            negligible: None,
            fixed_layout: false,
            slicing: SlicingRequest::default(),
            seed: None,
            timeout_s: ANSWER_WITHIN,
        }
    }
}

/// Compares two recorded runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareRunsRequest {
    /// The identifier of the baseline's run.
    pub baseline: String,
    /// The identifier of the candidate's run.
    pub candidate: String,
}

/// Compares two folders with `icounts.csv`, `memory.csv` or `walltime.csv`. They are on the machine of the
/// sender: only for jobs of trust owner.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct CompareFoldersRequest {
    /// The baseline.
    pub baseline: PathBuf,
    /// The candidate.
    pub candidate: PathBuf,
    /// Rows that differ by a smaller share are collapsed; the policy's share if none is given.
    #[serde(default)]
    pub threshold: Option<Share>,
    /// Whether to compare the functions of rows that differ.
    #[serde(default = "yes")]
    pub functions: bool,
}

fn yes() -> bool {
    true
}

/// Finds the revision or the release that changed a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct BisectRequest {
    /// The stack without its version.
    pub stack: String,
    /// The library's repository, a folder: only for jobs of trust owner. Without one, releases are searched.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repository: Option<PathBuf>,
    /// A revision or release without the change.
    pub good: String,
    /// A revision or release with it.
    pub bad: String,
    /// The suite in which to find the cell with the largest change.
    #[serde(default = "compare")]
    pub suite: String,
    /// Patterns of scenarios, instead of a suite's.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// Instructions or time.
    #[serde(default = "count")]
    pub metric: Measure,
    /// Time for timing a scenario at each step, s.
    #[serde(default = "per_scenario_s")]
    pub per_scenario_s: Seconds,
    /// The time limit of a driver's answer, s.
    #[serde(default = "answer_within_s")]
    pub timeout_s: Seconds,
}

fn compare() -> String {
    "compare".to_owned()
}

fn count() -> Measure {
    Measure::Count
}

fn per_scenario_s() -> Seconds {
    Seconds::of(10.0)
}

fn answer_within_s() -> Seconds {
    ANSWER_WITHIN
}
