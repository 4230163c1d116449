use serde_json::json;
use tlslab_comparison::FailOn;
use tlslab_record::{Figure, FigureOutcome, FigureValue, Fingerprint, ImportedRun};
use tlslab_store::Address;

use super::*;

fn series(metric: &str) -> Series {
    Series {
        scenario: "s".into(),
        stack: "library".into(),
        side: "client".into(),
        metric: metric.into(),
        unit: (if metric == "time" { "ns" } else { "instructions" }).into(),
        class: "c".into(),
    }
}

fn point(run: usize, place: u32, value: f64) -> Point {
    Point {
        run: format!("run{run}"),
        started_unix_ms: run as u64,
        stack: "library@1".into(),
        place,
        label: format!("{run}.{place}"),
        epoch: String::new(),
        outcome: FigureOutcome::Value(FigureValue { value, lower: Some(value), upper: Some(value), n: 3 }),
    }
}

#[test]
fn times_are_compared_with_those_beside_them_alone() {
    // The machine is twice as fast in every other run; within each the versions differ by 0.2 %.
    let pairs = |run: usize| {
        let level = if run.is_multiple_of(2) { 100.0 } else { 50.0 };
        let sign = if run.is_multiple_of(3) { -1.0 } else { 1.0 };
        [point(run, 0, level), point(run, 1, level * (1.0 + sign * 0.002))]
    };
    let points: Vec<Point> = (0..12).flat_map(pairs).collect();
    let tracked = threshold(&series("time"), points.clone(), &HistoryPolicy::default()).unwrap();
    assert_eq!(tracked.points, 12);
    assert!((0.006..0.012).contains(&tracked.threshold), "{tracked:?}");
    assert_eq!(threshold(&series("time"), points[..18].to_vec(), &HistoryPolicy::default()), None);
}

#[test]
fn counts_have_the_tolerance_of_their_series() {
    let points: Vec<Point> = (0..10).map(|run| point(run, 0, 1e6)).collect();
    let policy = HistoryPolicy::default();
    let tracked = threshold(&series("count.instructions"), points.clone(), &policy).unwrap();
    assert_eq!(tracked, Tracked { threshold: policy.step_floor, points: 10 });
    assert_eq!(threshold(&series("count.instructions"), points[1..].to_vec(), &policy), None);
}

#[test]
fn counts_of_versions_that_differ_have_a_threshold_above_that() {
    // Each version differs from the one before by 1 %; both of a push are counted, so that each occurs twice.
    let value = |version: usize| 1e6 * if version.is_multiple_of(2) { 1.0 } else { 1.01 };
    let push = |run: usize| {
        let labelled = |place: u32, version: usize| Point {
            label: version.to_string(),
            ..point(run, place, value(version))
        };
        [labelled(0, run), labelled(1, run + 1)]
    };
    let points: Vec<Point> = (0..10).flat_map(push).collect();
    let policy = HistoryPolicy::default();
    let tracked = threshold(&series("count.instructions"), points.clone(), &policy).unwrap();
    assert_eq!(tracked.points, 20);
    assert!((0.03..0.06).contains(&tracked.threshold), "{tracked:?}");
    // Another kernel changes no count.
    let mut updated = points;
    updated.iter_mut().skip(7).for_each(|point| point.epoch = "kernel 2".to_owned());
    assert_eq!(threshold(&series("count.instructions"), updated, &policy), Some(tracked));
}

/// A database in which versions of a library were compared: (baseline, its count, candidate, its count).
fn compared(runs: &[(&str, f64, &str, f64)]) -> (tempfile::TempDir, Box<dyn Store>) {
    let folder = tempfile::tempdir().unwrap();
    let mut store = tlslab_store::open(&Address::Sqlite(folder.path().join("history.sqlite"))).unwrap();
    for (number, (baseline, before, candidate, after)) in runs.iter().enumerate() {
        let figure = |place: u32, label: &str, value: f64| Figure {
            series: Series { class: runner_class(&Fingerprint::default()), ..series("count.instructions") },
            stack: format!("library@{label}"),
            place,
            label: label.to_owned(),
            epoch: "work w; harness h; kernel 6".to_owned(),
            outcome: point(0, place, value).outcome,
        };
        let run = ImportedRun {
            id: format!("run{number}"),
            started_unix_ms: 1 + number as u64,
            format: "test".to_owned(),
            label: String::new(),
            files: vec![],
            raw: vec![],
        };
        store.import(&run, &[figure(0, baseline, *before), figure(1, candidate, *after)]).unwrap();
    }
    (folder, store)
}

