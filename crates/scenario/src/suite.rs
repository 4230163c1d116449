//! A suite: a named selection of scenarios by pattern, and how long measuring them takes.

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_protocol::{Measure, Pairing, Scenario};

use crate::pattern::matcher;
use crate::reading::{read, several};
use crate::{Rows, ScenarioError};

/// A suite file.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Suite {
    /// The file's name without its extension.
    #[serde(skip)]
    pub name: String,
    /// A short title [default: the file's name].
    #[serde(default)]
    pub title: String,
    /// The default duration of measuring, s [default: 60].
    #[serde(default = "a_minute")]
    pub budget_s: f64,
    /// Rounds of new processes; times need at least 8 for an interval [default: 16].
    #[serde(default = "sixteen")]
    pub rounds: u32,
    /// Patterns over scenario names. `*` matches within one part of a name, `**` across parts, `{a,b}`
    /// either.
    pub scenarios: Vec<String>,
    /// Patterns over these scenarios: the scenarios of one pattern are measured in one visit, for ratios
    /// between them.
    #[serde(default)]
    pub together: Vec<String>,
    /// The metrics: time, heap, count [default: time].
    #[serde(default = "time")]
    pub metrics: Vec<Measure>,
    /// Whether each stack is also measured directly after another program has used the processor.
    #[serde(default)]
    pub cold: bool,
    /// Which server each client is paired with.
    #[serde(default)]
    pub pairing: Pairing,
    /// The suite's default stacks [default: those of the lab].
    #[serde(default)]
    pub stacks: Vec<String>,
    /// The suite's options of counting.
    #[serde(default)]
    pub counting: SuiteCounting,
    /// The names of its cells in files of rows.
    pub rows: Option<Rows>,
}

/// The table `[counting]` of a suite.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub struct SuiteCounting {
    /// Whether the lab's tool of valgrind counts like callgrind: each iteration of a repeated string
    /// instruction, on a processor without ADX.
    pub as_callgrind: bool,
    /// Iterations of each count [default: the lab's].
    pub iterations: Option<u64>,
}

fn time() -> Vec<Measure> {
    vec![Measure::Time]
}

impl Suite {
    /// Reads a suite file. `file` is its name for errors, `name` the suite's.
    ///
    /// # Errors
    /// Fails with [`ScenarioError::File`] and every key that is wrong.
    pub fn parse(file: &str, name: &str, text: &str) -> Result<Self, ScenarioError> {
        let error = |cause: String| ScenarioError::File { file: file.to_owned(), cause };
        let mut suite: Suite = read(file, text)?;
        suite.name = name.to_owned();
        if suite.title.is_empty() {
            suite.title = name.to_owned();
        }
        let mut wrong = suite.wrong();
        if let Some(rows) = &suite.rows {
            if suite.pairing != Pairing::Own {
                wrong.push("rows are for stacks without pairing; omit pairing".to_owned());
            }
            rows.check(&error)?;
        }
        match wrong.is_empty() {
            true => Ok(suite),
            false => Err(several(file, wrong)),
        }
    }

    /// Returns every invalid value.
    fn wrong(&self) -> Vec<String> {
        let mut wrong = Vec::new();
        let mut that = |is_so: bool, otherwise: &str| {
            if !is_so {
                wrong.push(otherwise.to_owned());
            }
        };
        that(
            self.budget_s > 0.0 && self.budget_s <= 1_000_000.0,
            "budget_s must be more than 0 and at most 1000000",
        );
        that((1..=10_000).contains(&self.rounds), "rounds must be from 1 to 10000");
        that(!self.metrics.is_empty(), "metrics is empty; name \"time\" or \"heap\", or omit it");
        that(!self.scenarios.is_empty(), "scenarios is empty; name patterns, such as \"handshake/**\"");
        that(
            self.counting.iterations.is_none_or(|iterations| (1..=1_000_000).contains(&iterations)),
            "counting: iterations must be from 1 to 1000000",
        );
        that(
            self.together.is_empty() || self.pairing == Pairing::Own,
            "together is for stacks without pairing; omit pairing",
        );
        that(self.together.is_empty() || !self.cold, "together cannot use an evictor; omit cold");
        that(
            self.together.is_empty() || self.metrics.contains(&Measure::Time),
            "together is for times; add \"time\" to metrics, or omit it",
        );
        wrong.extend(self.together.iter().filter_map(|pattern| Some(matcher(pattern).err()?.to_string())));
        wrong.extend(self.scenarios.iter().filter_map(|pattern| Some(matcher(pattern).err()?.to_string())));
        wrong
    }

    /// Rejects a suite that measures times in too few rounds for an interval. A suite that is only proven may
    /// have any number, and so may a user's own.
    ///
    /// # Errors
    /// Returns the number, and the required one.
    pub fn check_rounds(&self, file: &str) -> Result<(), ScenarioError> {
        if self.rounds >= ROUNDS_OF_AN_INTERVAL || !self.metrics.contains(&Measure::Time) {
            return Ok(());
        }
        let cause = format!(
            "rounds = {} is too few for an interval; write at least {ROUNDS_OF_AN_INTERVAL}, or omit it for {}",
            self.rounds,
            sixteen()
        );
        Err(ScenarioError::File { file: file.to_owned(), cause })
    }
}

/// The smallest number of observations with a 99 % interval of their median.
const ROUNDS_OF_AN_INTERVAL: u32 = 8;

fn a_minute() -> f64 {
    60.0
}

fn sixteen() -> u32 {
    16
}

/// The scenarios that a pattern selects, by their indices.
///
/// # Errors
/// Fails if a pattern is invalid.
pub fn selected_of(pattern: &str, scenarios: &[Scenario]) -> Result<Vec<usize>, ScenarioError> {
    let glob = matcher(pattern)?;
    let is_selected = |at: &usize| glob.is_match(&scenarios[*at].name);
    Ok((0..scenarios.len()).filter(is_selected).collect())
}
