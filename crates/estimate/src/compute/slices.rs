//! The samples of complete visits, found by scenario, visit, stack and block.

use std::collections::{BTreeMap, HashMap};

use tlslab_protocol::{Measurement, PhaseTimes, Side, SideMeasurement};
use tlslab_record::{RunRecord, VisitEstimator};
use tlslab_stats::Refused;

use crate::model::{Between, Metric};

/// All samples that count. A visit that was cut short has none.
pub(super) struct Slices<'r> {
    /// Per scenario, its complete visits by round and attempt.
    visits: Vec<Vec<VisitSlices<'r>>>,
    unusable: usize,
    between: Between,
}

/// One complete visit.
pub(super) struct VisitSlices<'r> {
    /// The round.
    pub round: u32,
    /// The attempt. Slices of two scenarios were taken together where both have the same.
    pub attempt: u32,
    estimator: VisitEstimator,
    /// Per stack, its slices by block.
    stacks: Vec<BTreeMap<u32, &'r Measurement>>,
}

impl<'r> Slices<'r> {
    pub(super) fn of(record: &'r RunRecord) -> Self {
        let (scenarios, stacks) = (record.plan.scenarios.len(), record.plan.stacks.len());
        let estimator = record.plan.estimator;
        let mut keys: Vec<_> = record
            .visits
            .iter()
            .filter(|visit| visit.complete && visit.scenario < scenarios)
            .map(|visit| (visit.scenario, visit.round, visit.attempt))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        let mut places = HashMap::new();
        let mut visits: Vec<Vec<VisitSlices>> = (0..scenarios).map(|_| Vec::new()).collect();
        for key @ (scenario, round, attempt) in keys {
            places.insert(key, visits[scenario].len());
            let stacks = vec![BTreeMap::new(); stacks];
            visits[scenario].push(VisitSlices { round, attempt, estimator, stacks });
        }
        let mut unusable = 0;
        for sample in &record.samples {
            let key = (sample.scenario, sample.round, sample.attempt);
            let Some(&place) = places.get(&key) else { continue };
            if sample.measurement.iterations == 0 || sample.stack >= stacks {
                unusable += 1;
                continue;
            }
            visits[sample.scenario][place].stacks[sample.stack].insert(sample.block, &sample.measurement);
        }
        Self { visits, unusable, between: Between::of(record) }
    }

    /// The complete visits of a scenario, in the order of their rounds.
    pub(super) fn visits(&self, scenario: usize) -> &[VisitSlices<'r>] {
        &self.visits[scenario]
    }

    /// The differences between runs that the run's intervals contain.
    pub(super) fn between(&self) -> Between {
        self.between
    }

    /// Every slice of one stack in a scenario.
    pub(super) fn of_stack(&self, scenario: usize, stack: usize) -> impl Iterator<Item = &'r Measurement> {
        self.visits[scenario].iter().flat_map(move |visit| visit.stacks[stack].values().copied())
    }

    /// How many samples count.
    pub(super) fn samples(&self) -> usize {
        self.visits.iter().flatten().flat_map(|visit| &visit.stacks).map(BTreeMap::len).sum()
    }

    /// The number of excluded samples of complete visits: without an iteration, or of a stack that is not in
    /// the plan.
    pub(super) fn unusable(&self) -> usize {
        self.unusable
    }
}

/// One value of a visit's slices.
pub(super) fn visit_value(slices: &[f64], estimator: VisitEstimator) -> Result<f64, Refused> {
    match estimator {
        VisitEstimator::TrimmedMean => tlslab_stats::visit_value(slices),
        VisitEstimator::Median => tlslab_stats::median(slices),
    }
}

/// One log ratio of a visit's slices, in pairs from the same blocks.
pub(super) fn visit_log_ratio(a: &[f64], b: &[f64], estimator: VisitEstimator) -> Result<f64, Refused> {
    match estimator {
        VisitEstimator::TrimmedMean => tlslab_stats::paired_log_ratio(a, b),
        VisitEstimator::Median => tlslab_stats::paired_log_median(a, b),
    }
}

impl<'r> VisitSlices<'r> {
    /// One stack's time, ns per iteration; none without a slice.
    pub(super) fn value(&self, stack: usize, side: Side, metric: Metric) -> Option<Result<f64, Refused>> {
        let slices = self.ns(stack, side, metric);
        (!slices.is_empty()).then(|| visit_value(&slices, self.estimator))
    }

    /// ln(b/a) over the blocks in which both have a slice; none without such a block.
    pub(super) fn log_ratio(
        &self,
        a: usize,
        b: usize,
        side: Side,
        metric: Metric,
    ) -> Option<Result<f64, Refused>> {
        let (a, b) = self.paired_ns(a, b, side, metric);
        (!a.is_empty()).then(|| visit_log_ratio(&a, &b, self.estimator))
    }

