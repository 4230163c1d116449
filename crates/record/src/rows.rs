//! Names of a run's cells in files of rows.

use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// The rows of a run. Cells without a row are excluded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowPlan {
    /// Every row, in the order of its name.
    pub rows: Vec<RowRecord>,
    /// The files with the rows.
    pub files: Vec<RowFileRecord>,
}

/// One side of a cell, or both, by a name of its own.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowRecord {
    /// The name.
    pub name: String,
    /// The scenario, as an index into the plan's.
    pub scenario: usize,
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// The side; both together if `None`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Side>,
}

/// A file with a line for each row.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowFileRecord {
    /// The file's name.
    pub name: String,
    /// Its rows in the order of their names, if they are not those of all files.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub rows: Vec<RowRecord>,
    /// Its columns, after the name.
    pub columns: Vec<RowColumnRecord>,
}

/// A column of such a file; or, for times, as many as there are rounds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RowColumnRecord {
    /// The figure, by its name in results.
    pub metric: String,
    /// The number of iterations of each row, in the rows' order.
    pub times: Vec<u32>,
    /// The scenario of which each row has one further iteration, as an index into the plan's; empty if none
    /// has.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub once: Vec<Option<usize>>,
}

impl RowPlan {
    /// The rows of a file.
    pub fn rows_of<'p>(&'p self, file: &'p RowFileRecord) -> &'p [RowRecord] {
        if file.rows.is_empty() { &self.rows } else { &file.rows }
    }

    /// Whether a figure of a scenario on a stack is in a row.
    pub fn asks(&self, scenario: usize, stack: usize) -> bool {
        let is_of = |row: &RowRecord| (row.scenario, row.stack) == (scenario, stack);
        self.rows.iter().any(is_of)
            || self
                .files
                .iter()
                .any(|file| file.rows.iter().any(is_of) || self.has_once(file, scenario, stack))
    }

    /// Whether a row of a stack has a further iteration of a scenario.
    fn has_once(&self, file: &RowFileRecord, scenario: usize, stack: usize) -> bool {
        let rows = self.rows_of(file);
        file.columns.iter().any(|column| {
            rows.iter().zip(&column.once).any(|(row, once)| row.stack == stack && *once == Some(scenario))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_row_has_once_besides_is_asked_for_on_its_stack() {
        let row = |scenario, stack| RowRecord { name: String::new(), scenario, stack, side: None };
        let column = |once| RowColumnRecord { metric: "time".to_owned(), times: vec![1], once };
        let file = |rows, once| RowFileRecord { name: String::new(), rows, columns: vec![column(once)] };
        let files = vec![file(vec![], vec![Some(4)]), file(vec![row(2, 1)], vec![Some(5)])];
        let plan = RowPlan { rows: vec![row(1, 0)], files };
        let asked: Vec<(usize, usize)> = (0..6)
            .flat_map(|scenario| [(scenario, 0), (scenario, 1)])
            .filter(|(scenario, stack)| plan.asks(*scenario, *stack))
            .collect();
        assert_eq!(asked, [(1, 0), (2, 1), (4, 0), (5, 1)]);
    }

    #[test]
    fn rows_of_older_plans_are_read() {
        let text = r#"{"rows":[{"name":"a_client","scenario":0,"stack":0,"side":"client"}],
            "files":[{"name":"c.csv","columns":[{"metric":"count.instructions","times":[1]}]}]}"#;
        let plan: RowPlan = serde_json::from_str(text).unwrap();
        assert_eq!(plan.rows[0].side, Some(Side::Client));
        assert_eq!(
            (plan.rows_of(&plan.files[0]), &plan.files[0].columns[0].once[..]),
            (&plan.rows[..], &[][..])
        );
        assert_eq!(serde_json::to_string(&plan).unwrap(), text.replace(['\n', ' '], ""));
    }
}
