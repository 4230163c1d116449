//! A table of all rows of a file that a suite makes.

use schemars::JsonSchema;
use serde::Deserialize;
use tlslab_estimate::{Report, RowOutcome};

use crate::model::{Column, Entry, Figure, Here, Row, Table};
use crate::names::UnitOf;

/// A table of the rows of a file that the run of a suite has made.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct RowTableOf {
    pub title: String,
    /// The run.
    pub measurement: String,
    /// The file's name.
    pub file: String,
    /// The title of the figures' column.
    pub column: String,
    /// The unit of the figures as the table shows them: `µs` of times, which a file has in nanoseconds.
    pub unit: UnitOf,
    #[serde(default)]
    pub note: Option<String>,
}

/// The name of a file's column that has a time of each round.
const TIME: &str = "time";

impl RowTableOf {
    /// The table; none if the run has no such file. A row of times has the median of its rounds, between the
    /// shortest and the longest.
    pub(crate) fn table(&self, report: &Report, basis: &str) -> Option<Table> {
        let file = report.rows.iter().find(|file| file.name == self.file)?;
        let is_time = file.columns.iter().any(|column| column == TIME);
        let rows = file.rows.iter().map(|row| {
            let here = match &row.outcome {
                RowOutcome::Filled { values, .. } => match (is_time, values.first()) {
                    (true, _) => median(values).map_or_else(empty, Here::Figure),
                    (false, Some(value)) => Here::Figure(Figure::within(*value as f64, [*value as f64; 2])),
                    (false, None) => empty(),
                },
                RowOutcome::Unsupported { unsupported } => {
                    Here::Hole { hole: format!("unsupported: {unsupported}") }
                }
                RowOutcome::Failed { failed } => Here::Hole { hole: format!("failed: {failed}") },
            };
            Row { labels: vec![row.name.clone()], entries: vec![Entry::new(None, here)], words: vec![] }
        });
        Some(Table {
            title: self.title.clone(),
            basis: basis.to_owned(),
            labels: vec!["row".to_owned()],
            columns: vec![Column { title: self.column.clone(), unit: self.unit.symbol().to_owned() }],
            rows: rows.collect(),
            note: self.note.clone(),
            ..Table::default()
        })
    }
}

fn empty() -> Here {
    Here::Hole { hole: "failed: the row has no figure".to_owned() }
}

/// The median of times in nanoseconds, between the shortest and the longest; in microseconds.
fn median(times_ns: &[u64]) -> Option<Figure> {
    let mut sorted = times_ns.to_vec();
    sorted.sort_unstable();
    let (first, last) = (*sorted.first()?, *sorted.last()?);
    let middle = (sorted[(sorted.len() - 1) / 2] + sorted[sorted.len() / 2]) as f64 / 2.0;
    let us = |ns: f64| ns / 1e3;
    Some(Figure::within(us(middle), [us(first as f64), us(last as f64)]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_lies_between_the_extremes() {
        let of = |times: &[u64]| median(times).map(|figure| (figure.value, figure.bounds.unwrap()));
        assert_eq!(of(&[3_000, 1_000, 2_000]), Some((2.0, [1.0, 3.0])));
        assert_eq!(of(&[4_000, 1_000]), Some((2.5, [1.0, 4.0])));
        assert_eq!(of(&[]), None);
    }
}
