//! False discoveries among many series.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tlslab_record::{FigureOutcome, FigureValue, HistoryPolicy, Point, Series};
use tlslab_report::timeline::{Timeline, control};
use tlslab_stats::normal_quantile;

const POINTS: usize = 40;
const AT: usize = 20;

fn timeline(number: usize, step: f64, random: &mut ChaCha8Rng, policy: &HistoryPolicy) -> Timeline {
    let series = Series {
        scenario: format!("scenario {number}"),
        stack: "library".into(),
        side: "client".into(),
        metric: "time".into(),
        unit: "µs".into(),
        class: "c".into(),
    };
    let point = |at: usize| {
        let noise = 0.003 * normal_quantile(random.random::<f64>().max(f64::EPSILON));
        let value = ((if at < AT { 0.0 } else { step }) + noise).exp();
        Point {
            run: format!("run {at}"),
            started_unix_ms: at as u64,
            stack: "library@1".into(),
            place: 0,
            label: at.to_string(),
            epoch: "e".into(),
            outcome: FigureOutcome::Value(FigureValue { value, lower: None, upper: None, n: 8 }),
        }
    };
    let points: Vec<Point> = (0..POINTS).map(point).collect();
    Timeline::of(series, &points, &[], policy)
}

fn changed(timelines: &[Timeline]) -> Vec<usize> {
    let has_change = |at: &usize| timelines[*at].changes().next().is_some();
    (0..timelines.len()).filter(has_change).collect()
}

#[test]
fn of_many_series_few_changes_are_false() {
    // Each series alone may show a change in one of twenty cases.
    let policy = HistoryPolicy { alpha: 0.05, ..HistoryPolicy::default() };
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let of = |number: usize, random: &mut ChaCha8Rng| {
        timeline(number, if number < 15 { 0.02 } else { 0.0 }, random, &policy)
    };
    let mut timelines: Vec<Timeline> = (0..150).map(|number| of(number, &mut random)).collect();
    let false_ones = |found: &[usize]| found.iter().filter(|number| **number >= 15).count();
    let before = changed(&timelines);
    assert!(false_ones(&before) >= 3, "{before:?}");
    control(&mut timelines, &policy);
    let after = changed(&timelines);
    assert_eq!(after.len() - false_ones(&after), 15, "every step is still found: {after:?}");
    assert!(false_ones(&after) <= 1, "{after:?}");
    for timeline in &timelines[..15] {
        let [change] = &timeline.history.as_ref().unwrap().changes[..] else { panic!("{timeline:?}") };
        assert!(change.at.abs_diff(AT) <= 1);
    }
}

#[test]
fn where_nothing_passes_no_change_is_left() {
    let policy = HistoryPolicy { alpha: 0.05, ..HistoryPolicy::default() };
    let mut random = ChaCha8Rng::seed_from_u64(2);
    let mut timelines: Vec<Timeline> =
        (0..100).map(|number| timeline(number, 0.0, &mut random, &policy)).collect();
    assert!(!changed(&timelines).is_empty());
    control(&mut timelines, &policy);
    assert_eq!(changed(&timelines), [] as [usize; 0]);
}
