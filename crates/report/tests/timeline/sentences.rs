//! The answer for a stack and its steps, from made-up histories.

use std::cmp::Ordering;

use tlslab_record::{FigureOutcome, FigureValue, HistoryPolicy, Point, Series};
use tlslab_report::timeline::{
    ReleaseHistory, Timeline, Timelines, by_version, releases_markdown, releases_terminal,
};

/// A series of a client; a value that is missing is a build that failed.
fn timeline(metric: &str, unit: &str, values: &[(&str, &str, Option<f64>)]) -> Timeline {
    let text = str::to_owned;
    let series = Series {
        scenario: text("handshake/1.3/rsa-2048/x25519/aes-128-gcm/chain+name"),
        stack: text("library"),
        side: text("client"),
        metric: text(metric),
        unit: text(unit),
        class: text("some processor"),
    };
    let point = |(at, (label, epoch, value)): (usize, &(&str, &str, Option<f64>))| Point {
        run: format!("run-{at}"),
        started_unix_ms: 1_767_225_600_000 + at as u64,
        stack: format!("library@{label}"),
        place: at as u32,
        label: text(label),
        epoch: text(epoch),
        outcome: match value {
            Some(value) => {
                let bound = Some(*value);
                FigureOutcome::Value(FigureValue { value: *value, lower: bound, upper: bound, n: 3 })
            }
            None => FigureOutcome::Failed { failed: text("not built") },
        },
    };
    let points: Vec<Point> = values.iter().enumerate().map(point).collect();
    let number = |label: &str| -> Vec<u32> { label.split('.').map(|part| part.parse().unwrap()).collect() };
    let compare = |one: &str, other: &str| -> Ordering { number(one).cmp(&number(other)) };
    Timeline::of(series, &by_version(points, true, compare), &[], &HistoryPolicy::default())
}

const HERE: &str = "work a; harness x; kernel 6";

fn instructions(values: &[(&str, f64)]) -> Timeline {
    let values: Vec<(&str, &str, Option<f64>)> =
        values.iter().map(|(label, value)| (*label, HERE, Some(*value))).collect();
    timeline("count.instructions", "instructions", &values)
}

fn history(timelines: Vec<Timeline>) -> ReleaseHistory {
    ReleaseHistory::of(&Timelines { format: Timelines::FORMAT, reference: None, timelines })
}

fn sentence(timelines: Vec<Timeline>) -> String {
    history(timelines).stacks[0].sentence.clone()
}

const CLIENT: &str = "of a client, full handshake (TLS 1.3, rsa-2048, x25519, verified chain and name):";

#[test]
fn a_step_up_and_back_is_named_with_both_ends() {
    // Measured in another order than that of versions.
    let values = [("1.10", 2.2e6), ("1.9", 1e6), ("2.0", 1.02e6), ("1.11", 1.5e6), ("2.1", 1.01e6)];
    assert_eq!(
        sentence(vec![instructions(&values)]),
        format!(
            "library: skip 1.10 and 1.11: instructions {CLIENT} 2.20× in 1.10 (1,000,000 in 1.9 → 2,200,000), \
             back within 5 % by 2.0 (1,020,000). Move to 2.1, the newest: within 5 % of the best release in 1 \
             of 1 series"
        )
    );
}

#[test]
fn two_metrics_are_named_the_larger_excess_first() {
    let first = instructions(&[("1.0", 1e6), ("1.1", 1.3e6), ("1.2", 1e6)]);
    let values = [("1.0", HERE, Some(90.0)), ("1.1", HERE, Some(9_000.0)), ("1.2", HERE, Some(600.0))];
    let second = timeline("contention.atomics", "operations", &values);
    assert_eq!(
        sentence(vec![first, second]),
        format!(
            "library: skip 1.1: contended atomics {CLIENT} 100× (90 in 1.0 → 9,000), back only in part by 1.2 \
             (600); instructions {CLIENT} +30.0 % (1,000,000 in 1.0 → 1,300,000), back within 5 % by 1.2 \
             (1,000,000). Move to 1.2, the newest: within 5 % of the best release in 1 of 2 series, 1.0 in 2"
        )
    );
}

