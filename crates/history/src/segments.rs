//! The series as segments between changes.

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_stats::{Refused, student_quantile};

use crate::change::{Cause, Change};
use crate::divisive::{Cut, cuts};
use crate::known::{Key, Known};
use crate::level::{level, spread};
use crate::point::check;
use crate::stretch::{Machine, Stretch, stretches};
use crate::{Options, Point};

static KNOWN: Known<History> = Known::new();

/// The segments and changes of a series.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct History {
    /// The series in the order of time; every point lies in one segment.
    pub segments: Vec<Segment>,
    /// The changes between segments, and the machine's changes within them, in the order of time.
    pub changes: Vec<Change>,
    /// How far, as |ln ratio|, a new run may lie from the last segment's level; none if the scatter of runs
    /// is unknown.
    ///
    /// t(1 − new_run_alpha/2, n − s)·σ·√(1 + 1/l) with σ the robust spread of the n points of the s segments
    /// around their levels, and l the length of the last segment. The segments are those that are comparable
    /// with the last; if they have fewer than ten points, all of them. A new run is divided by the reference
    /// if the last segment is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub threshold: Option<f64>,
    /// For counts: how far, as |ln ratio|, a point may lie from its level by the scatter of its own values; 0
    /// if seeds and processes agree.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub band: Option<f64>,
}

/// Points between two changes.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Segment {
    /// The place of the first point, counted from 0.
    pub from: usize,
    /// The place after the last point.
    pub to: usize,
    /// The Hodges–Lehmann estimate of the logarithms, exponentiated, or the median of counts; in the unit of
    /// the values.
    pub level: f64,
    /// The robust standard deviation of the logarithms around it, or how far the farthest count lies from it;
    /// none for a single point.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<f64>,
    /// Whether values were divided by the reference; the level is then that of the machine of the last
    /// points.
    pub by_reference: bool,
}

/// Cuts `points`, which are in the order of time, into segments.
///
/// Points are comparable within an epoch, and across epochs if each has a reference. Among comparable points
/// a change is found by E-divisive with `options.alpha`; between others a segment always ends. A change of
/// values divided by a reference is attributed to the epoch if it lies where the epoch changes: the reference
/// and the program may react differently to a new machine. Autocorrelation beyond a level (drift) yields more
/// changes than there are.
///
/// # Errors
/// Fails with [`Refused::TooFew`] without points, [`Refused::NotFinite`] and [`Refused::NotPositive`] for
/// values and references, [`Refused::OutOfRange`] for options that can find nothing.
pub fn segments(points: &[Point], options: &Options) -> Result<History, Refused> {
    options.check()?;
    check(points)?;
    let key = Key::of(points, options);
    if let Some(known) = KNOWN.recall(key) {
        return Ok(known);
    }
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    let mut history = History { segments: Vec::new(), changes: Vec::new(), threshold: None, band: None };
    let (mut residuals, mut recent) = (Residuals::default(), Residuals::default());
    for stretch in stretches(points, options, &mut random) {
        recent = Residuals::default();
        let cuts = cuts(&stretch.logarithms, options, &mut random);
        history.append(points, &stretch, &cuts, &mut recent);
        residuals.extend(&recent);
    }
    history.changes.sort_by_key(|change| change.at);
    let enough = recent.values.len() >= ENOUGH_RESIDUALS;
    history.threshold = history.threshold(if enough { &recent } else { &residuals }, options.new_run_alpha);
    KNOWN.remember(key, &history);
    Ok(history)
}

impl History {
    /// Adds the segments of a stretch and the changes in it and before it.
    fn append(&mut self, points: &[Point], stretch: &Stretch, cuts: &[Cut], residuals: &mut Residuals) {
        if let Some(machine) = &stretch.machine {
            self.changes.extend(moves(points, stretch.from, machine));
        }
        for (segment, cut) in pieces(&stretch.logarithms, cuts) {
            let from = stretch.from + cut.map_or(0, |cut| cut.at);
            let level = level(segment);
            let around: Vec<f64> = segment.iter().map(|value| value - level).collect();
            let next = Segment {
                from,
                to: from + segment.len(),
                level: level.exp(),
                spread: spread(&around, 1),
                by_reference: stretch.machine.is_some(),
            };
            residuals.add(around);
            if let Some(before) = self.segments.last() {
                let apart = cut.is_none() || points[from].epoch != points[from - 1].epoch;
                let cause = if apart { Cause::Epoch } else { Cause::Change };
                let p_value = cut.map(|cut| cut.p_value);
                self.changes.push(Change::between(points, from, (before.level, next.level), p_value, cause));
            }
            self.segments.push(next);
        }
    }

