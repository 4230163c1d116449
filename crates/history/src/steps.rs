//! Series of counts: every step is seen at its point.
//!
//! A count of instructions or bytes is the same whenever the same program does the same work, so one point is
//! enough to know a level. A point is a change if it lies further from the level of its segment than the
//! floor and the band of the series together allow; the next point may be a change back.
//!
//! That holds for counts that repeat. If nothing shows that they do and most neighbours differ, as in
//! imported series, the counts scatter: such a series is cut as times are, and its tolerance comes from its
//! own scatter.

use tlslab_stats::{Refused, median};

use crate::change::{Cause, Change};
use crate::point::check_counts;
use crate::segments::{History, Segment, segments};
use crate::tracked::ENOUGH;
use crate::{Point, StepOptions};

/// Cuts a series of counts, which is in the order of its points, into levels.
///
/// Only points of one epoch are compared; a new epoch begins a segment. The band of an epoch is
/// `options.band` · σ, with σ the median over its points of the standard error of a point's median: the range
/// of a point's values, divided by d₂(n) for the standard deviation and multiplied by √(π/2n). Source of d₂:
/// Tippett, "On the extreme individuals and the range of samples taken from a normal population", Biometrika
/// 17 (1925). A point that lies more than max(floor, band · √(1 + 1/l)) from the median of the l points of
/// its segment, as |ln ratio|, begins the next segment. If only one of the two is 0, it does so in any case.
///
/// An epoch of at least [`ENOUGH`] points that saw one value each scatters if more than half of the
/// neighbours lie further apart than that; if versions were counted several times, neighbours are those of
/// one version. It is cut by [`segments`], and its band is the threshold of that.
///
/// # Errors
/// Fails with [`Refused::TooFew`] without points, [`Refused::NotFinite`] and [`Refused::OutOfRange`] for
/// values that no count has, [`Refused::OutOfRange`] for meaningless options.
pub fn steps(points: &[Point], options: &StepOptions) -> Result<History, Refused> {
    options.check()?;
    check_counts(points)?;
    let mut history = History { segments: Vec::new(), changes: Vec::new(), threshold: None, band: None };
    let mut from = 0;
    for stretch in points.chunk_by(same_epoch) {
        let to = from + stretch.len();
        if scatters(stretch, options.floor) {
            let cut = segments(&unreferenced(stretch), &options.scattered)?;
            history.threshold = cut.threshold.map(|threshold| threshold.max(options.floor));
            history.band = history.threshold;
            join(&mut history, points, from, cut);
        } else {
            let error = standard_error(stretch);
            let band = options.band * error.unwrap_or(0.0);
            append(&mut history, points, (from, to), options.floor, band);
            let length = history.segments.last().map_or(1, |segment| segment.to - segment.from);
            history.threshold = Some(tolerance(options.floor, band, length));
            history.band = (error.is_some() || repeats(stretch)).then_some(band);
        }
        from = to;
    }
    Ok(history)
}

/// Whether the counts of any epoch scatter, so that they are cut as times are; `floor` is that of [`steps`].
#[must_use]
pub fn counts_scatter(points: &[Point], floor: f64) -> bool {
    points.chunk_by(same_epoch).any(|stretch| scatters(stretch, floor))
}

fn same_epoch(a: &Point, b: &Point) -> bool {
    a.definition == b.definition && a.epoch == b.epoch
}

/// Whether most neighbours differ by more than the floor although no point states the scatter of its count.
/// If versions were counted several times, neighbours are those of one version. A count that the lab took
/// once is exact, so versions that differ are no evidence.
fn scatters(stretch: &[Point], floor: f64) -> bool {
    let is_known = standard_error(stretch).is_some() || stretch.iter().any(|point| point.value <= 0.0);
    if stretch.len() < ENOUGH || is_known {
        return false;
    }
    let mut pairs: Vec<&[Point]> = stretch.windows(2).filter(|pair| pair[0].label == pair[1].label).collect();
    if 2 * pairs.len() < stretch.len() {
        if stretch.iter().any(|point| point.seen.is_some()) {
            return false;
        }
        pairs = stretch.windows(2).collect();
    }
    let differ = pairs.iter().filter(|pair| distance(pair[0].value, pair[1].value) > floor).count();
    2 * differ > pairs.len()
}

