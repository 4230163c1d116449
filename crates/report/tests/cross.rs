//! Clients by servers, as people and programs read them.

mod synthetic;

use tlslab_estimate::{CrossOutcome, CrossTable, Report};
use tlslab_report::{Further, cross_csv, json, markdown, terminal};

fn report(rounds: u32) -> Report {
    Report::of(&synthetic::crossed(synthetic::run(7, rounds, 3)))
}

#[test]
fn every_pair_has_a_value_or_a_reason() {
    let report = report(8);
    let table = &report.cross[0];
    assert_eq!(table.pairs.len(), report.stacks.len().pow(2));
    for pair in &table.pairs {
        assert!(pair.outcome.measured().is_some() != pair.outcome.hole().is_some(), "{pair:?}");
    }
    assert_eq!(report.failed_pairs().count(), 2);
    assert!(report.has_failures());
}

#[test]
fn the_figures_are_those_of_the_samples() {
    let report = report(8);
    let CrossTable { pairs, checks, .. } = &report.cross[0];
    let CrossOutcome::Measured(times) = &pairs[0].outcome else { panic!("{:?}", pairs[0]) };
    // 200 µs and 100 µs with noise from 0 to 2 %.
    assert!((200.0..204.0).contains(&times.client_us.value), "{times:?}");
    assert!((100.0..102.0).contains(&times.server_us.value), "{times:?}");
    assert!((300.0..306.0).contains(&times.sum_us.value), "{times:?}");
    let interval = times.sum_us.interval.unwrap();
    assert!(interval.lower <= times.sum_us.value && times.sum_us.value <= interval.upper);
    // Eight visits of three slices of ten connections.
    assert_eq!((pairs[0].connections, times.sum_us.n), (240, 8));
    assert!(!checks.is_empty());
}

#[test]
fn a_refusal_names_who_ended_it_with_which_alert_and_what_was_said() {
    let report = report(8);
    let (_, pair) = report.failed_pairs().next().unwrap();
    let (kind, reason) = pair.outcome.hole().unwrap();
    assert_eq!(kind, "failed");
    assert_eq!(
        reason,
        "the client refused: bad <signature>, alert fatal decrypt_error (51); its peer said: the peer sent alert 51"
    );
}

#[test]
fn the_table_at_the_terminal() {
    let text = |columns| {
        let text = terminal(&report(8), &Further::default(), columns, false);
        let from = text.find("Clients by servers").unwrap();
        let to = from + text[from..].find("\n\n").unwrap();
        text[from..to].to_owned()
    };
    insta::assert_snapshot!(format!("{}\n----\n{}", text(120), text(60)));
    for columns in [40, 60, 80, 120] {
        let text = terminal(&report(3), &Further::default(), columns, false);
        let wraps = |line: &&str| !line.starts_with("method") && !line.starts_with("next");
        assert_eq!(text.lines().filter(wraps).find(|line| line.chars().count() > columns), None);
    }
}

#[test]
fn the_table_in_markdown_and_csv() {
    let report = report(8);
    let text = markdown(&report);
    let from = text.find("#### Clients by servers").unwrap();
    let to = text.find("<details>").unwrap();
    insta::assert_snapshot!(&text[from..to]);
    let rows = cross_csv(&report).unwrap();
    assert_eq!(rows.lines().count(), 1 + report.cross[0].pairs.len());
    assert!(rows.lines().all(|line| line.matches(',').count() >= 18), "{rows}");
    assert_eq!(cross_csv(&Report::of(&synthetic::run(7, 2, 2))), None);
}

#[test]
fn json_goes_both_ways() {
    let report = report(8);
    let read: Report = serde_json::from_str(&json(&report)).unwrap();
    assert_eq!(read.cross, report.cross);
}
