//! Processes that come to a steady state, and those that do not.

use tlslab_protocol::Work;

use super::{record, visit};
use crate::model::Report;

/// Slices of `levels`, each with how many there are of it, that scatter by a thousandth.
fn slices(levels: &[(usize, u64)]) -> Vec<u64> {
    let all = levels.iter().flat_map(|(length, ns)| vec![*ns; *length]).enumerate();
    all.map(|(at, ns)| ns + [0, ns / 1000, ns / 2000][at % 3]).collect()
}

#[test]
fn a_stack_whose_processes_keep_changing_is_named() {
    let mut record = record(Work::Handshake);
    let steady = slices(&[(64, 100_000)]);
    let warmed_up = slices(&[(16, 150_000), (48, 100_000)]);
    let late = slices(&[(48, 150_000), (16, 100_000)]);
    visit(&mut record, 0, [&steady, &warmed_up]);
    visit(&mut record, 1, [&steady, &late]);
    visit(&mut record, 2, [&steady, &steady]);
    // Too short for a test.
    visit(&mut record, 3, [&steady[..40], &late[..40]]);
    let report = Report::of(&record);
    let turns = report.turns.unwrap();
    let [base, other] = &turns.steady[..] else { panic!("{:?}", turns.steady) };
    assert_eq!((base.visits, base.flat, base.reached()), (3, 3, Some(1.0)));
    assert_eq!((other.visits, other.flat, other.warmed_up, other.not_reached), (3, 1, 1, 1));
    assert_eq!(other.most_in.as_deref(), Some("one"));
    assert!(turns.summary.contains("base 100 %, other 66.7 %"), "{}", turns.summary);
    let named: Vec<&String> =
        report.warnings.iter().filter(|warning| warning.contains("no steady state")).collect();
    assert!(
        named.len() == 1 && named[0].starts_with("other: ") && named[0].contains("1 of 3 visits"),
        "{named:?}"
    );
    assert!(named[0].contains("The cause was not seen") && !named[0].contains("compilation"), "{named:?}");
}
