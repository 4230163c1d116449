//! What must hold for any series.

mod tested;

use proptest::prelude::*;
use tested::TESTED;
use tlslab_history::{Cause, History, Point, segments};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn every_point_lies_in_one_segment_and_every_cut_has_a_change(points in points()) {
        let history = segment(&points);
        let ends: Vec<usize> = history.segments.iter().map(|segment| segment.to).collect();
        let starts: Vec<usize> = history.segments.iter().map(|segment| segment.from).collect();
        prop_assert_eq!(starts[0], 0);
        prop_assert_eq!(*ends.last().unwrap(), points.len());
        prop_assert_eq!(&starts[1..], &ends[..ends.len() - 1]);
        let cutting = |change: &&tlslab_history::Change| change.cause != Cause::Machine;
        let cuts: Vec<usize> = history.changes.iter().filter(cutting).map(|change| change.at).collect();
        prop_assert_eq!(&starts[1..], &cuts[..]);
        prop_assert!(history.changes.is_sorted_by_key(|change| change.at));
    }

    #[test]
    fn what_was_tested_is_significant_and_leaves_three_on_either_side(points in points()) {
        let history = segment(&points);
        for (pair, change) in history.segments.windows(2).zip(history.changes.iter().filter(|c| c.cause != Cause::Machine)) {
            if change.cause == Cause::Change {
                prop_assert!(pair.iter().all(|segment| segment.to - segment.from >= 3));
            }
            prop_assert!(change.p_value.is_none_or(|p| p <= 0.001));
            let ratio = change.ratio.unwrap();
            prop_assert!((ratio - pair[1].level / pair[0].level).abs() < 1e-12 * ratio);
        }
        prop_assert!(history.threshold.is_none_or(|threshold| threshold >= 0.0));
    }

    #[test]
    fn the_unit_does_not_matter(points in points(), by in prop::sample::select(vec![0.25, 2.0, 1024.0])) {
        let scaled: Vec<Point> =
            points.iter().map(|point| Point { value: point.value * by, ..point.clone() }).collect();
        let (before, after) = (segment(&points), segment(&scaled));
        prop_assert_eq!(before.segments.len(), after.segments.len());
        for (before, after) in before.segments.iter().zip(&after.segments) {
            prop_assert_eq!((before.from, before.to), (after.from, after.to));
            prop_assert!((before.level * by / after.level - 1.0).abs() < 1e-9);
        }
    }

    #[test]
    fn the_seed_is_all_the_chance_there_is(points in points()) {
        prop_assert_eq!(segment(&points), segment(&points));
    }

    #[test]
    fn nothing_panics_on_any_floats(
        values in prop::collection::vec((any::<f64>(), any::<Option<f64>>(), any::<bool>()), 0..12)
    ) {
        let point = |(value, reference, new): &(f64, Option<f64>, bool)| {
            Point { value: *value, seen: None, reference: *reference, epoch: new.to_string(), definition: String::new(), label: String::new() }
        };
        let _ = segments(&values.iter().map(point).collect::<Vec<Point>>(), &TESTED);
    }
}

/// Up to three levels, some wobble with ties in it, now and then another epoch or a reference.
fn points() -> impl Strategy<Value = Vec<Point>> {
    let run = (50.0..200.0_f64, 0..3_u8, any::<bool>(), prop::collection::vec(-4..5_i32, 1..20));
    prop::collection::vec(run, 1..4).prop_map(|runs| {
        let points = runs.into_iter().flat_map(|(level, epoch, referenced, wobbles)| {
            wobbles.into_iter().map(move |wobble| Point {
                value: level * (1.0 + 0.001 * f64::from(wobble)),
                seen: None,
                reference: referenced.then_some(10.0 * (1.0 + 0.0003 * f64::from(wobble * wobble))),
                epoch: epoch.to_string(),
                definition: String::new(),
                label: String::new(),
            })
        });
        points.collect()
    })
}

fn segment(points: &[Point]) -> History {
    segments(points, &TESTED).unwrap()
}
