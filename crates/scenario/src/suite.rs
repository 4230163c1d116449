//! A suite: a named choice of scenarios by pattern, and how long measuring them takes.

use globset::{GlobBuilder, GlobSet};
use serde::Deserialize;
use tlslab_protocol::{Metric, Pairing};

use crate::{Rows, ScenarioError};

/// A suite file.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The file's name without its ending.
    #[serde(skip)]
    pub name: String,
    /// A few words.
    pub title: String,
    /// How long measuring takes by default, s.
    pub budget_s: f64,
    /// Rounds of fresh processes.
    pub rounds: u32,
    /// Patterns over scenario names. `*` stays within one part of a name, `**` does not, `{a,b}` is either.
    pub scenarios: Vec<String>,
    /// What is measured of them.
    #[serde(default = "time")]
    pub metrics: Vec<Metric>,
    /// Whether each stack is also measured right after another program has used the processor.
    #[serde(default)]
    pub cold: bool,
    /// Which server each client is paired with.
    #[serde(default)]
    pub pairing: Pairing,
    /// The stacks that it is of, where none is asked for; those that the lab measures otherwise when it names none.
    #[serde(default)]
    pub stacks: Vec<String>,
    /// How its instructions are counted, where nothing else is asked for.
    #[serde(default)]
    pub counting: SuiteCounting,
    /// What its cells are called in files of their own.
    pub rows: Option<Rows>,
}

/// The table `[counting]` of a suite.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SuiteCounting {
    /// Whether the lab's tool of valgrind counts as callgrind does: each iteration of a repeated string instruction, on a
    /// processor without ADX.
    pub as_callgrind: bool,
    /// Iterations of each count; as many as the lab takes otherwise when it says nothing.
    pub iterations: Option<u64>,
}

fn time() -> Vec<Metric> {
    vec![Metric::Time]
}

impl Suite {
    /// Reads a file. `file` is its name for errors, `name` the suite's.
    pub fn parse(file: &str, name: &str, text: &str) -> Result<Self, ScenarioError> {
        let error = |cause: String| ScenarioError::File { file: file.to_owned(), cause };
        let mut suite: Suite = toml::from_str(text).map_err(|cause| error(cause.to_string()))?;
        suite.name = name.to_owned();
        if !(suite.budget_s > 0.0 && suite.budget_s <= 1_000_000.0) {
            return Err(error("budget_s must be more than 0 and at most 1000000".to_owned()));
        }
        if !(1..=10_000).contains(&suite.rounds) {
            return Err(error("rounds must be from 1 to 10000".to_owned()));
        }
        if suite.metrics.is_empty() {
            return Err(error("metrics has none; name \"time\" or \"heap\", or leave it out".to_owned()));
        }
        if suite.counting.iterations.is_some_and(|iterations| !(1..=1_000_000).contains(&iterations)) {
            return Err(error("counting: iterations must be from 1 to 1000000".to_owned()));
        }
        if let Some(rows) = &suite.rows {
            if suite.pairing != Pairing::Own {
                return Err(error("rows are of stacks by themselves; leave pairing out".to_owned()));
            }
            rows.check(&error)?;
        }
        for pattern in &suite.scenarios {
            matcher(pattern).map_err(|cause| error(cause.to_string()))?;
        }
        Ok(suite)
    }
}

/// A pattern over scenario names.
pub(crate) fn matcher(pattern: &str) -> Result<GlobSet, ScenarioError> {
    let wrong =
        |cause: String| ScenarioError::Pattern { pattern: pattern.chars().take(100).collect(), cause };
    if pattern.len() > LONGEST_PATTERN {
        return Err(wrong(format!("it is longer than {LONGEST_PATTERN} bytes")));
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).build();
    let glob = glob.map_err(|cause| wrong(cause.kind().to_string()))?;
    // A set of one, because only a set says so when the pattern is too deeply nested to compile.
    GlobSet::builder().add(glob).build().map_err(|cause| wrong(cause.kind().to_string()))
}

const LONGEST_PATTERN: usize = 1_000;
