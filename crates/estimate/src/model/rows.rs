//! Figures by the names that a suite assigns, for programs that use these names.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Whose;

/// A file of rows: `name,value,…` in each line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RowFile {
    /// The file's name.
    pub name: String,
    /// The figures in its columns, by the names that they have among cells. `time` is a column for each of
    /// the rounds, ns.
    pub columns: Vec<String>,
    /// The rounds of its times: those in which all its rows were measured, from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds: Vec<u32>,
    /// The rounds in which some of its rows were measured, and not all, from 0.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rounds_left_out: Vec<u32>,
    /// Its rows in the order of their names, those that have no figures among them.
    pub rows: Vec<Row>,
}

/// One row.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Row {
    /// Its name.
    pub name: String,
    /// The scenario that it is of.
    pub scenario: String,
    /// The stack.
    pub stack: String,
    /// The side, or both together.
    pub side: Whose,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: RowOutcome,
}

/// Whether a row has its figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum RowOutcome {
    /// The figures, rounded to whole numbers, of as many iterations as the suite defines.
    Filled {
        /// The figures: one for each column, or of times one for each round.
        values: Vec<u64>,
        /// How many iterations those of each column are of.
        times: Vec<u32>,
        /// The scenarios that each column has once in addition; empty if none has.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        once: Vec<Option<String>>,
    },
    /// It is not in the file: the stack does not support it.
    Unsupported {
        /// Why.
        unsupported: String,
    },
    /// It is not in the file: it should have worked.
    Failed {
        /// The error.
        failed: String,
    },
}

impl RowFile {
    /// The rows that are not in the file, with why not.
    pub fn left_out(&self) -> impl Iterator<Item = (&Row, String)> {
        self.rows.iter().filter_map(|row| match &row.outcome {
            RowOutcome::Filled { .. } => None,
            RowOutcome::Unsupported { unsupported } => Some((row, format!("unsupported: {unsupported}"))),
            RowOutcome::Failed { failed } => Some((row, format!("failed: {failed}"))),
        })
    }
}
