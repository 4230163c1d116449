//! Rows of times, worked out by hand.

use tlslab_protocol::{Side, Work};
use tlslab_record::{CellState, Proof, RowColumnRecord, RowFileRecord, RowPlan, RowRecord, RunRecord};

use super::{record, scenario, visit};
use crate::model::{Report, RowFile, RowOutcome, Whose};

/// Two scenarios, full and resumed; a row of resumptions has thirty of them and a full handshake.
fn with_rows(side: Option<Side>) -> RunRecord {
    let mut record = record(Work::Handshake);
    record.plan.scenarios.push(scenario("two", Work::Handshake));
    let again: Vec<CellState> =
        record.cells.iter().map(|cell| CellState { scenario: 1, ..cell.clone() }).collect();
    record.cells.extend(again);
    let row = |name: &str, scenario, stack| RowRecord { name: name.to_owned(), scenario, stack, side };
    let column =
        RowColumnRecord { metric: "time".to_owned(), times: vec![1, 30, 1], once: vec![None, Some(0), None] };
    let file = RowFileRecord { name: "walltime.csv".to_owned(), rows: vec![], columns: vec![column] };
    let rows = vec![row("full", 0, 0), row("resumed", 1, 0), row("short", 0, 1)];
    record.plan.rows = Some(RowPlan { rows, files: vec![file] });
    record
}

/// A visit of the second scenario, by the client's ns per iteration; the server takes 1,000.
fn visit_of_second(record: &mut RunRecord, round: u32, of_stacks: [&[u64]; 2]) {
    let (visits, samples) = (record.visits.len(), record.samples.len());
    visit(record, round, of_stacks);
    record.visits[visits..].iter_mut().for_each(|visit| visit.scenario = 1);
    record.samples[samples..].iter_mut().for_each(|sample| sample.scenario = 1);
}

fn file(record: &RunRecord) -> RowFile {
    let mut files = Report::of(record).rows;
    assert_eq!(files.len(), 1);
    files.remove(0)
}

/// The rows with figures, by name.
fn values(file: &RowFile) -> Vec<(&str, &[u64])> {
    file.rows
        .iter()
        .filter_map(|row| match &row.outcome {
            RowOutcome::Filled { values, .. } => Some((row.name.as_str(), &values[..])),
            _ => None,
        })
        .collect()
}

/// The rows without figures, each with the reason.
fn left_out(file: &RowFile) -> Vec<(&str, String)> {
    file.left_out().map(|(row, why)| (row.name.as_str(), why)).collect()
}

#[test]
fn a_row_has_a_time_of_both_sides_for_each_round() {
    let mut record = with_rows(None);
    // A fifth of the slices goes at either end, so the wild one does not count.
    visit(&mut record, 0, [&[100_000, 100_000, 100_000, 100_000, 900_000_000], &[500, 500]]);
    visit_of_second(&mut record, 0, [&[10_000, 10_000], &[]]);
    visit(&mut record, 1, [&[200_000, 220_000], &[700, 700]]);
    visit_of_second(&mut record, 1, [&[20_000], &[]]);
    let file = file(&record);
    // 100,000 + 1,000 and 210,000 + 1,000; these and 30 · (10,000 + 1,000), 30 · (20,000 + 1,000); 500 + 1,000 and 700 + 1,000.
    assert_eq!(
        values(&file),
        [
            ("full", &[101_000, 211_000][..]),
            ("resumed", &[431_000, 841_000][..]),
            ("short", &[1_500, 1_700][..])
        ]
    );
    assert_eq!((file.rounds.as_slice(), file.rounds_left_out.as_slice()), (&[0, 1][..], &[][..]));
    assert!(file.rows.iter().all(|row| row.side == Whose::Both));
    let RowOutcome::Filled { times, once, .. } = &file.rows[1].outcome else { panic!("{file:?}") };
    assert_eq!((&times[..], &once[..]), (&[30][..], &[Some("one".to_owned())][..]));
}

#[test]
fn a_row_of_one_side_has_that_sides_times() {
    let mut record = with_rows(Some(Side::Client));
    visit(&mut record, 0, [&[100_000], &[500]]);
    visit_of_second(&mut record, 0, [&[10_000], &[]]);
    assert_eq!(
        values(&file(&record)),
        [("full", &[100_000][..]), ("resumed", &[400_000][..]), ("short", &[500][..])]
    );
}

#[test]
fn every_row_has_the_same_rounds() {
    let mut record = with_rows(None);
    for round in 0..3 {
        visit(&mut record, round, [&[100_000], &[500]]);
        visit_of_second(&mut record, round, [&[10_000], &[]]);
    }
    // The run ended while the second scenario was visited for the last time.
    record.visits.last_mut().unwrap().complete = false;
    let file = file(&record);
    assert_eq!(
        values(&file),
        [
            ("full", &[101_000, 101_000][..]),
            ("resumed", &[431_000, 431_000][..]),
            ("short", &[1_500, 1_500][..])
        ]
    );
    assert_eq!((file.rounds.as_slice(), file.rounds_left_out.as_slice()), (&[0, 1][..], &[2][..]));
}

#[test]
fn a_row_that_cannot_be_takes_no_rounds_from_others() {
    let mut record = with_rows(None);
    visit(&mut record, 0, [&[100_000], &[]]);
    visit_of_second(&mut record, 0, [&[10_000], &[]]);
    let is_other = |cell: &&mut CellState| cell.stack == 1;
    record.cells.iter_mut().filter(is_other).for_each(|cell| {
        cell.proof = Proof::Unsupported("it has no keys".to_owned());
    });
    let of_both = file(&record);
    assert_eq!(values(&of_both), [("full", &[101_000][..]), ("resumed", &[431_000][..])]);
    assert_eq!(left_out(&of_both), [("short", "unsupported: it has no keys".to_owned())]);
    // A scenario that a row has once is as necessary as one that it has thirty times.
    record.cells[0].proof = Proof::Failed("it broke".to_owned());
    let of_one = file(&record);
    assert_eq!(values(&of_one), []);
    let broke = "failed: it broke".to_owned();
    let unsupported = "unsupported: it has no keys".to_owned();
    assert_eq!(left_out(&of_one), [("full", broke.clone()), ("resumed", broke), ("short", unsupported)]);
}
