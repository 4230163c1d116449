//! Rows, computed from the figures that they consist of.

use tlslab_record::{RowFileRecord, RowPlan, RowRecord, RunRecord};

use super::row_source::Source;
use super::slices::Slices;
use super::times_of_rows::{self, Times};
use crate::model::{Cell, ExactCell, ExactOutcome, Row, RowFile, RowOutcome, Whose};

/// Every file of rows that the run's suite has.
pub(super) fn files(
    record: &RunRecord,
    slices: &Slices,
    exact: &[ExactCell],
    cells: &[Cell],
) -> Vec<RowFile> {
    let Some(plan) = &record.plan.rows else { return Vec::new() };
    let source = Source { record, slices, exact, cells };
    plan.files.iter().map(|file| source.file(plan, file)).collect()
}

impl Source<'_, '_> {
    fn file(&self, plan: &RowPlan, file: &RowFileRecord) -> RowFile {
        let rows = plan.rows_of(file);
        let Times { outcomes, rounds, rounds_left_out } = match &file.columns[..] {
            [column] if column.metric == times_of_rows::METRIC => times_of_rows::times(self, rows, column),
            _ => {
                let outcomes =
                    rows.iter().enumerate().map(|(at, row)| self.exact_row(row, file, at)).collect();
                Times { outcomes, rounds: Vec::new(), rounds_left_out: Vec::new() }
            }
        };
        let named = |(row, outcome): (&RowRecord, RowOutcome)| Row {
            name: row.name.clone(),
            scenario: self.scenario(row.scenario).to_owned(),
            stack: self.stack(row.stack).to_owned(),
            side: row.side.map_or(Whose::Both, Whose::from),
            outcome,
        };
        RowFile {
            name: file.name.clone(),
            columns: file.columns.iter().map(|column| column.metric.clone()).collect(),
            rounds,
            rounds_left_out,
            rows: rows.iter().zip(outcomes).map(named).collect(),
        }
    }

    fn exact_row(&self, row: &RowRecord, file: &RowFileRecord, at: usize) -> RowOutcome {
        let value = |column: &tlslab_record::RowColumnRecord| -> Result<u64, RowOutcome> {
            let many = self.exact_value(row, row.scenario, &column.metric)? * f64::from(column.times[at]);
            let once = match column.once.get(at).copied().flatten() {
                Some(scenario) => self.exact_value(row, scenario, &column.metric)?,
                None => 0.0,
            };
            Ok((many + once).round() as u64)
        };
        let once: Vec<_> = file.columns.iter().map(|column| self.once(&column.once, at)).collect();
        match file.columns.iter().map(value).collect::<Result<Vec<u64>, RowOutcome>>() {
            Ok(values) => RowOutcome::Filled {
                values,
                times: file.columns.iter().map(|column| column.times[at]).collect(),
                once: if once.iter().all(Option::is_none) { Vec::new() } else { once },
            },
            Err(hole) => hole,
        }
    }

    /// A figure of one iteration of a scenario, or the reason for its absence.
    fn exact_value(&self, row: &RowRecord, scenario: usize, metric: &str) -> Result<f64, RowOutcome> {
        let (scenario, stack) = (self.scenario(scenario), self.stack(row.stack));
        let is_of = |cell: &&ExactCell| {
            cell.scenario == scenario && cell.stack == stack && Some(cell.side) == row.side
        };
        let cells: Vec<&ExactCell> = self.exact.iter().filter(is_of).collect();
        let found = cells.iter().find(|cell| cell.metric == metric).map(|cell| &cell.outcome);
        // A cell without figures replaces all that it would have had.
        let family = |name: &str| name.split('.').next().map(str::to_owned);
        let outcome = found.or_else(|| {
            let of_family = cells.iter().filter(|cell| family(&cell.metric) == family(metric));
            of_family.map(|cell| &cell.outcome).find(|outcome| !matches!(outcome, ExactOutcome::Measured(_)))
        });
        match outcome {
            Some(ExactOutcome::Measured(measured)) => Ok(measured.value),
            Some(ExactOutcome::Unsupported { unsupported }) => {
                Err(RowOutcome::Unsupported { unsupported: unsupported.clone() })
            }
            Some(ExactOutcome::Failed { failed }) => Err(RowOutcome::Failed { failed: failed.clone() }),
            None => Err(RowOutcome::Failed { failed: format!("the run has no {metric} of it") }),
        }
    }
}
