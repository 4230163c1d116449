//! Releases that were measured in several environments.

use std::cmp::Ordering;

use tlslab_history::Cause;
use tlslab_record::{FigureOutcome, FigureValue, HistoryPolicy, Point, Series};
use tlslab_report::timeline::{Timeline, Timelines, by_version, pages, terminal};

const OLD: &str = "work a; harness x; kernel 6";
const NEW: &str = "work a; harness x; kernel 7";

fn series() -> Series {
    let text = str::to_owned;
    Series {
        scenario: text("handshake/1.3"),
        stack: text("library"),
        side: text("client"),
        metric: text("count.instructions"),
        unit: text("instructions"),
        class: text("some processor"),
    }
}

/// Points in the order of time.
fn points(measured: &[(&str, &str, Option<f64>)]) -> Vec<Point> {
    let point = |(at, (label, epoch, value)): (usize, &(&str, &str, Option<f64>))| Point {
        run: format!("run-{at}"),
        started_unix_ms: 1_767_225_600_000 + at as u64 * 60_000,
        stack: format!("library@{label}"),
        place: 0,
        label: (*label).to_owned(),
        epoch: (*epoch).to_owned(),
        outcome: match value {
            Some(value) => {
                FigureOutcome::Value(FigureValue { value: *value, lower: None, upper: None, n: 1 })
            }
            None => FigureOutcome::Failed { failed: "not built".to_owned() },
        },
    };
    measured.iter().enumerate().map(point).collect()
}

fn by_letters(a: &str, b: &str) -> Ordering {
    a.cmp(b)
}

fn ordered(measured: &[(&str, &str, Option<f64>)]) -> Vec<Point> {
    by_version(points(measured), true, by_letters)
}

fn timeline(points: &[Point]) -> Timeline {
    Timeline::of(series(), points, &[], &HistoryPolicy::default())
}

fn changes(timeline: &Timeline) -> Vec<(&str, Cause, f64)> {
    let changes = timeline.history.iter().flat_map(|history| &history.changes);
    changes.map(|change| (&*change.label, change.cause, change.ratio.unwrap())).collect()
}

/// 1.1 appears after the kernel was changed, which costs 1 %; the release itself costs 10 %. 1.0 is measured
/// again in the same run.
#[test]
fn a_step_survives_another_kernel() {
    let measured = [("1.0", OLD, Some(1e6)), ("1.0", NEW, Some(1.01e6)), ("1.1", NEW, Some(1.111e6))];
    for points in [points(&measured), ordered(&measured)] {
        let timeline = timeline(&points);
        assert_eq!(changes(&timeline), [("1.0", Cause::Epoch, 1.01), ("1.1", Cause::Change, 1.1)]);
        let steps: Vec<_> = timeline.steps().map(|step| &*step.label).collect();
        assert_eq!(steps, ["1.1"]);
        assert_eq!(timeline.environment_change(1).and_then(|change| change.ratio), Some(1.01));
        assert!(timeline.environment_change(2).is_none());
        let timelines = Timelines { format: Timelines::FORMAT, reference: None, timelines: vec![timeline] };
        let text = terminal(&timelines);
        assert!(
            text.contains(
                "1.0 again, in another environment: 1,000,000 → 1,010,000 (+1.00 %); the environment"
            ),
            "{text}"
        );
        assert!(text.contains("changed at 1.1: 1,010,000 → 1,111,000 (+10.0 %)"), "{text}");
    }
}

/// Without the second measurement of 1.0 the cause of the difference is unknown.
#[test]
fn without_the_release_before_the_step_is_lost() {
    let timeline = timeline(&points(&[("1.0", OLD, Some(1e6)), ("1.1", NEW, Some(1.111e6))]));
    assert_eq!(changes(&timeline), [("1.1", Cause::Epoch, 1.111)]);
    assert!(timeline.steps().next().is_none() && timeline.environment_change(1).is_none());
}

