//! Series with a known history.

mod tested;

use tested::TESTED;
use tlslab_history::{Cause, History, Options, Point, segments};
use tlslab_stats::Refused;

/// Levels 100 and 110 with the same five values around them: ln-symmetric, so the levels are exact.
#[test]
fn a_step_worked_by_hand() {
    let around: [f64; 5] = [-0.002, -0.001, 0.0, 0.001, 0.002];
    let value = |place: usize| (if place < 10 { 100.0 } else { 110.0 }) * around[place * 2 % 5].exp();
    let history = segment(&(0..20).map(value).collect::<Vec<f64>>());
    let [before, after] = &history.segments[..] else { panic!("{history:?}") };
    assert_eq!((before.from, before.to, after.from, after.to), (0, 10, 10, 20));
    near(before.level, 100.0);
    near(after.level, 110.0);
    // Each distance from the level is 0, 1 or 2 thousandths twice, four times and four times: the median is 1, the factor
    // √(10/9).
    near(before.spread.unwrap(), 0.001_482_602_218_505_602 * (10.0_f64 / 9.0).sqrt());
    let [change] = &history.changes[..] else { panic!("{history:?}") };
    assert_eq!((change.at, &change.label[..], change.cause), (10, "r10", Cause::Change));
    near(change.ratio.unwrap(), 1.1);
    // t(0.995, 18) = 2.878440; both segments' twenty points have the median 1, two levels are taken: √(20/18), √(11/10).
    let spread = 0.001_482_602_218_505_602 * (20.0_f64 / 18.0).sqrt();
    assert!((history.threshold.unwrap() - 2.878_440 * spread * 1.1_f64.sqrt()).abs() < 1e-8);
}

#[test]
fn exact_counts_change_where_they_change_and_have_no_threshold_to_exceed() {
    let counts: Vec<f64> = (0..30).map(|place| if place < 20 { 5_000_000.0 } else { 5_000_100.0 }).collect();
    let history = segment(&counts);
    assert_eq!(history.changes.iter().map(|change| change.at).collect::<Vec<usize>>(), [20]);
    assert_eq!((history.segments[1].spread, history.threshold), (Some(0.0), Some(0.0)));
}

#[test]
fn one_wild_run_is_no_change() {
    let mut values: Vec<f64> = (0..40).map(|place| 100.0 + f64::from(place * 7 % 11) / 20.0).collect();
    values[17] = 300.0;
    assert_eq!(segment(&values).changes, []);
    assert!(segment(&values).threshold.unwrap() < 0.01, "and it moves no threshold");
}

#[test]
fn a_new_epoch_begins_a_segment_and_is_called_so() {
    let mut points = plain(&[100.0; 8]);
    for point in &mut points[5..] {
        point.epoch = "new kernel".into();
        point.value = 120.0;
    }
    let history = segments(&points, &TESTED).unwrap();
    let [change] = &history.changes[..] else { panic!("{history:?}") };
    assert_eq!((change.at, change.cause, change.p_value), (5, Cause::Epoch, None));
    near(change.ratio.unwrap(), 1.2);
    // Even without a move, as it cannot be known.
    points[5..].iter_mut().for_each(|point| point.value = 100.0);
    let history = segments(&points, &TESTED).unwrap();
    assert_eq!(history.segments.len(), 2);
    near(history.changes[0].ratio.unwrap(), 1.0);
}

#[test]
fn a_reference_takes_the_machine_out() {
    // The machine is 20 % slower from 15 on, in a new epoch; the program is 10 % faster from 30 on.
    let points: Vec<Point> = (0..45)
        .map(|place| {
            let machine = if place < 15 { 1.0 } else { 1.2 };
            let program = if place < 30 { 100.0 } else { 90.0 };
            let wobble = 1.0 + 0.0001 * f64::from(place * 7 % 11);
            Point {
                value: machine * program * wobble,
                seen: None,
                reference: Some(machine * 7.0 * (1.0 + 0.0001 * f64::from(place * 5 % 13))),
                epoch: if place < 15 { "old" } else { "new" }.into(),
                definition: String::new(),
                label: place.to_string(),
            }
        })
        .collect();
    let history = segments(&points, &TESTED).unwrap();
    let seen: Vec<(usize, Cause)> = history.changes.iter().map(|change| (change.at, change.cause)).collect();
    assert_eq!(seen, [(15, Cause::Machine), (30, Cause::Change)]);
    assert!(
        (history.changes[0].ratio.unwrap() - 1.2).abs() < 1e-3
            && (history.changes[0].before - 7.0).abs() < 0.01
    );
    assert!((history.changes[1].ratio.unwrap() - 0.9).abs() < 1e-3);
    // Levels are those of the machine of the last points.
    assert_eq!(history.segments.iter().map(|segment| segment.to).collect::<Vec<usize>>(), [30, 45]);
    assert!((history.segments[0].level - 120.0).abs() < 0.2 && history.segments[0].by_reference);
    // Without the reference the new epoch cuts, and the change of the program is still found.
    let bare: Vec<Point> =
        points.iter().map(|point| Point { seen: None, reference: None, ..point.clone() }).collect();
    let seen: Vec<Cause> =
        segments(&bare, &TESTED).unwrap().changes.iter().map(|change| change.cause).collect();
    assert_eq!(seen, [Cause::Epoch, Cause::Change]);
}