/// The subject: the count of this candidate grew by that share.
fn judged(label: &str, share: f64, store: &dyn Store) -> Comparison {
    let mut comparison: Comparison = serde_json::from_value(json!({
        "format": 1, "runs": ["judged"], "lab_version": "1", "started_unix_ms": 0, "complete": true,
        "measuring_s": 1.0, "warnings": [],
        "design": { "arrangement": "interleaved", "looks": [], "confirmation": 0, "false_discovery_rate": 0.02,
                    "time_floor_percent": 0.1, "exact_floor_percent": 0.01, "negligible_percent": 0.5 },
        "pairs": [{ "base": "base", "base_version": "1", "new": "new", "new_version": "1", "identical": false,
                    "version": { "stack": "library", "label": label },
                    "definitions": { "s": "work w; harness h" } }],
        "changes": [{ "pair": 0, "scenario": "s", "side": "client", "metric": "count.instructions",
                      "verdict": "regression", "base": 1e6, "new": 1e6 * (1.0 + share), "ratio": 1.0 + share,
                      "interval": null, "n": 5, "p_value": null, "q_value": null, "threshold": 0.0001,
                      "detectable": null, "exact": true, "ratios": [] }],
    }))
    .unwrap();
    track(&mut comparison, store, &HistoryPolicy::default()).unwrap();
    comparison
}

#[track_caller]
fn assert_fails(label: &str, share: f64, store: &dyn Store) -> usize {
    let comparison = judged(label, share, store);
    assert!(comparison.fails_on(FailOn::Regression), "{:?}", comparison.changes[0].effect().unwrap().tracked);
    comparison.changes[0].effect().unwrap().tracked.map_or(0, |tracked| tracked.points)
}

#[test]
fn a_comparison_that_is_repeated_is_not_its_own_history() {
    let runs = [("a000000", 1e6, "b000000", 1.175e6); 20];
    let (_folder, store) = compared(&runs);
    // Only the baseline was on the branch, and did not change.
    assert_eq!(assert_fails("b000000", 0.175, &*store), 20);
    // Nor does another user's repetition hide a regression.
    assert_eq!(assert_fails("c000000", 0.0487, &*store), 20);
}

#[test]
fn candidates_that_were_not_merged_are_no_history() {
    let labels: Vec<String> = (1..=12).map(|at| format!("{at:x}00000c")).collect();
    let runs: Vec<_> = labels
        .iter()
        .zip(1..)
        .map(|(label, at)| ("a000000", 1e6, label.as_str(), 1e6 * (1.0 + 0.008 * f64::from(at))))
        .collect();
    let (_folder, store) = compared(&runs);
    assert_eq!(assert_fails("f000000", 0.049, &*store), 12);
}

/// Pushes to a branch, each compared with the one before: each version's count.
fn pushed(counts: &[f64]) -> (tempfile::TempDir, Box<dyn Store>) {
    let labels: Vec<String> = (0..counts.len()).map(|at| format!("{at:x}00000a")).collect();
    let runs: Vec<_> = (1..counts.len())
        .map(|at| (labels[at - 1].as_str(), counts[at - 1], labels[at].as_str(), counts[at]))
        .collect();
    compared(&runs)
}

#[test]
fn pushes_that_changed_nothing_leave_a_narrow_threshold() {
    let (_folder, store) = pushed(&[1e6; 12]);
    assert_fails("f00000b", 0.01, &*store);
}

#[test]
fn a_step_in_the_history_is_no_scatter() {
    let mut counts = [1e6; 12];
    counts[6..].fill(1.17e6);
    let (_folder, store) = pushed(&counts);
    assert_fails("f00000b", 0.01, &*store);
    let stairs: Vec<f64> = (0..12).map(|at| 1e6 * 1.02_f64.powi(at)).collect();
    let (_folder, store) = pushed(&stairs);
    assert_fails("f00000b", 0.01, &*store);
}

#[test]
fn a_change_within_the_scatter_of_the_branch_is_below_its_threshold() {
    let counts: Vec<f64> = (0..14).map(|at| 1e6 * (1.0 + 0.01 * f64::from(at * 7 % 5))).collect();
    let (_folder, store) = pushed(&counts);
    let comparison = judged("f00000b", 0.01, &*store);
    assert!(!comparison.fails_on(FailOn::Regression));
    assert_fails("f00000b", 0.5, &*store);
}

#[test]
fn released_versions_are_history_wherever_they_stand_in_a_run() {
    let versions: Vec<String> = (1..=11).map(|minor| format!("3.{minor}.0")).collect();
    let runs: Vec<_> = versions.iter().map(|version| ("3.0.0", 1e6, version.as_str(), 1e6)).collect();
    let (_folder, store) = compared(&runs);
    assert_eq!(assert_fails("3.12.0", 0.01, &*store), 22);
}