/// Whether a version was counted again, and alike.
fn repeats(stretch: &[Point]) -> bool {
    let again = stretch.windows(2).filter(|pair| pair[0].label == pair[1].label);
    let mut again = again.map(|pair| pair[0].value == pair[1].value).peekable();
    again.peek().is_some() && again.all(|is_same| is_same)
}

/// Machines do not affect counts.
fn unreferenced(stretch: &[Point]) -> Vec<Point> {
    stretch.iter().map(|point| Point { reference: None, ..point.clone() }).collect()
}

/// Appends the segments and changes of one stretch.
fn join(history: &mut History, points: &[Point], from: usize, cut: History) {
    if let (Some(before), Some(first)) = (history.segments.last(), cut.segments.first()) {
        let levels = (before.level, first.level);
        history.changes.push(Change::between(points, from, levels, None, Cause::Epoch));
    }
    let moved = |segment: Segment| Segment { from: from + segment.from, to: from + segment.to, ..segment };
    history.segments.extend(cut.segments.into_iter().map(moved));
    history.changes.extend(cut.changes.into_iter().map(|change| Change { at: from + change.at, ..change }));
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

/// |ln ratio|; infinite if only one of them is 0.
fn distance(a: f64, b: f64) -> f64 {
    if a == b { 0.0 } else { (a / b).ln().abs() }
}

/// The largest distance from the level.
fn spread(points: &[Point], level: f64) -> f64 {
    let largest = points.iter().map(|point| distance(point.value, level)).fold(0.0, f64::max);
    if largest.is_finite() { largest } else { 0.0 }
}

/// The median of the points' own standard errors, as a share; none if no point has several values.
fn standard_error(points: &[Point]) -> Option<f64> {
    let errors: Vec<f64> = points.iter().filter_map(|point| point.seen.as_ref()?.standard_error()).collect();
    median(&errors).ok()
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
        assert_eq!(
            (history.band, history.threshold),
            (None, Some(TESTED_STEPS.floor)),
            "each was counted once"
        );
    }

    #[test]
    fn counts_that_repeat_are_said_to() {
        let mut series = points(&[100.0, 100.0, 120.0]);
        series[1].label = series[0].label.clone();
        assert_eq!(steps(&series, &TESTED_STEPS).unwrap().band, Some(0.0));
        for point in &mut series {
            point.seen = Some(Seen { lower: point.value, upper: point.value, n: 3 });
        }
        assert_eq!(steps(&series, &TESTED_STEPS).unwrap().band, Some(0.0));
    }

    #[test]
    fn counts_that_scatter_have_a_tolerance_from_their_scatter() {
        // Quantiles of a normal distribution in an order without a trend: σ = 0.2 %.
        let quantile = |at: usize| tlslab_stats::normal_quantile(((at * 11 % 30) as f64 + 0.5) / 30.0);
        let values: Vec<f64> = (0..30).map(|at| 1e6 * (0.002 * quantile(at)).exp()).collect();
        let history = steps(&points(&values), &TESTED_STEPS).unwrap();
        assert!(history.changes.is_empty(), "{:?}", history.changes);
        assert!((0.004..0.007).contains(&history.threshold.unwrap()), "{:?}", history.threshold);
        assert_eq!(history.band, history.threshold);
        let planted: Vec<f64> =
            values.iter().zip(0..).map(|(value, at)| if at < 20 { *value } else { value * 1.02 }).collect();
        assert_eq!(found(&points(&planted)), [(20, Cause::Change)]);
        // A point with several values has its own band.
        let mut known = points(&values);
        for point in &mut known {
            point.seen = Some(Seen { lower: point.value, upper: point.value, n: 3 });
        }
        assert!(found(&known).len() > 20);
    }

    #[test]
    fn a_new_epoch_of_scattered_counts_is_no_change() {
        let values: Vec<f64> = (0..24).map(|at| 1e6 * (1.0 + 0.002 * f64::from(at * 7 % 5))).collect();
        let mut series = points(&values);
        series[12..].iter_mut().for_each(|point| point.epoch = "new compiler".to_owned());
        assert_eq!(found(&series), [(12, Cause::Epoch)]);
        let history = steps(&series, &TESTED_STEPS).unwrap();
        assert_eq!((history.segments[1].from, history.segments[1].to), (12, 24));
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
        // Range 10 of 1000 by d2(5) = 2.32593, √(π/10) for the median: 0.241 %, five times which is 1.21 %.
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
