//! Figures: the values of runs, as history keeps them.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The key of one line of a history: values of different runs are comparable within it and an epoch.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Series {
    /// The scenario's name.
    pub scenario: String,
    /// The recipe's name with its variants, without any version: a series contains all versions.
    pub stack: String,
    /// `client`, `server` or `both`; empty without sides.
    pub side: String,
    /// The metric.
    pub metric: String,
    /// The unit of its values.
    pub unit: String,
    /// The class of the machine.
    pub class: String,
}

impl Series {
    /// Whether its values are counts, which are the same whenever the same program does the same work. The
    /// resident set is not: the kernel decides its contents. `memory` is other programs' name for it.
    pub fn is_counted(&self) -> bool {
        let is_exact =
            matches!(&*self.unit, "instructions" | "bytes" | "blocks" | "accesses" | "operations" | "misses")
                || self.has_no_floor();
        is_exact && !["idle.resident", "memory"].iter().any(|start| self.metric.starts_with(start))
    }

    /// Whether any difference is a step: of what is sent, and of what is asked of the kernel.
    pub fn has_no_floor(&self) -> bool {
        ["wire.", "kernel."].iter().any(|start| self.metric.starts_with(start))
    }
}

impl fmt::Display for Series {
    /// `SCENARIO | STACK | SIDE | METRIC [UNIT] | CLASS`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { scenario, stack, side, metric, unit, class } = self;
        let side = if side.is_empty() { "–" } else { side };
        write!(f, "{scenario} | {stack} | {side} | {metric} [{unit}] | {class}")
    }
}

/// One value of one run, or why it is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// Its series.
    pub series: Series,
    /// The stack as the run names it.
    pub stack: String,
    /// The stack's place in the run: two versions of a series may be in one run.
    pub place: u32,
    /// The stack's version or revision.
    pub label: String,
    /// The other conditions of comparable values: `kernel …; microcode …; …`.
    pub epoch: String,
    /// The outcome.
    pub outcome: FigureOutcome,
}

/// A value, or why it is missing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum FigureOutcome {
    /// It was measured.
    Value(FigureValue),
    /// The stack does not support it.
    Unsupported {
        /// The reason.
        unsupported: String,
    },
    /// It failed.
    Failed {
        /// The reason.
        failed: String,
    },
}

/// A value with its bounds.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FigureValue {
    /// The value, in the series' unit.
    pub value: f64,
    /// The lower bound of its interval, or the smallest observation of an exact figure.
    pub lower: Option<f64>,
    /// The upper bound, or the largest observation.
    pub upper: Option<f64>,
    /// The number of observations.
    pub n: u64,
}

impl FigureOutcome {
    /// The value, if there is one.
    pub fn value(&self) -> Option<&FigureValue> {
        match self {
            Self::Value(value) => Some(value),
            _ => None,
        }
    }

    /// Why there is no value, after `unsupported` or `failed`.
    pub fn hole(&self) -> Option<(&'static str, &str)> {
        match self {
            Self::Value(_) => None,
            Self::Unsupported { unsupported } => Some(("unsupported", unsupported)),
            Self::Failed { failed } => Some(("failed", failed)),
        }
    }
}

/// One point of a series: a figure with its run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// The run.
    pub run: String,
    /// When it began, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// The stack as the run names it.
    pub stack: String,
    /// The stack's place in the run.
    pub place: u32,
    /// The stack's version or revision.
    pub label: String,
    /// The other conditions of comparable points.
    pub epoch: String,
    /// The outcome.
    pub outcome: FigureOutcome,
}

/// A user's note about a version of a stack: `fix of CVE-2026-1`, `another compiler`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Annotation {
    /// The stack's name in series.
    pub stack: String,
    /// The version or revision, as points have it.
    pub label: String,
    /// A pattern for scenarios; empty for all.
    pub scenario: String,
    /// The text.
    pub text: String,
    /// When it was written, milliseconds since 1970.
    pub noted_unix_ms: u64,
}

/// A run of another program.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ImportedRun {
    /// Its name.
    pub id: String,
    /// When it was made, milliseconds since 1970.
    pub started_unix_ms: u64,
    /// Its format.
    pub format: String,
    /// Its revision.
    pub label: String,
    /// The files.
    pub files: Vec<String>,
    /// Raw values by series, if the format has them.
    pub raw: Vec<RawValues>,
}

/// The observations of an imported figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RawValues {
    /// The series.
    pub series: Series,
    /// Each observation, in the series' unit.
    pub values: Vec<f64>,
}
