//! One made-up history in every rendering.

use tlslab_comparison::Reason;
use tlslab_record::{FigureOutcome, FigureValue, HistoryPolicy, Point, Series};
use tlslab_report::timeline::{Explanation, Timeline, Timelines, json, markdown, terminal};

const DAY_MS: u64 = 86_400_000;

fn series(stack: &str) -> Series {
    let text = str::to_owned;
    Series {
        scenario: text("handshake/1.3"),
        stack: text(stack),
        side: text("server"),
        metric: text("time"),
        unit: text("µs"),
        class: text("some processor, 2 cores, bare metal"),
    }
}

fn point(day: u64, label: &str, epoch: &str, outcome: FigureOutcome) -> Point {
    Point {
        run: format!("run-{day:02}"),
        started_unix_ms: 1_767_225_600_000 + day * DAY_MS,
        stack: format!("library@{label}"),
        place: 0,
        label: label.to_owned(),
        epoch: epoch.to_owned(),
        outcome,
    }
}

fn value(value: f64) -> FigureOutcome {
    let (lower, upper) = (Some(value * 0.99), Some(value * 1.01));
    FigureOutcome::Value(FigureValue { value, lower, upper, n: 16 })
}

/// Twelve days at 100, eight at 120, then four on another kernel at 90, and one that failed.
fn points(scale: f64) -> Vec<Point> {
    let level = |day: u64| match day {
        0..12 => 100.0,
        12..20 => 120.0,
        _ => 90.0,
    };
    let epoch = |day| if day < 20 { "kernel 6.1; lab 0.1.0" } else { "kernel 6.2; lab 0.1.0" };
    let label = |day| if day < 12 { "1.0" } else { "1.1 <b>|" };
    let wobble = |day: u64| [0.0, 0.4, -0.3, 0.2, -0.5][day as usize % 5];
    let mut points: Vec<Point> = (0..24)
        .map(|day| point(day, label(day), epoch(day), value(scale * (level(day) + wobble(day)))))
        .collect();
    points.push(point(24, "1.2", epoch(24), FigureOutcome::Failed { failed: "it fell over".to_owned() }));
    points
}

fn one(timeline: Timeline) -> Timelines {
    Timelines { format: Timelines::FORMAT, reference: None, timelines: vec![timeline] }
}

#[test]
fn a_step_and_an_epoch_are_distinguished() {
    let timeline = Timeline::of(series("library"), &points(1.0), &[], &HistoryPolicy::default());
    let segments: Vec<_> = timeline.segments().iter().map(|segment| (segment.from, segment.to)).collect();
    assert_eq!(segments, [(0, 12), (12, 20), (20, 24)]);
    let changes: Vec<_> = timeline.changes().map(|change| change.at).collect();
    assert_eq!(changes, [12], "another kernel is no change of the program");
    assert_eq!(timeline.epochs().collect::<Vec<_>>(), [0, 20]);
    assert_eq!(timeline.holes[0].why, "failed: it fell over");
    let mut ends: Vec<_> = timeline.end_runs().collect();
    ends.sort_unstable();
    ends.dedup();
    assert_eq!(ends, ["run-00", "run-11", "run-12", "run-19", "run-20", "run-23"]);
}

#[test]
fn what_the_reference_does_too_is_the_machine() {
    // Both stacks take 30 % longer from the tenth day on.
    let slow = |day: usize| if day < 10 { 1.0 } else { 1.3 };
    let both = |base: f64, wobble: usize| -> Vec<Point> {
        (0..20)
            .map(|day| {
                point(
                    day as u64,
                    "1",
                    "e",
                    value(base * slow(day) * (1.0 + 0.001 * (day * wobble % 7) as f64)),
                )
            })
            .collect()
    };
    let alone = Timeline::of(series("library"), &both(50.0, 3), &[], &HistoryPolicy::default());
    assert_eq!(alone.changes().count(), 1);
    let beside = Timeline::of(series("library"), &both(50.0, 3), &both(80.0, 5), &HistoryPolicy::default());
    assert_eq!(beside.segments().len(), 1, "{:?}", beside.history);
    assert_eq!(beside.points[0].reference, Some(80.0));
    assert!(beside.changes().all(|change| change.cause == tlslab_history::Cause::Machine));
}

