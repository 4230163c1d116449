//! Series of releases, and which release of each stack to skip and which to move to.

use std::collections::BTreeMap;

use tlslab_history::advice::{Advice, Limits, ReleasePoint, ReleaseSeries};
use tlslab_record::definition;
use tlslab_stats::median;

use crate::timeline::model::{Measured, Timeline};
use crate::timeline::releases::Release;

/// The advice for each stack, by name. Series have to be in the order of versions.
#[must_use]
pub fn advise<'t>(timelines: impl IntoIterator<Item = &'t Timeline>) -> Vec<Advice> {
    let mut by_stack: BTreeMap<&str, Vec<&Timeline>> = BTreeMap::new();
    for timeline in timelines {
        by_stack.entry(&timeline.series.stack).or_default().push(timeline);
    }
    by_stack.into_iter().map(|(stack, timelines)| advise_on(stack, &timelines)).collect()
}

/// The advice for one stack.
#[must_use]
pub fn advise_on(stack: &str, timelines: &[&Timeline]) -> Advice {
    let series: Vec<ReleaseSeries> = timelines.iter().filter_map(|one| one.release_series()).collect();
    let unjudged = timelines.len() - series.len();
    Advice::of(stack, &versions(timelines), &series, unjudged, &Limits::default())
}

/// Every version of some series that has a value, oldest first.
pub(crate) fn versions<'t>(timelines: &[&'t Timeline]) -> Vec<&'t str> {
    let mut versions = Vec::new();
    for timeline in timelines {
        merge(&mut versions, timeline.points.iter().map(|point| point.label.as_str()));
    }
    versions
}

/// Inserts the labels of one more series, which are in order, at their places.
fn merge<'t>(known: &mut Vec<&'t str>, labels: impl Iterator<Item = &'t str>) {
    let mut after = 0;
    for label in labels {
        match known.iter().position(|one| *one == label) {
            Some(at) => after = at + 1,
            None => {
                known.insert(after, label);
                after += 1;
            }
        }
    }
}

impl Timeline {
    /// One value for each release. For counts it is the release's own, converted to the environment of the
    /// first point; for series that scatter the median of its segment, divided by the reference if there is
    /// one. None for a series that cannot be cut: its steps are unknown.
    fn release_series(&self) -> Option<ReleaseSeries> {
        self.history.as_ref()?;
        let stretches = self.stretches();
        let release = |release: Release<'_>| ReleasePoint {
            label: release.label.to_owned(),
            value: if self.series.is_counted() { release.chained } else { self.segment_median(release.at) },
            stretch: stretches[release.at],
            is_other_driver: self.is_other_driver(self.first_of(release.label)),
        };
        let releases = self.releases().into_iter().map(release).collect();
        Some(ReleaseSeries { series: self.series.clone(), better: self.better, releases })
    }

    fn first_of(&self, label: &str) -> usize {
        self.points.iter().position(|point| point.label == label).unwrap_or_default()
    }

    /// For each point the number of its stretch, within which releases are comparable.
    fn stretches(&self) -> Vec<usize> {
        let mut stretch = 0;
        let number = |at: usize| {
            stretch += usize::from(at > 0 && !self.is_linked(at));
            stretch
        };
        (0..self.points.len()).map(number).collect()
    }

    /// Whether a point can be compared with the one before.
    fn is_linked(&self, at: usize) -> bool {
        let (before, now) = (&self.points[at - 1], &self.points[at]);
        let is_by_reference = before.reference.is_some()
            && now.reference.is_some()
            && before.reference_version == now.reference_version
            && definition(&before.epoch) == definition(&now.epoch);
        let is_chained = self.series.is_counted() && before.label == now.label;
        before.epoch == now.epoch || is_by_reference || is_chained || self.is_other_driver(at)
    }

    /// The median of the segment that a point lies in.
    fn segment_median(&self, at: usize) -> f64 {
        let is_its = |segment: &&tlslab_history::Segment| (segment.from..segment.to).contains(&at);
        let range = self.segments().iter().find(is_its).map_or(at..at + 1, |one| one.from..one.to);
        let of = |point: &Measured| point.value / point.reference.unwrap_or(1.0);
        let values: Vec<f64> = self.points[range].iter().map(of).collect();
        // A segment has a point, and a history is of finite values.
        median(&values).expect("a segment has values")
    }
}

#[cfg(test)]
mod tests {
    use super::merge;

    #[test]
    fn versions_of_several_series_are_merged_in_order() {
        let mut known = Vec::new();
        merge(&mut known, ["1", "3", "5"].into_iter());
        merge(&mut known, ["1", "2", "3", "4"].into_iter());
        merge(&mut known, ["0", "1", "5", "6"].into_iter());
        assert_eq!(known, ["0", "1", "2", "3", "4", "5", "6"]);
    }
}