    fn threshold(&self, residuals: &Residuals, alpha: f64) -> Option<f64> {
        let last = self.segments.last()?;
        let spread = spread(&residuals.values, residuals.levels)?;
        let free = (residuals.values.len() - residuals.levels) as f64;
        let length = (last.to - last.from) as f64;
        Some(student_quantile(1.0 - alpha / 2.0, free) * spread * (1.0 + 1.0 / length).sqrt())
    }
}

impl Change {
    pub(crate) fn between(
        points: &[Point],
        at: usize,
        (before, after): (f64, f64),
        p_value: Option<f64>,
        cause: Cause,
    ) -> Self {
        let ratio = (before != 0.0).then(|| after / before);
        Self { at, label: points[at].label.clone(), before, after, ratio, p_value, cause }
    }
}

/// The changes of the reference of a stretch that begins at `from`.
fn moves(points: &[Point], from: usize, machine: &Machine) -> Vec<Change> {
    let levels: Vec<(Option<Cut>, f64)> =
        pieces(&machine.logarithms, &machine.cuts).map(|(piece, cut)| (cut, level(piece).exp())).collect();
    let pairs = levels.windows(2).filter_map(|pair| Some((pair[0].1, pair[1].0?, pair[1].1)));
    let change = |(before, cut, after): (f64, Cut, f64)| {
        Change::between(points, from + cut.at, (before, after), Some(cut.p_value), Cause::Machine)
    };
    pairs.map(change).collect()
}

/// The pieces between cuts, each with the cut before it.
fn pieces<'a>(series: &'a [f64], cuts: &'a [Cut]) -> impl Iterator<Item = (&'a [f64], Option<Cut>)> {
    let starts = std::iter::once(None).chain(cuts.iter().copied().map(Some));
    let ends = cuts.iter().map(|cut| cut.at).chain([series.len()]);
    starts.zip(ends).map(|(start, end)| (&series[start.map_or(0, |cut| cut.at)..end], start))
}

/// Distances of points from their segments' levels, in logarithms.
#[derive(Default)]
struct Residuals {
    values: Vec<f64>,
    levels: usize,
}

impl Residuals {
    fn add(&mut self, around: Vec<f64>) {
        self.values.extend(around);
        self.levels += 1;
    }

    fn extend(&mut self, other: &Self) {
        self.values.extend(&other.values);
        self.levels += other.levels;
    }
}

const ENOUGH_RESIDUALS: usize = 10;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tested::TESTED;

    #[test]
    fn a_result_is_remembered_for_its_very_input() {
        let point = |at: usize| Point {
            value: 100.0 + (at * 7 % 11) as f64 + if at < 20 { 0.0 } else { 50.0 },
            seen: None,
            reference: None,
            epoch: "e".to_owned(),
            definition: "d".to_owned(),
            label: at.to_string(),
        };
        let points: Vec<Point> = (0..40).map(point).collect();
        let key = Key::of(&points, &TESTED);
        let found = crate::segments(&points, &TESTED).unwrap();
        assert!(KNOWN.recall(key) == Some(found.clone()) && found.segments.len() == 2, "{found:?}");
        // The cached result is the answer.
        let marked = History { threshold: Some(17.0), ..found.clone() };
        KNOWN.remember(key, &marked);
        assert_eq!(crate::segments(&points, &TESTED).unwrap(), marked);
        KNOWN.remember(key, &found);
        let mut others = vec![points[..39].to_vec()];
        for change in [
            |point: &mut Point| point.value += 1e-9,
            |point: &mut Point| point.reference = Some(1.0),
            |point: &mut Point| point.epoch.push('x'),
            |point: &mut Point| point.definition.push('x'),
            |point: &mut Point| point.label.push('x'),
            |point: &mut Point| point.seen = Some(crate::Seen { lower: 1.0, upper: 2.0, n: 3 }),
        ] {
            let mut other = points.clone();
            change(&mut other[7]);
            others.push(other);
        }
        assert!(others.iter().all(|other| Key::of(other, &TESTED) != key));
        for options in [Options { seed: TESTED.seed + 1, ..TESTED }, Options { alpha: 0.5, ..TESTED }] {
            assert!(Key::of(&points, &options) != key);
        }
    }
}