    /// ln(this scenario's time/the other's), from the same visit, over the blocks in which both have a slice;
    /// none without such a block.
    pub(super) fn log_ratio_over(
        &self,
        other: &Self,
        stack: usize,
        side: Side,
        metric: Metric,
    ) -> Option<Result<f64, Refused>> {
        let ns = |measurement| ns_per_iteration(measurement, side, metric);
        let of_other = |block: &u32| other.stacks[stack].get(block).copied();
        let pairs = self.stacks[stack]
            .iter()
            .filter_map(|(block, own)| of_other(block).map(|other| (ns(other), ns(own))));
        let (other, own): (Vec<f64>, Vec<f64>) = pairs.unzip();
        (!own.is_empty()).then(|| visit_log_ratio(&other, &own, self.estimator))
    }

    /// A visit of one stack alone.
    #[cfg(test)]
    pub(super) fn of_one_stack(slices: &'r [Measurement]) -> Self {
        let stacks = vec![(0..).zip(slices).collect()];
        Self { round: 0, attempt: 0, estimator: VisitEstimator::Median, stacks }
    }

    /// One stack's slices.
    pub(super) fn stack_slices(&self, stack: usize) -> impl Iterator<Item = &'r Measurement> {
        self.stacks[stack].values().copied()
    }

    /// One stack's slices, ns per iteration.
    pub(super) fn ns(&self, stack: usize, side: Side, metric: Metric) -> Vec<f64> {
        let done = self.stacks[stack].values().filter(|measurement| measurement.completed() > 0);
        done.map(|measurement| ns_per_iteration(measurement, side, metric)).collect()
    }

    /// One stack's slices by block, ns per iteration.
    pub(super) fn ns_by_block(&self, stack: usize, side: Side, metric: Metric) -> BTreeMap<u32, f64> {
        let slices = self.stacks[stack].iter();
        slices.map(|(block, slice)| (*block, ns_per_iteration(slice, side, metric))).collect()
    }

    /// The slices of those blocks in which both stacks have one, ns per iteration: as many of `a` as of `b`.
    pub(super) fn paired_ns(&self, a: usize, b: usize, side: Side, metric: Metric) -> (Vec<f64>, Vec<f64>) {
        let ns = |measurement| ns_per_iteration(measurement, side, metric);
        let of_b = |block: &u32| self.stacks[b].get(block).copied();
        let pairs = self.stacks[a].iter().filter_map(|(block, a)| of_b(block).map(|b| (a, b)));
        let done = pairs.filter(|(a, b)| a.completed() > 0 && b.completed() > 0);
        done.map(|(a, b)| (ns(a), ns(b))).unzip()
    }
}

/// One side's share of a measurement.
pub(super) fn of_side(measurement: &Measurement, side: Side) -> &SideMeasurement {
    match side {
        Side::Client => &measurement.client,
        Side::Server => &measurement.server,
    }
}

/// A phase, or for every other metric the sum of all phases, ns per iteration.
pub(super) fn ns_per_iteration(measurement: &Measurement, side: Side, metric: Metric) -> f64 {
    let of_side = of_side(measurement, side);
    let phases: &PhaseTimes = &of_side.phases;
    let call = |place: usize| of_side.handshake_calls_ns.get(place).copied().unwrap_or(0);
    let total = match metric {
        Metric::Context => phases.context_ns,
        Metric::Create => phases.create_ns,
        Metric::Handshake => phases.handshake_ns,
        Metric::PostHandshake => phases.post_handshake_ns,
        Metric::Free => phases.free_ns,
        Metric::Send => phases.send_ns,
        Metric::Receive => phases.receive_ns,
        Metric::Close => phases.close_ns,
        Metric::Call1 => call(0),
        Metric::Call2 => call(1),
        Metric::Call3 => call(2),
        Metric::Call4 => call(3),
        Metric::Wall | Metric::WallRate => measurement.elapsed_ns,
        Metric::Time | Metric::Rate | Metric::Throughput => phases.total_ns(),
        // A percentile is of a whole visit, not of a slice, and a cold figure of a turn; see `percentiles` and `cold`.
        Metric::P50 | Metric::P90 | Metric::P99 | Metric::P999 | Metric::ColdFirst | Metric::ColdSwitch => 0,
        // Both sides' together; see `open_loop`.
        Metric::ResponseP50 | Metric::ResponseP90 | Metric::ResponseP99 | Metric::ResponseP999 => 0,
        Metric::Late | Metric::Offered | Metric::Achieved | Metric::Unserved => 0,
        Metric::ClientBusy | Metric::ServerBusy => 0,
    };
    total as f64 / measurement.completed() as f64
}
