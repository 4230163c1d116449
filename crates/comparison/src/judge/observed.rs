//! The slices of complete visits, and the proofs of their cells.

use std::collections::{BTreeMap, HashMap, HashSet};

use tlslab_protocol::{Measurement, Side};
use tlslab_record::{Proof, RunRecord, StackState, VisitEstimator};
use tlslab_stats::{median, paired_log_median, visit_value};

/// Slices by block.
type Blocks<'r> = BTreeMap<u32, &'r Measurement>;

/// All slices that count, by scenario, round and stack.
pub(super) struct Observed<'r> {
    slices: HashMap<(usize, usize), BTreeMap<u32, Blocks<'r>>>,
    estimator: VisitEstimator,
}

impl<'r> Observed<'r> {
    /// Those of complete visits.
    pub(super) fn of(record: &'r RunRecord) -> Self {
        let complete: HashSet<_> = record
            .visits
            .iter()
            .filter(|visit| visit.complete)
            .map(|visit| (visit.scenario, visit.round, visit.attempt))
            .collect();
        let mut slices: HashMap<_, BTreeMap<u32, Blocks<'r>>> = HashMap::new();
        for sample in &record.samples {
            let is_whole = complete.contains(&(sample.scenario, sample.round, sample.attempt));
            if is_whole && sample.measurement.iterations > 0 {
                let rounds = slices.entry((sample.scenario, sample.stack)).or_default();
                rounds.entry(sample.round).or_default().insert(sample.block, &sample.measurement);
            }
        }
        Self { slices, estimator: record.plan.estimator }
    }

    /// The log ratio of two stacks' times in each round, from slices of the same blocks.
    pub(super) fn log_ratios(
        &self,
        scenario: usize,
        baseline: usize,
        candidate: usize,
        side: Side,
    ) -> Vec<(u32, f64)> {
        let (Some(baseline), Some(candidate)) =
            (self.slices.get(&(scenario, baseline)), self.slices.get(&(scenario, candidate)))
        else {
            return Vec::new();
        };
        let of_round = |(round, baseline): (&u32, &Blocks<'_>)| {
            let (baseline, candidate) = paired(baseline, candidate.get(round)?, side);
            Some((*round, paired_log_median(&baseline, &candidate).ok()?))
        };
        baseline.iter().filter_map(of_round).collect()
    }

    /// Of every round, the log ratios of its pairs of slices.
    pub(super) fn slice_log_ratios(
        &self,
        scenario: usize,
        baseline: usize,
        candidate: usize,
        side: Side,
    ) -> Vec<(u32, Vec<f64>)> {
        let (Some(baseline), Some(candidate)) =
            (self.slices.get(&(scenario, baseline)), self.slices.get(&(scenario, candidate)))
        else {
            return Vec::new();
        };
        let of_round = |(round, baseline): (&u32, &Blocks<'_>)| {
            let (baseline, candidate) = paired(baseline, candidate.get(round)?, side);
            let both = baseline
                .iter()
                .zip(&candidate)
                .filter(|(baseline, candidate)| **baseline > 0.0 && **candidate > 0.0);
            Some((*round, both.map(|(baseline, candidate)| (candidate / baseline).ln()).collect()))
        };
        baseline.iter().filter_map(of_round).collect()
    }

    /// Of every round, a stack's time per iteration, ns.
    pub(super) fn times(&self, scenario: usize, stack: usize, side: Side) -> Vec<f64> {
        let of_round = |blocks: &Blocks<'_>| {
            let slices: Vec<f64> = blocks.values().map(|slice| ns(slice, side)).collect();
            match self.estimator {
                VisitEstimator::TrimmedMean => visit_value(&slices).ok(),
                VisitEstimator::Median => median(&slices).ok(),
            }
        };
        self.slices
            .get(&(scenario, stack))
            .into_iter()
            .flat_map(BTreeMap::values)
            .filter_map(of_round)
            .collect()
    }
}

/// Times per iteration of both, from slices of the same blocks.
fn paired(baseline: &Blocks<'_>, candidate: &Blocks<'_>, side: Side) -> (Vec<f64>, Vec<f64>) {
    baseline
        .iter()
        .filter_map(|(block, baseline)| Some((ns(baseline, side), ns(candidate.get(block)?, side))))
        .unzip()
}

fn ns(measurement: &Measurement, side: Side) -> f64 {
    let of_side = match side {
        Side::Client => &measurement.client,
        Side::Server => &measurement.server,
    };
    of_side.phases.total_ns() as f64 / measurement.iterations as f64
}

/// Why a scenario has no value on a stack, after `unsupported: ` or `failed: `.
pub(super) fn hole(record: &RunRecord, scenario: usize, stack: usize) -> Option<String> {
    if let StackState::Failed(reason) = &record.plan.stacks[stack].state {
        // The rest is the end of a log, which is below the report's list of stacks.
        let reason = reason.lines().next().unwrap_or_default();
        return Some(format!("failed: the stack did not take part: {reason}"));
    }
    let decided = record.cells.iter().rev().find(|cell| (cell.scenario, cell.stack) == (scenario, stack));
    match decided.map(|cell| &cell.proof) {
        Some(Proof::Proven { .. }) => None,
        Some(Proof::Unsupported(reason)) => Some(format!("unsupported: {reason}")),
        Some(Proof::Failed(reason)) => Some(format!("failed: {reason}")),
        None => Some("failed: the run ended before the cell was proven; resume it".to_owned()),
    }
}
