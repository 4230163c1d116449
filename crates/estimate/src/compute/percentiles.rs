//! Percentiles of a visit's iterations, estimated over visits like any other figure.

use std::collections::BTreeMap;

use tlslab_protocol::{Latencies, Side};

use super::estimates::{estimated, values};
use super::slices::{VisitSlices, of_side};
use crate::model::Estimated;

/// A percentile is reported from a set of iterations only if at least so many of them lie beyond it.
const FEWEST_BEYOND: f64 = 10.0;

/// The iterations of some slices, by bucket.
#[derive(Default)]
pub(super) struct Iterations {
    counts: BTreeMap<u32, u64>,
    total: u64,
    /// Those of them that took longer than anybody waited.
    endless: u64,
}

impl Iterations {
    pub(super) fn add(&mut self, latencies: &Latencies) {
        for (bucket, count) in &latencies.counts {
            let of_bucket = self.counts.entry(*bucket).or_default();
            *of_bucket = of_bucket.saturating_add(*count);
            self.total = self.total.saturating_add(*count);
        }
    }

    /// Adds so many that took longer than anybody waited.
    pub(super) fn add_endless(&mut self, count: u64) {
        self.endless = self.endless.saturating_add(count);
        self.total = self.total.saturating_add(count);
    }

    fn merge(&mut self, other: &Self) {
        self.add(&Latencies {
            counts: other.counts.iter().map(|(bucket, count)| (*bucket, *count)).collect(),
        });
        self.add_endless(other.endless);
    }

    /// Of one stack and side in one visit.
    pub(super) fn of_visit(visit: &VisitSlices<'_>, stack: usize, side: Side) -> Self {
        let mut all = Self::default();
        for measurement in visit.stack_slices(stack) {
            all.add(&of_side(measurement, side).latencies);
        }
        all
    }

    /// Of one stack and side in all visits.
    pub(super) fn of_visits(visits: &[VisitSlices<'_>], stack: usize, side: Side) -> Self {
        let mut all = Self::default();
        for measurement in visits.iter().flat_map(|visit| visit.stack_slices(stack)) {
            all.add(&of_side(measurement, side).latencies);
        }
        all
    }

    pub(super) fn total(&self) -> u64 {
        self.total
    }

    /// Buckets with their counts, the lowest first: from, to, ns, and how many.
    pub(super) fn bars(&self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.counts.iter().map(|(bucket, count)| {
            let (from, to) = Latencies::bounds(*bucket);
            (from, to, *count)
        })
    }

    fn bears(&self, share: f64) -> bool {
        // A tenth of a hundred must be ten, whatever binary fractions make of it.
        self.total as f64 * (1.0 - share) > FEWEST_BEYOND - 1e-6
    }

    /// The time that a share of the iterations does not exceed, ns: the nearest rank (the ⌈share · n⌉-th of n
    /// in order), laid into its bucket as if the bucket's iterations were spread evenly over it.
    ///
    /// None if it exceeds the longest wait.
    fn quantile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.total as f64).ceil().max(1.0);
        let mut below = 0.0;
        for (from, to, count) in self.bars() {
            if below + count as f64 >= rank {
                let within = (rank - below - 0.5) / count as f64;
                return Some(from as f64 + within * (to - from) as f64);
            }
            below += count as f64;
        }
        None
    }
}

/// The iterations of one stack and side, visit by visit, without visits that have none.
pub(super) fn of_side_by_visit(
    visits: &[VisitSlices<'_>],
    stack: usize,
    side: Side,
) -> Vec<(u32, Iterations)> {
    let of_visit = |visit: &VisitSlices<'_>| (visit.round, Iterations::of_visit(visit, stack, side));
    visits.iter().map(of_visit).filter(|(_, iterations)| iterations.total > 0).collect()
}

/// A percentile, ns.
///
/// Where each visit has enough iterations, a visit's percentile is an observation and the estimate has an
/// interval. Else all visits are thrown together: the value then has none, because iterations of one process
/// are not independent.
pub(super) fn percentile(
    of_visits: &[(u32, Iterations)],
    share: f64,
    confidence: f64,
) -> Result<Estimated, String> {
    let endless = || {
        let (endless, total) = of_visits.iter().fold((0, 0), |(endless, total), (_, iterations)| {
            (endless + iterations.endless, total + iterations.total)
        });
        format!("{endless} of {total} arrivals were not served by the end, so this percentile is not known")
    };
    if of_visits.iter().all(|(_, iterations)| iterations.bears(share)) {
        let quantile = |(round, iterations): &(u32, Iterations)| Some((*round, iterations.quantile(share)?));
        let observations: Vec<(u32, f64)> =
            of_visits.iter().map(quantile).collect::<Option<_>>().ok_or_else(endless)?;
        return estimated(&values(&observations), confidence);
    }
    let mut pooled = Iterations::default();
    of_visits.iter().for_each(|(_, iterations)| pooled.merge(iterations));
    let needed = (FEWEST_BEYOND / (1.0 - share)).round();
    if !pooled.bears(share) {
        return Err(format!(
            "{} iterations are too few for this percentile: {needed} are needed",
            pooled.total
        ));
    }
    let why = format!(
        "not every visit has the {needed} iterations that this percentile needs, so all visits were pooled"
    );
    Ok(Estimated {
        n: of_visits.len(),
        value: pooled.quantile(share).ok_or_else(endless)?,
        interval: None,
        no_interval: Some(why),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count_all(values: impl IntoIterator<Item = u64>) -> Iterations {
        let mut iterations = Iterations::default();
        for value in values {
            iterations.add(&Latencies { counts: vec![(Latencies::bucket(value), 1)] });
        }
        iterations
    }

    #[test]
    fn quantiles_are_nearest_ranks() {
        // Buckets of 1 ns: the middle of the value's own nanosecond.
        let hundred = count_all(1..=100);
        assert_eq!(hundred.quantile(0.5), Some(50.5));
        assert_eq!(hundred.quantile(0.99), Some(99.5));
        assert_eq!(hundred.quantile(1.0), Some(100.5));
        assert_eq!(count_all([7]).quantile(0.5), Some(7.5));
        // Above 128 ns a bucket is at most 1/128 wide.
        let large = count_all((0..1000).map(|step| 50_000 + step * 10));
        assert!((large.quantile(0.9).unwrap() / 58_990.0 - 1.0).abs() < 0.01);
        assert!(hundred.bears(0.9) && !hundred.bears(0.99));
    }
    #[test]
    fn what_nobody_waited_for_is_longer_than_all_else() {
        let mut iterations = count_all(1..=90);
        iterations.add_endless(10);
        assert_eq!(iterations.quantile(0.5), Some(50.5));
        assert_eq!(iterations.quantile(0.9), Some(90.5));
        assert_eq!(iterations.quantile(0.91), None);
        let said = percentile(&[(0, iterations)], 0.9, 0.99).unwrap();
        assert_eq!((said.value, said.n), (90.5, 1));
        let mut most = count_all(1..=10);
        most.add_endless(1_000);
        let said = percentile(&[(0, most)], 0.5, 0.99).unwrap_err();
        assert!(said.starts_with("1000 of 1010 arrivals were not served"), "{said}");
    }
}