#[test]
fn a_step_that_never_comes_back_is_no_release_to_skip() {
    let values = [("1.0", 1e6), ("1.1", 1.3e6), ("1.2", 1.31e6)];
    assert_eq!(
        sentence(vec![instructions(&values)]),
        format!(
            "library: no release to skip: none is 10 % worse than both an earlier and a later one; largest \
             step: instructions {CLIENT} +30.0 % in 1.1 (1,000,000 in 1.0 → 1,300,000), never back. Move to \
             1.2, the newest: within 5 % of the best release in 0 of 1 series, 1.0 in 1; still above 1.0: \
             instructions {CLIENT} +31.0 % (1,000,000 → 1,310,000), by 10 % or more since 1.1"
        )
    );
}

#[test]
fn a_newest_release_that_steps_up_is_not_moved_to() {
    let values = [("1.0", 1e6), ("1.1", 1e6), ("1.2", 1.31e6)];
    assert_eq!(
        sentence(vec![instructions(&values)]),
        format!(
            "library: no release to skip: none is 10 % worse than both an earlier and a later one. Move to \
             1.1: within 5 % of the best release in 1 of 1 series; 1.2 steps up: instructions {CLIENT} \
             +31.0 % (1,000,000 in 1.1 → 1,310,000), and no later release shows whether that lasts"
        )
    );
}

#[test]
fn only_improvements_and_single_releases_have_short_answers() {
    let values = [("1.0", 1e6), ("1.1", 0.7e6), ("1.2", 0.5e6)];
    assert_eq!(
        sentence(vec![instructions(&values)]),
        "library: no release to skip: none is 10 % worse than both an earlier and a later one, and no \
         step up is more than negligible. Move to 1.2, the newest: within 5 % of the best release in 1 of 1 \
         series"
    );
    let single = history(vec![instructions(&[("1.0", 1e6)])]);
    assert!(single.stacks.is_empty() && single.single == ["library"]);
    assert!(releases_terminal(&single).contains("1 stack with one release: library."));
}

#[test]
fn failed_builds_and_other_environments_are_not_compared() {
    let elsewhere = "work a; harness x; kernel 7";
    let values = [
        ("1.0", HERE, Some(1e6)),
        ("1.1", HERE, None),
        ("1.2", elsewhere, Some(3e6)),
        ("1.3", elsewhere, Some(1e6)),
    ];
    let answer = sentence(vec![timeline("count.instructions", "instructions", &values)]);
    assert!(answer.contains("no release to skip") && answer.contains("Move to 1.3, the newest"), "{answer}");
    // 1.0 that was measured there, too, joins both.
    let mut joined = values.to_vec();
    joined.insert(1, ("1.0", elsewhere, Some(1.1e6)));
    let answer = sentence(vec![timeline("count.instructions", "instructions", &joined)]);
    assert!(answer.contains("skip 1.2") && answer.contains("back within 5 % by 1.3"), "{answer}");
}

#[test]
fn regressions_and_improvements_have_tables_of_their_own() {
    let mut one = instructions(&[("1.0", 1e6), ("1.1", 1.3e6), ("1.2", 1e6)]);
    one.annotate("1.1", "a check was added");
    let text = releases_markdown(&history(vec![one]));
    let row = "| library 1.1 | instructions | +30.0 % | 1,000,000 → 1,300,000 | handshake/1.3/rsa-2048/x25519/aes-128-gcm/chain+name client | 1 | a check was added |";
    let (regressions, improvements) = text.split_once("## Improvements").unwrap();
    assert!(regressions.contains(row), "{text}");
    assert!(
        improvements.contains("| library 1.2 | instructions | −23.1 % | 1,300,000 → 1,000,000 |"),
        "{text}"
    );
    assert!(!improvements.contains("1.1 |"), "{text}");
}