/// A new machine on which the program gains more than the reference does: not the program's doing, either.
#[test]
fn a_change_where_the_epoch_changes_is_put_down_to_it() {
    let points: Vec<Point> = (0..40)
        .map(|place| Point {
            value: if place < 20 { 100.0 } else { 70.0 },
            seen: None,
            reference: Some(if place < 20 { 10.0 } else { 8.0 }),
            epoch: (place / 20).to_string(),
            definition: String::new(),
            label: String::new(),
        })
        .collect();
    let history = segments(&points, &TESTED).unwrap();
    let causes: Vec<Cause> = history.changes.iter().map(|change| change.cause).collect();
    assert_eq!(causes, [Cause::Machine, Cause::Epoch]);
    near(history.changes[1].ratio.unwrap(), 70.0 / 80.0);
    assert!(history.changes[1].p_value.is_some());
}

/// A scenario with more work is no slower library, whatever a reference shows of the machine.
#[test]
fn another_definition_begins_anew_and_is_no_change() {
    let points: Vec<Point> = (0..40)
        .map(|place| Point {
            value: if place < 20 { 100.0 } else { 130.0 },
            seen: None,
            reference: Some(10.0),
            epoch: "one".to_owned(),
            definition: (place / 20).to_string(),
            label: String::new(),
        })
        .collect();
    let history = segments(&points, &TESTED).unwrap();
    assert_eq!(history.segments.iter().map(|segment| segment.to).collect::<Vec<usize>>(), [20, 40]);
    assert!(history.changes.iter().all(|change| change.cause == Cause::Epoch), "{:?}", history.changes);
}

#[test]
fn where_the_reference_begins_the_series_is_cut() {
    let mut points = plain(&[100.0; 12]);
    points[6..].iter_mut().for_each(|point| point.reference = Some(5.0));
    let history = segments(&points, &TESTED).unwrap();
    assert_eq!(
        history.segments.iter().map(|segment| segment.by_reference).collect::<Vec<bool>>(),
        [false, true]
    );
    assert_eq!(
        history.changes.iter().map(|change| (change.at, change.cause)).collect::<Vec<_>>(),
        [(6, Cause::Epoch)]
    );
}

#[test]
fn few_points_say_little() {
    let one = segment(&[7.0]);
    assert_eq!((one.segments.len(), one.segments[0].spread, one.threshold), (1, None, None));
    let two = segment(&[7.0, 7.7]);
    assert_eq!(two.changes, []);
    assert!(two.threshold.unwrap() > 1.0, "two points know nothing of their scatter: {two:?}");
    assert_eq!(
        segment(&[1.0, 1.0, 1.0, 9.0, 9.0, 9.0]).changes,
        [],
        "random order does this once in ten times"
    );
}

#[test]
fn awkward_points_are_refused() {
    let refused = |points: &[Point]| segments(points, &TESTED).unwrap_err();
    assert_eq!(refused(&[]), Refused::TooFew { n: 0, needed: 1 });
    assert!(matches!(refused(&plain(&[1.0, f64::NAN])), Refused::NotFinite { index: 1, .. }));
    assert_eq!(refused(&plain(&[1.0, 0.0])), Refused::NotPositive { index: 1, value: 0.0 });
    let mut points = plain(&[1.0]);
    points[0].reference = Some(-1.0);
    assert_eq!(refused(&points), Refused::NotPositive { index: 0, value: -1.0 });
    let options = Options { permutations: 9, ..TESTED };
    assert!(matches!(segments(&plain(&[1.0]), &options), Err(Refused::OutOfRange { .. })));
}

fn plain(values: &[f64]) -> Vec<Point> {
    let point = |(place, value): (usize, &f64)| Point {
        value: *value,
        seen: None,
        reference: None,
        epoch: "one".into(),
        definition: String::new(),
        label: format!("r{place}"),
    };
    values.iter().enumerate().map(point).collect()
}

fn segment(values: &[f64]) -> History {
    segments(&plain(values), &TESTED).unwrap()
}

#[track_caller]
fn near(ours: f64, expected: f64) {
    assert!((ours - expected).abs() <= 1e-9 * expected.abs(), "{ours} is not {expected}");
}