/// The driver of one release is another one since: what differs is the driver's, not the release's.
#[test]
fn another_driver_of_the_same_release_is_no_step() {
    let driver = "work a; harness y; kernel 6";
    let timeline = timeline(&points(&[("1.0", OLD, Some(1e6)), ("1.0", driver, Some(2e6))]));
    assert!(timeline.steps().next().is_none() && timeline.environment_change(1).is_some());
}

#[test]
fn in_the_order_of_versions_neighbours_in_one_epoch_are_beside_each_other() {
    let order = |measured: &[(&str, &str, Option<f64>)]| -> Vec<String> {
        let of = |point: &Point| format!("{} {}", point.label, &point.epoch[point.epoch.len() - 1..]);
        ordered(measured).iter().map(of).collect()
    };
    let one = Some(1.0);
    // All were measured again on the new kernel, and then there was one more.
    let again = [("1", OLD, one), ("2", OLD, one), ("1", NEW, one), ("2", NEW, one), ("3", NEW, one)];
    assert_eq!(order(&again), ["1 7", "1 6", "2 6", "2 7", "3 7"]);
    // A release between two others, both of which were measured again with it.
    let between = [
        ("1", OLD, one),
        ("3", OLD, one),
        ("1", NEW, one),
        ("2", NEW, one),
        ("3", NEW, one),
        ("4", OLD, one),
    ];
    assert_eq!(order(&between), ["1 6", "1 7", "2 7", "3 7", "3 6", "4 6"]);
    // A point that would separate its neighbours is excluded; a release without a value separates no points.
    let separated = [("2", OLD, one), ("1", NEW, one), ("2", NEW, one), ("2x", NEW, None), ("3", NEW, one)];
    assert_eq!(order(&separated), ["1 7", "2 7", "2x 7", "3 7"]);
    // Without neighbours the order is that of time.
    assert_eq!(order(&[("1", OLD, one), ("1", NEW, one), ("1", OLD, one)]), ["1 7", "1 6", "1 6"]);
    assert_eq!(order(&[("1", OLD, None)]), ["1 6"]);
    // Figures that scatter are divided by a reference instead, and keep their measured values.
    let timed = by_version(points(&between), false, by_letters);
    assert_eq!(
        timed.iter().map(|point| &*point.run).collect::<Vec<_>>(),
        ["run-0", "run-2", "run-3", "run-1", "run-4", "run-5"]
    );
}

#[test]
fn pages_have_one_point_for_each_release_and_no_environment_in_it() {
    let measured = [
        ("1.0", OLD, Some(1e6)),
        ("1.0", NEW, Some(1.05e6)),
        ("1.1", NEW, Some(1.05e6)),
        ("1.2", NEW, Some(1.155e6)),
    ];
    let timeline = timeline(&ordered(&measured));
    let releases: Vec<_> =
        timeline.releases().iter().map(|release| (release.label, release.at, release.value)).collect();
    assert_eq!(releases, [("1.0", 1, 1.05e6), ("1.1", 2, 1.05e6), ("1.2", 3, 1.155e6)]);
    let chained: Vec<f64> = timeline.releases().iter().map(|release| release.chained.round()).collect();
    assert_eq!(chained, [1e6, 1e6, 1.1e6]);
    let files = pages(&Timelines { format: Timelines::FORMAT, reference: None, timelines: vec![timeline] });
    let drawing = &files["library-count.instructions.svg"];
    assert_eq!((drawing.matches("<circle").count(), drawing.matches("<polyline").count()), (3, 1));
    assert!(drawing.contains("1.0 client: 1,050,000") && drawing.contains("+10.5 %"), "{drawing}");
    let page = &files["library.md"];
    assert!(page.contains("3 releases, 1.0 to 1.2"), "{page}");
    assert!(
        page.contains("| 1.2 | instructions | +10.0 % | 1,000,000 → 1,100,000 | handshake/1.3 client |"),
        "{page}"
    );
    assert!(page.contains("| 1.0 | kernel 7 | instructions | 1 | +5.00 % |"), "{page}");
    assert!(!page.contains("| 1.0 | instructions |"), "{page}");
}