#[test]
fn figures_without_a_logarithm_have_points_and_a_reason() {
    let zeros: Vec<Point> = (0..5).map(|day| point(day, "1", "e", value(0.0))).collect();
    let timeline = Timeline::of(series("library"), &zeros, &[], &HistoryPolicy::default());
    assert!(timeline.history.is_none() && timeline.segments().is_empty());
    assert!(terminal(&one(timeline.clone())).contains("no segments: "));
    assert_eq!(timeline.end_runs().count(), 2);
    let none = Timeline::of(series("library"), &[], &[], &HistoryPolicy::default());
    assert_eq!(none.end_runs().count(), 0);
}

#[test]
fn a_terminal_and_markdown_tell_the_same() {
    let timelines = one(Timeline::of(series("library"), &points(1.0), &[], &HistoryPolicy::default()));
    insta::assert_snapshot!("terminal", terminal(&timelines));
    insta::assert_snapshot!("markdown", markdown(&timelines));
}

#[test]
fn many_series_are_a_list() {
    let many = (0..8)
        .map(|one| {
            Timeline::of(series(&format!("library-{one}")), &points(1.0), &[], &HistoryPolicy::default())
        })
        .collect();
    let timelines = Timelines { format: Timelines::FORMAT, reference: None, timelines: many };
    insta::assert_snapshot!("list", terminal(&timelines));
    assert_eq!(markdown(&timelines).lines().count(), 10);
}

#[test]
fn programs_get_everything() {
    let timelines = one(Timeline::of(series("library"), &points(1.0), &[], &HistoryPolicy::default()));
    let read: serde_json::Value = serde_json::from_str(&json(&timelines)).unwrap();
    let timeline = &read["timelines"][0];
    assert_eq!(timeline["points"].as_array().unwrap().len(), 24);
    assert_eq!(timeline["history"]["changes"][0]["cause"], "change");
    assert_eq!(timeline["holes"][0]["why"], "failed: it fell over");
}

#[test]
fn histories_are_read_as_they_were_written() {
    let reference = points(3.0);
    let policy = HistoryPolicy::default();
    let mut timeline = Timeline::of(series("library"), &points(1.0), &reference, &policy);
    timeline.annotate("1.2", "never measured");
    timeline.annotate("1.1 <b>|", "another compiler");
    timeline.explained.insert(20, "the work asks for more".to_owned());
    let functions = vec![Reason { function: "sha256".to_owned(), change: 0.1 + 0.2 }];
    timeline.reasons.insert(12, Explanation { functions, between: vec!["1.0.1".to_owned()] });
    let refused = Timeline::of(series("young"), &points(1.0)[..1], &[], &policy);
    let (reference, timelines) = (Some("library-2".to_owned()), vec![timeline, refused]);
    let timelines = Timelines { format: Timelines::FORMAT, reference, timelines };
    assert_eq!(serde_json::from_str::<Timelines>(&json(&timelines)).unwrap(), timelines);

    // A reader of several kinds of values keeps a value before it knows which one it is; a later version has more fields.
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    #[serde(tag = "kind")]
    enum Kept {
        Histories(Timelines),
    }
    let mut value = serde_json::to_value(Kept::Histories(timelines.clone())).unwrap();
    value["later"] = true.into();
    for place in ["/timelines/0", "/timelines/0/points/3", "/timelines/0/history", "/timelines/0/series"] {
        value.pointer_mut(place).unwrap()["later"] = true.into();
    }
    assert_eq!(serde_json::from_str::<Kept>(&value.to_string()).unwrap(), Kept::Histories(timelines.clone()));
    value["timelines"][0]["notes"]["x"] = "text".into();
    let error = serde_json::from_str::<Kept>(&value.to_string()).unwrap_err().to_string();
    assert!(error.contains("\"x\" is not the number of a point"), "{error}");
}
