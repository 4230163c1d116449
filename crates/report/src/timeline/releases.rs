//! Releases that were measured in several environments.
//!
//! A step between two releases is known if both were measured in one epoch. A release that was measured again
//! after the environment had changed belongs to two of them: the difference between its own two values is the
//! environment's.

use std::cmp::Ordering;
use std::collections::BTreeMap;

use tlslab_history::{Cause, Change};
use tlslab_record::Point;

use crate::timeline::model::Timeline;

/// The points of a series in the order of versions, those of one version in the order of time.
///
/// Counts are compared only within an epoch. A release's points are arranged so that as many neighbouring
/// releases as possible are next to each other in one epoch; a point in an epoch of neither neighbour is
/// excluded if it would separate them.
#[must_use]
pub fn by_version(
    mut points: Vec<Point>,
    is_counted: bool,
    compare: impl Fn(&str, &str) -> Ordering,
) -> Vec<Point> {
    points.sort_by(|a, b| compare(&a.label, &b.label));
    if !is_counted {
        return points;
    }
    let releases: Vec<Vec<Point>> =
        points.chunk_by(|a, b| a.label == b.label).map(<[Point]>::to_vec).collect();
    let ends = best_ends(&releases.iter().map(|points| epochs(points)).collect::<Vec<_>>());
    releases.into_iter().zip(ends).flat_map(|(points, ends)| arranged(points, ends)).collect()
}

/// The epochs that a release has values in, in the order in which it was measured in them last, with their
/// numbers of points.
fn epochs(points: &[Point]) -> Vec<(String, usize)> {
    let mut epochs: Vec<(String, usize)> = Vec::new();
    for point in points.iter().filter(|point| point.outcome.value().is_some()) {
        let known = epochs.iter().position(|(epoch, _)| *epoch == point.epoch);
        let before = known.map_or(0, |at| epochs.remove(at).1);
        epochs.push((point.epoch.clone(), before + 1));
    }
    epochs
}

/// The epochs in which the points of a release begin and end; none if it has no value.
type Ends = Option<(String, String)>;

/// How good an arrangement is: neighbours in one epoch, then points that are kept, then releases that end in
/// their latest epoch.
type Score = (usize, usize, usize);

/// The best way to here that ends in some epoch: its score, and the ends of each release.
type Way = (Score, Vec<Ends>);

/// For each release the ends with which most neighbours are in one epoch.
fn best_ends(releases: &[Vec<(String, usize)>]) -> Vec<Ends> {
    let mut ways: BTreeMap<String, Way> = BTreeMap::new();
    let mut without_value = Vec::new();
    for epochs in releases {
        if epochs.is_empty() {
            ways.values_mut().for_each(|(_, ends)| ends.push(None));
            if ways.is_empty() {
                without_value.push(None);
            }
            continue;
        }
        let best = ways.values().max_by_key(|(score, _)| *score).cloned();
        let best = best.unwrap_or(((0, 0, 0), without_value.clone()));
        let all: usize = epochs.iter().map(|(_, points)| points).sum();
        let latest = &epochs[epochs.len() - 1].0;
        let mut longer: BTreeMap<String, Way> = BTreeMap::new();
        for (first, _) in epochs {
            let linked = ways.get(first).map(|((links, kept, late), ends)| ((links + 1, *kept, *late), ends));
            let apart = (best.0, &best.1);
            let ((links, kept, late), ends) = linked.filter(|linked| linked.0 > apart.0).unwrap_or(apart);
            for (last, points) in epochs {
                let is_whole = first != last || epochs.len() == 1;
                let score =
                    (links, kept + if is_whole { all } else { *points }, late + usize::from(last == latest));
                if longer.get(last).is_none_or(|(known, _)| score > *known) {
                    let ends = ends.iter().cloned().chain([Some((first.clone(), last.clone()))]);
                    longer.insert(last.clone(), (score, ends.collect()));
                }
            }
        }
        ways = longer;
    }
    ways.into_values().max_by_key(|(score, _)| *score).map_or(without_value, |(_, ends)| ends)
}

/// The points of a release with these ends.
fn arranged(points: Vec<Point>, ends: Ends) -> Vec<Point> {
    let Some((first, last)) = ends else { return points };
    let (values, mut arranged): (Vec<Point>, Vec<Point>) =
        points.into_iter().partition(|point| point.outcome.value().is_some());
    let (begin, others): (Vec<Point>, Vec<Point>) =
        values.into_iter().partition(|point| point.epoch == first);
    arranged.extend(begin);
    if first != last {
        let (end, between): (Vec<Point>, Vec<Point>) =
            others.into_iter().partition(|point| point.epoch == last);
        arranged.extend(between.into_iter().chain(end));
    }
    arranged
}

/// One release of a series.
#[derive(Clone, Debug, PartialEq)]
pub struct Release<'t> {
    /// Its version.
    pub label: &'t str,
    /// The place of the point that was measured last.
    pub at: usize,
    /// Its value; of times as a ratio to the reference.
    pub value: f64,
    /// Its value converted to the environment of the series' first point: without the release's own
    /// differences between environments.
    pub chained: f64,
}

impl Timeline {
    /// The change at this point if it is the environment's alone: the point before is of the same release, in
    /// another epoch.
    pub fn environment_change(&self, at: usize) -> Option<&Change> {
        let before = at.checked_sub(1)?;
        let is_same = self.points.get(before)?.label == self.points.get(at)?.label;
        let changes = self.history.iter().flat_map(|history| &history.changes);
        changes.filter(|_| is_same).find(|change| change.at == at && change.cause == Cause::Epoch)
    }

    /// Each release once, in the order of the points.
    pub fn releases(&self) -> Vec<Release<'_>> {
        let mut releases: Vec<Release<'_>> = Vec::new();
        let mut factor = 1.0;
        for (at, point) in self.points.iter().enumerate() {
            let value = point.reference.map_or(point.value, |reference| point.value / reference);
            let environment = self.environment_change(at).and_then(|_| {
                let before = self.points[at - 1].value;
                (before > 0.0 && point.value > 0.0 && point.reference.is_none()).then(|| before / point.value)
            });
            factor *= environment.unwrap_or(1.0);
            let release = Release { label: &point.label, at, value, chained: value * factor };
            match releases.iter_mut().find(|known| known.label == point.label) {
                Some(known) if self.points[known.at].started > point.started => {}
                Some(known) => *known = release,
                None => releases.push(release),
            }
        }
        releases
    }
}
