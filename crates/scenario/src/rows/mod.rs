//! Rows: a suite's names for the figures of its cells, in files for programs that know these names.

mod resolve;
mod template;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_protocol::Side;

use crate::ScenarioError;
use crate::pattern::matcher;
use template::words;

/// The table `[rows]` of a suite. Cells without a row are excluded from a run of the suite.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Rows {
    /// Replacements of parts of names in rows.
    #[serde(default)]
    pub words: BTreeMap<String, String>,
    /// The cells with rows.
    pub of: Vec<RowsOf>,
    /// The files of rows.
    pub files: Vec<RowFile>,
}

/// Cells of some stacks, and the names of their rows.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowsOf {
    /// A pattern over recipes, for all versions and variants.
    pub stack: String,
    /// A scenario's name, in which `{word}` matches any one part and captures it.
    pub scenario: String,
    /// The rows' names, in which `{word}` is the captured part after replacement by `words`, and `{side}` the
    /// side. Without `{side}` a row is of both sides together.
    pub name: String,
}

/// A file with one line per row: its name, then its columns, separated by commas.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowFile {
    /// The file's name.
    pub name: String,
    /// Its rows, if they differ from those of all files. The file is omitted if no stack of a run has a row.
    #[serde(default)]
    pub of: Vec<RowsOf>,
    /// The content of a column.
    pub columns: Vec<RowColumn>,
}

/// One column; or, for times, one per round.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct RowColumn {
    /// A figure by its name in results, such as `count.instructions`; or `time`, a figure for each round, in
    /// ns.
    pub metric: String,
    /// The iterations of a row, by pattern over scenarios; 1 if none matches.
    #[serde(default)]
    pub times: BTreeMap<String, u32>,
    /// A further iteration in a row: by a scenario's name with words, the name of another scenario with the
    /// same words.
    #[serde(default)]
    pub once: BTreeMap<String, String>,
}

/// A cell's row: one side, or both, under its own name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The name.
    pub name: String,
    /// The scenario, as an index.
    pub scenario: usize,
    /// The stack, as an index.
    pub stack: usize,
    /// The side; both together if `None`.
    pub side: Option<Side>,
}

impl Rows {
    /// Rejects rules from which no run could make rows. `error` makes an error from a cause and its file.
    pub(crate) fn check(&self, error: &dyn Fn(String) -> ScenarioError) -> Result<(), ScenarioError> {
        for of in self.of.iter().chain(self.files.iter().flat_map(|file| &file.of)) {
            of.check(error)?;
        }
        for file in &self.files {
            file.check(error)?;
            let rows_of = if file.of.is_empty() { &self.of } else { &file.of };
            file.check_sides(rows_of, error)?;
        }
        Ok(())
    }
}

impl RowsOf {
    fn check(&self, error: &dyn Fn(String) -> ScenarioError) -> Result<(), ScenarioError> {
        matcher(&self.stack).map_err(|cause| error(cause.to_string()))?;
        let known = words(&self.scenario).map_err(|cause| error(format!("rows: {cause}")))?;
        let used = words(&self.name).map_err(|cause| error(format!("rows: {cause}")))?;
        match used.iter().find(|word| **word != SIDE && !known.contains(word)) {
            Some(other) => Err(error(format!(
                "rows: name \"{}\" has {{{other}}}, and scenario \"{}\" has not",
                self.name, self.scenario
            ))),
            None => Ok(()),
        }
    }

    /// Whether a row is for one side.
    fn has_side(&self) -> bool {
        self.name.contains(&format!("{{{SIDE}}}"))
    }
}

impl RowFile {
    fn check(&self, error: &dyn Fn(String) -> ScenarioError) -> Result<(), ScenarioError> {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "-_.".contains(letter);
        if !self.name.ends_with(".csv") || !self.name.chars().all(is_plain) {
            return Err(error(format!(
                "rows: file \"{}\" must be a plain name that ends with .csv",
                self.name
            )));
        }
        for (pattern, times) in self.columns.iter().flat_map(|column| &column.times) {
            matcher(pattern).map_err(|cause| error(cause.to_string()))?;
            if *times == 0 {
                return Err(error(format!("rows: \"{pattern}\" = 0 times; omit it for one")));
            }
        }
        for (scenario, other) in self.columns.iter().flat_map(|column| &column.once) {
            let known = words(scenario).map_err(|cause| error(format!("rows: {cause}")))?;
            let used = words(other).map_err(|cause| error(format!("rows: {cause}")))?;
            if let Some(word) = used.iter().find(|word| !known.contains(word)) {
                let cause = format!("rows: \"{other}\" has {{{word}}}, and \"{scenario}\" has not");
                return Err(error(cause));
            }
        }
        Ok(())
    }

    /// All figures of a line must have the same meaning.
    fn check_sides(
        &self,
        rows_of: &[RowsOf],
        error: &dyn Fn(String) -> ScenarioError,
    ) -> Result<(), ScenarioError> {
        let has_times = self.columns.iter().any(|column| column.metric == TIME);
        if has_times && self.columns.len() > 1 {
            return Err(error(format!(
                "rows: file \"{}\" has a figure of each round, and other columns; make two files",
                self.name
            )));
        }
        match rows_of.iter().find(|of| !of.has_side()) {
            Some(of) if !has_times => Err(error(format!(
                "rows: name \"{}\" has no {{side}}, and file \"{}\" has figures of one side",
                of.name, self.name
            ))),
            _ => Ok(()),
        }
    }
}

/// The word for the side.
const SIDE: &str = "side";
/// The figure that exists for every round.
const TIME: &str = "time";
