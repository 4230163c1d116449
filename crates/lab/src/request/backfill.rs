//! A request that adds releases to a history.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Measure;

use super::{Seeds, Stacks};
use crate::problem::Problem;
use tlslab_record::Seconds;

/// Measures those releases of a stack that a history does not have yet.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct BackfillRequest {
    /// The stack without a version, optionally with variants.
    pub stack: String,
    /// The oldest release; the oldest known one if none is named.
    pub from: Option<String>,
    /// The newest release; the newest known one if none is named.
    pub to: Option<String>,
    /// Which of the releases between them are measured.
    pub every: Every,
    /// The suite, if there are no `scenarios`.
    pub suite: String,
    /// Patterns of scenarios, instead of a suite's.
    pub scenarios: Vec<String>,
    /// The metrics.
    pub metrics: Vec<Measure>,
    /// Seeds of the deterministic RNG with which each cell is counted: their variation is the band of its
    /// series.
    pub seeds: Seeds,
    /// Time for timing each point of a cell, s.
    pub point_s: Seconds,
    /// The number of releases that are measured together.
    pub at_once: Stacks,
    /// Whether to measure again releases that the history has.
    pub again: bool,
    /// Whether to measure only releases newer than the newest one in the history; the newest release if it
    /// has none.
    pub only_newer: bool,
    /// The stack that every time is divided by; by default the project's canary.
    pub canary: Option<String>,
}

/// Which releases are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Every {
    /// All of them.
    #[default]
    Patch,
    /// The last one of each minor release.
    Minor,
}

impl Default for BackfillRequest {
    fn default() -> Self {
        Self {
            stack: String::new(),
            from: None,
            to: None,
            every: Every::default(),
            suite: "releases".to_owned(),
            scenarios: Vec::new(),
            metrics: vec![Measure::Count, Measure::Heap],
            seeds: Seeds::of(3),
            point_s: Seconds::of(10.0),
            at_once: Stacks::of(8),
            again: false,
            only_newer: false,
            canary: None,
        }
    }
}

/// Parses `A..B`, of which either end may be missing.
///
/// # Errors
/// Fails if the text has no two dots.
pub fn range(text: &str) -> anyhow::Result<(Option<String>, Option<String>)> {
    let (from, to) = text.split_once("..").ok_or_else(|| {
        Problem::invalid("versions", text, "it is not a range", "write it like 3.0.0..3.6.3 or 3.0.0..")
    })?;
    let end = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    Ok((end(from), end(to)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn either_end_of_a_range_may_be_missing() {
        let ends = |text| range(text).unwrap();
        assert_eq!(ends("3.0..3.6.3"), (Some("3.0".to_owned()), Some("3.6.3".to_owned())));
        assert_eq!((ends(".."), ends("1.1.1w..").1), ((None, None), None));
        assert!(range("3.0.0").unwrap_err().to_string().contains("it is not a range"));
    }
}
