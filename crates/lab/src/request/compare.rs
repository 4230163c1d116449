//! Requests that judge what changed.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use tlslab_protocol::Metric;
use tlslab_store::Address;

use super::{ANSWER_WITHIN_S, ArrangementChoice, Counter, Results, Resume, SlicingRequest};

/// Measures pairs of stacks together and judges what changed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CompareRequest {
    /// Baseline and candidate of each pair, each perhaps as `NAME=STACK`.
    pub pairs: Vec<(String, String)>,
    /// One pair more: a checkout against the commit where it left a branch.
    pub merge_base: Option<MergeBase>,
    /// The suite whose scenarios are compared.
    pub suite: String,
    /// Scenarios by pattern instead of a suite's.
    pub scenarios: Vec<String>,
    /// What is compared; time and instructions if nothing is named.
    pub metrics: Vec<Metric>,
    /// What counts instructions.
    pub counter: Option<Counter>,
    /// How it is measured and decided.
    pub decision: Decision,
    /// Whether the functions that changed a count are determined.
    pub functions: bool,
    /// Resume an interrupted comparison instead of planning one.
    pub resume: Option<Resume>,
    /// The database with the histories from which cells have their thresholds; that of the results if none is named.
    pub history: Option<Address>,
    /// Where the comparison is kept.
    pub results: Results,
}

impl Default for CompareRequest {
    fn default() -> Self {
        Self {
            pairs: Vec::new(),
            merge_base: None,
            suite: "compare".to_owned(),
            scenarios: Vec::new(),
            metrics: Vec::new(),
            counter: None,
            decision: Decision::default(),
            functions: true,
            resume: None,
            history: None,
            results: Results::default(),
        }
    }
}

/// A checkout and a branch.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MergeBase {
    /// The candidate, `STACK@path:DIR`.
    pub stack: String,
    /// The branch.
    pub branch: String,
}

/// How a comparison is measured and decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Decision {
    /// How long measuring may take without confirmation, s; the policy's time for each timed cell if nothing is given.
    #[serde(deserialize_with = "tlslab_record::seconds::read_option")]
    pub budget_s: Option<f64>,
    /// The order of slices.
    pub arrangement: ArrangementChoice,
    /// Changes of time below this share are none, instead of the policy's floors.
    pub floor: Option<f64>,
    /// The negligible effect size, a share, instead of the policy's.
    pub negligible: Option<f64>,
    /// Code layout as the linker makes it.
    pub fixed_layout: bool,
    /// How stacks take turns.
    pub slicing: SlicingRequest,
    /// The seed of every random order.
    pub seed: Option<u64>,
    /// How long a driver may take over one answer, s.
    #[serde(deserialize_with = "tlslab_record::seconds::read")]
    pub timeout_s: f64,
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
            timeout_s: ANSWER_WITHIN_S,
        }
    }
}

/// Compares two recorded runs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareRunsRequest {
    /// The baseline.
    pub baseline: RunPlace,
    /// The candidate.
    pub candidate: RunPlace,
    /// Where runs are kept that name no folder, and where the comparison's files are written.
    #[serde(default)]
    pub results: Results,
}

/// A recorded run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunPlace {
    /// Its name.
    pub run: String,
    /// The folder of its database, if that is not the request's.
    #[serde(default)]
    pub folder: Option<PathBuf>,
}

/// Compares two folders with `icounts.csv`, `memory.csv` or `walltime.csv`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CompareFoldersRequest {
    /// The baseline.
    pub baseline: PathBuf,
    /// The candidate.
    pub candidate: PathBuf,
    /// Rows that differ by a smaller share are folded; the policy's if none is given.
    #[serde(default)]
    pub threshold: Option<f64>,
    /// Whether the functions of rows that differ are compared.
    #[serde(default = "yes")]
    pub functions: bool,
}

fn yes() -> bool {
    true
}

/// Finds the revision that changed a cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BisectRequest {
    /// The stack without its version.
    pub stack: String,
    /// The library's repository.
    pub repository: PathBuf,
    /// A revision without the change.
    pub good: String,
    /// A revision with it.
    pub bad: String,
    /// The suite in which the cell with the largest change is searched.
    #[serde(default = "compare")]
    pub suite: String,
    /// Scenarios by pattern instead of a suite's.
    #[serde(default)]
    pub scenarios: Vec<String>,
    /// Count or time.
    #[serde(default = "count")]
    pub metric: Metric,
    /// How long a scenario is timed at each step, s.
    #[serde(default = "per_scenario_s")]
    #[serde(deserialize_with = "tlslab_record::seconds::read")]
    pub per_scenario_s: f64,
    /// How long a driver may take over one answer, s.
    #[serde(default = "answer_within_s")]
    #[serde(deserialize_with = "tlslab_record::seconds::read")]
    pub timeout_s: f64,
    /// Where steps are recorded: the same request resumes.
    #[serde(default)]
    pub results: Results,
}

fn compare() -> String {
    "compare".to_owned()
}

fn count() -> Metric {
    Metric::Count
}

fn per_scenario_s() -> f64 {
    10.0
}

fn answer_within_s() -> f64 {
    ANSWER_WITHIN_S
}
