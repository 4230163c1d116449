//! A report's statements on turns: warm-ups, cold figures, neighbours, processes of two kinds.

mod synthetic;

use tlslab_estimate::{Metric, Report};
use tlslab_protocol::Side;
use tlslab_record::{Evictor, Neighbour, NeighbourEffect, RunRecord};
use tlslab_report::{Further, markdown, terminal};

fn record() -> RunRecord {
    synthetic::run(7, 16, 6)
}

#[test]
fn what_the_warm_up_excludes_is_reported_per_stack() {
    let report = Report::of(&record());
    let turns = report.turns.unwrap();
    assert!(turns.warm_ups.iter().all(|one| one.iterations > 0 && (0.0..1.0).contains(&one.share)));
    assert!(turns.summary.contains("iterations at the beginning of turns are excluded"), "{}", turns.summary);
}

#[test]
fn times_without_a_warm_up_carry_a_warning() {
    let mut record = record();
    assert!(!Report::of(&record).warnings.iter().any(|warning| warning.contains("warm-up")));
    for sample in &mut record.samples {
        sample.measurement.warm_up = None;
    }
    let warnings = Report::of(&record).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("its driver reports no warm-up")), "{warnings:?}");
    record.plan.warm_up = None;
    let warnings = Report::of(&record).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("Measure again with a warm-up")), "{warnings:?}");
}

#[test]
fn cold_figures_stand_apart_and_only_where_they_were_asked_for() {
    let mut record = record();
    let is_cold = |metric: Metric| matches!(metric, Metric::ColdFirst | Metric::ColdSwitch);
    let plain = Report::of(&record);
    assert!(!plain.cells.iter().any(|cell| is_cold(cell.metric)));
    record.plan.evictor = Some(Evictor {
        program: "tlslab".to_owned(),
        environment: Default::default(),
        data_bytes: 4 << 20,
        code_bytes: 512 << 10,
    });
    let report = Report::of(&record);
    let switches: Vec<f64> = report
        .cells
        .iter()
        .filter(|cell| cell.metric == Metric::ColdSwitch)
        .filter_map(|cell| cell.outcome.measured())
        .map(|measured| measured.estimated.value)
        .collect();
    // 100 µs were put there, and steady iterations scatter.
    assert!(!switches.is_empty() && switches.iter().all(|us| (90.0..110.0).contains(us)), "{switches:?}");
    let rest: Vec<_> = report.cells.iter().filter(|cell| !is_cold(cell.metric)).cloned().collect();
    assert_eq!(rest, plain.cells);
    for text in [terminal(&report, &Further::default(), 120, false), markdown(&report)] {
        assert!(text.contains("After a context switch") && text.contains("4096 KiB of data"));
    }
}

#[test]
fn the_largest_influence_in_each_family_stands_in_the_report() {
    let mut record = record();
    let effect = |beside: Neighbour, ratio: f64| NeighbourEffect {
        host: "h".to_owned(),
        measured_unix_ms: 0,
        slice_ns: 1,
        slices: 8,
        warm_up: None,
        family: "Full handshake".to_owned(),
        scenario: "s".to_owned(),
        stack: "a".to_owned(),
        side: Side::Client,
        beside,
        ratio,
        lower: Some(ratio - 0.001),
        upper: Some(ratio + 0.001),
        confidence: 0.99,
        rounds: 10,
    };
    record.neighbours = vec![
        effect(Neighbour::Itself, 1.002),
        effect(Neighbour::Stack("b".to_owned()), 0.995),
        effect(Neighbour::OnePiece, 0.9),
    ];
    let report = Report::of(&record);
    let text = markdown(&report).replace('\\', "");
    assert!(text.contains("full handshake −0.50 % [−0.60, −0.40] (a after b, client)"), "{text}");
}

#[test]
fn processes_of_two_kinds_are_reported_with_their_shares() {
    let mut record = record();
    let stack = record.plan.stacks.iter().position(|stack| stack.name.starts_with("rustls")).unwrap();
    // Every third process of one stack takes a quarter more.
    for sample in record.samples.iter_mut().filter(|sample| sample.stack == stack && sample.round % 3 == 0) {
        sample.measurement.client.phases.handshake_ns *= 2;
    }
    let report = Report::of(&record);
    let found = report.warnings.iter().find(|warning| warning.contains("fall into two groups"));
    assert!(found.is_some_and(|warning| warning.starts_with(&record.plan.stacks[stack].name)), "{found:?}");
    let cause = &report.causes[0];
    assert!(cause.summary.contains("ran at two speeds in") && cause.can_change_headline, "{cause:?}");
    assert!(cause.cells.len() > 1 && cause.cells.iter().all(|cell| cell.contains("fall into two groups")));
    let text = terminal(&report, &Further::default(), 160, false);
    assert_eq!(
        text.matches("ran at two speeds").count(),
        report.causes.len() - 2,
        "a line for each cause: {text}"
    );
    assert!(!text.contains("two groups") && text.contains("rests on cells with two speeds"), "{text}");
    assert!(text.find("Application data  ").unwrap() < text.find("warning:").unwrap(), "results come first");
    assert!(
        !Report::of(&synthetic::run(7, 16, 6)).warnings.iter().any(|warning| warning.contains("two groups"))
    );
}
