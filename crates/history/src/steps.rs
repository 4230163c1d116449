//! Series of counts: every step is seen at its point.
//!
//! A count of instructions or bytes is the same whenever the same program does the same work, so one point is enough to
//! know a level. A point is a change if it lies further from the level of its segment than the floor and the band of
//! the series together allow; the next point may be a change back.

use tlslab_stats::{Refused, median};

use crate::change::{Cause, Change};
use crate::point::check_counts;
use crate::segments::{History, Segment};
use crate::{Point, StepOptions};

/// Cuts a series of counts, which is in the order of its points, into levels.
///
/// Only points of one epoch are compared; a new epoch begins a segment. The band of an epoch is
/// `options.band` · σ, with σ the median over its points of the standard error of a point's median: the range of what the point saw,
/// divided by d₂(n) for the standard deviation and multiplied by √(π/2n). Source of d₂: Tippett, "On the extreme individuals and the
/// range of samples taken from a normal population", Biometrika 17 (1925). A point that lies more than
/// max(floor, band · √(1 + 1/l)) from the median of the l points of its segment, as |ln ratio|, begins the next segment. Where
/// one of both is 0 and the other is not, it does so in any case.
///
/// # Errors
/// [`Refused::TooFew`] without points, [`Refused::NotFinite`] and [`Refused::OutOfRange`] for values that no count has,
/// [`Refused::OutOfRange`] for options without a meaning.
pub fn steps(points: &[Point], options: &StepOptions) -> Result<History, Refused> {
    options.check()?;
    check_counts(points)?;
    let mut history = History { segments: Vec::new(), changes: Vec::new(), threshold: None, band: None };
    let mut from = 0;
    let same_epoch = |a: &Point, b: &Point| a.definition == b.definition && a.epoch == b.epoch;
    for stretch in points.chunk_by(same_epoch) {
        let band = options.band * standard_error(stretch);
        append(&mut history, points, (from, from + stretch.len()), options.floor, band);
        from += stretch.len();
        let length = history.segments.last().map_or(1, |segment| segment.to - segment.from);
        history.threshold = Some(tolerance(options.floor, band, length));
        history.band = Some(band);
    }
    Ok(history)
}

/// Adds the segments of the points between `from` and `to`, which are of one epoch.
fn append(history: &mut History, points: &[Point], (from, to): (usize, usize), floor: f64, band: f64) {
    let mut begun = from;
    for at in from + 1..=to {
        let level = level(&points[begun..at]);
        if at < to && distance(level, points[at].value) <= tolerance(floor, band, at - begun) {
            continue;
        }
        if let Some(before) = history.segments.last() {
            let cause = if begun == from { Cause::Epoch } else { Cause::Change };
            history.changes.push(Change::between(points, begun, (before.level, level), None, cause));
        }
        let spread = (at - begun > 1).then(|| spread(&points[begun..at], level));
        history.segments.push(Segment { from: begun, to: at, level, spread, by_reference: false });
        begun = at;
    }
}

fn tolerance(floor: f64, band: f64, length: usize) -> f64 {
    floor.max(band * (1.0 + 1.0 / length as f64).sqrt())
}

fn level(points: &[Point]) -> f64 {
    let values: Vec<f64> = points.iter().map(|point| point.value).collect();
    median(&values).expect("a segment has points, and they are finite")
}

/// |ln ratio|; infinite where one of both is 0.
fn distance(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a / b).ln().abs() }
}

/// The largest distance from the level.
fn spread(points: &[Point], level: f64) -> f64 {
    let largest = points.iter().map(|point| distance(point.value, level)).fold(0.0, f64::max);
    if largest.is_finite() { largest } else { 0.0 }
}

/// The median of the points' own standard errors, as a share; 0 where every point saw one value alone.
fn standard_error(points: &[Point]) -> f64 {
    let errors: Vec<f64> = points.iter().filter_map(|point| point.seen.as_ref()?.standard_error()).collect();
    median(&errors).unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Seen;
    use crate::tested::TESTED_STEPS;

    fn points(values: &[f64]) -> Vec<Point> {
        let point = |(at, value): (usize, &f64)| Point {
            value: *value,
            seen: None,
            reference: None,
            epoch: String::new(),
            definition: String::new(),
            label: format!("v{at}"),
        };
        values.iter().enumerate().map(point).collect()
    }

    fn found(points: &[Point]) -> Vec<(usize, Cause)> {
        let history = steps(points, &TESTED_STEPS).unwrap();
        history.changes.iter().map(|change| (change.at, change.cause)).collect()
    }

    #[test]
    fn a_step_is_seen_at_its_only_point_and_so_is_the_way_back() {
        let history = steps(&points(&[1_205_386.0, 1_205_386.0, 1_194_904.0, 1_205_386.0]), &TESTED_STEPS);
        let history = history.unwrap();
        let places: Vec<_> = history.changes.iter().map(|change| (change.at, &change.label[..])).collect();
        assert_eq!(places, [(2, "v2"), (3, "v3")]);
        assert!((history.changes[0].ratio.unwrap() - 1_194_904.0 / 1_205_386.0).abs() < 1e-12);
        assert_eq!((history.band, history.threshold), (Some(0.0), Some(TESTED_STEPS.floor)));
    }

    #[test]
    fn what_is_below_the_floor_is_no_step_until_it_adds_up() {
        let floor = TESTED_STEPS.floor;
        let creeping: Vec<f64> = (0..4).map(|at| 1e6 * (1.0 + 0.6 * floor * f64::from(at))).collect();
        assert_eq!(found(&points(&creeping)), [(3, Cause::Change)]);
    }

    #[test]
    fn nothing_becomes_something() {
        assert_eq!(found(&points(&[0.0, 0.0, 16.0, 16.0])), [(2, Cause::Change)]);
        let history = steps(&points(&[0.0, 16.0]), &TESTED_STEPS).unwrap();
        assert_eq!(history.changes[0].ratio, None);
    }

    #[test]
    fn what_varies_has_a_band() {
        let mut series = points(&[1000.0, 1002.0, 999.0, 1001.0, 1030.0]);
        for point in &mut series {
            let value = point.value;
            point.seen = Some(Seen { lower: value - 5.0, upper: value + 5.0, n: 5 });
        }
        assert_eq!(found(&series), [(4, Cause::Change)]);
        // Range 10 of 1000 by d2(5) = 2.32593, √(π/10) for the median: 0.241 %, of which five fold is 1.21 %.
        let band = steps(&series, &TESTED_STEPS).unwrap().band.unwrap();
        assert!((band - 5.0 * 0.01 / 2.325_93 * (std::f64::consts::PI / 10.0).sqrt()).abs() < 2e-5, "{band}");
    }

    #[test]
    fn another_epoch_is_no_change() {
        let mut series = points(&[100.0, 100.0, 120.0]);
        series[2].epoch = "new compiler".to_owned();
        assert_eq!(found(&series), [(2, Cause::Epoch)]);
    }

    #[test]
    fn no_count_is_negative() {
        assert!(steps(&points(&[1.0, -1.0]), &TESTED_STEPS).is_err());
        assert!(steps(&points(&[f64::NAN]), &TESTED_STEPS).is_err());
        assert!(steps(&[], &TESTED_STEPS).is_err());
    }
}
