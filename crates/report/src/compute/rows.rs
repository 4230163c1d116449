//! Rows, from the figures that they are made of.

use tlslab_record::{RowColumnRecord, RowRecord, RunRecord};

use crate::model::{ExactCell, ExactOutcome, Row, RowFile, RowOutcome};

/// Every file of rows that the run's suite has.
pub(super) fn files(record: &RunRecord, exact: &[ExactCell]) -> Vec<RowFile> {
    let Some(plan) = &record.plan.rows else { return Vec::new() };
    let file = |file: &tlslab_record::RowFileRecord| RowFile {
        name: file.name.clone(),
        columns: file.columns.iter().map(|column| column.metric.clone()).collect(),
        rows: plan
            .rows
            .iter()
            .enumerate()
            .map(|(at, row)| named(record, exact, row, &file.columns, at))
            .collect(),
    };
    plan.files.iter().map(file).collect()
}

fn named(
    record: &RunRecord,
    exact: &[ExactCell],
    row: &RowRecord,
    columns: &[RowColumnRecord],
    at: usize,
) -> Row {
    let (scenario, stack) = (&record.plan.scenarios[row.scenario].name, &record.plan.stacks[row.stack].name);
    let of_row: Vec<&ExactCell> = exact
        .iter()
        .filter(|cell| (&cell.scenario, &cell.stack, cell.side) == (scenario, stack, row.side))
        .collect();
    let times: Vec<u32> = columns.iter().map(|column| column.times[at]).collect();
    let values = columns.iter().zip(&times).map(|(column, times)| value(&of_row, &column.metric, *times));
    let outcome = match values.collect::<Result<Vec<u64>, RowOutcome>>() {
        Ok(values) => RowOutcome::Filled { values, times },
        Err(hole) => hole,
    };
    Row { name: row.name.clone(), scenario: scenario.clone(), stack: stack.clone(), side: row.side, outcome }
}

/// A figure of so many iterations, or why there is none.
fn value(cells: &[&ExactCell], metric: &str, times: u32) -> Result<u64, RowOutcome> {
    let found = cells.iter().find(|cell| cell.metric == metric).map(|cell| &cell.outcome);
    // A cell without figures stands for all that it would have had.
    let family = |name: &str| name.split('.').next().map(str::to_owned);
    let outcome = found.or_else(|| {
        let of_family = cells.iter().filter(|cell| family(&cell.metric) == family(metric));
        of_family.map(|cell| &cell.outcome).find(|outcome| !matches!(outcome, ExactOutcome::Measured(_)))
    });
    match outcome {
        Some(ExactOutcome::Measured(measured)) => Ok((measured.value * f64::from(times)).round() as u64),
        Some(ExactOutcome::Unsupported { unsupported }) => {
            Err(RowOutcome::Unsupported { unsupported: unsupported.clone() })
        }
        Some(ExactOutcome::Failed { failed }) => Err(RowOutcome::Failed { failed: failed.clone() }),
        None => Err(RowOutcome::Failed { failed: format!("the run has no {metric} of it") }),
    }
}
