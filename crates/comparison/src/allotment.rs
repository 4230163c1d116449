//! The length of visits, from the scatter of a cell's rounds.
//!
//! A round costs something before its first slice counts: processes are started and prepared, and work for a
//! while. Where processes differ and slices hardly do, many short visits decide sooner than few long ones.

use std::collections::{BTreeMap, HashMap, HashSet};

use tlslab_protocol::Measurement;
use tlslab_record::{FEWEST_BLOCKS, RunRecord, Slicing};
use tlslab_stats::median;

use crate::spread::Spread;

/// The cost and scatter of a cell's blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cost {
    /// Blocks of a visit as planned.
    pub blocks: f64,
    /// The time of a block, s.
    pub block_s: f64,
    /// The time of the rest of a visit, s.
    pub fixed_s: f64,
    /// How rounds of such visits scatter.
    pub spread: Spread,
}

impl Cost {
    /// The number of blocks that decides soonest: √(c₁/c₂ · σ₂²/σ₁²), where c₁ is the cost of a round without
    /// blocks, c₂ that of a block, σ₁² the variance between processes and σ₂² that between blocks of a
    /// process (Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, for a hierarchy of
    /// two levels). The number of rounds is bounded, too: so there are at least as many blocks as keep the
    /// variance of a round below `most` times that of a planned visit, and at most as many as in a planned
    /// visit.
    pub(crate) fn allotted(&self, most: f64) -> f64 {
        let all = self.spread.round.powi(2);
        let of_block = self.spread.slices.powi(2) * self.blocks;
        let between = (all - self.spread.slices.powi(2)).max(0.0);
        if of_block <= 0.0 || self.block_s <= 0.0 {
            return f64::from(FEWEST_BLOCKS).min(self.blocks);
        }
        let soonest = (self.fixed_s / self.block_s * of_block / between).sqrt();
        let bounded = of_block / (most * all - between).max(f64::MIN_POSITIVE);
        soonest.max(bounded).max(f64::from(FEWEST_BLOCKS)).min(self.blocks)
    }
}

/// The length of a visit of each timed scenario after the first look's rounds, s; never longer than planned.
/// The same rounds give the same lengths, so a comparison that continues keeps them.
pub(crate) fn lengths(
    record: &RunRecord,
    spreads: &HashMap<usize, Vec<Spread>>,
    visit_s: f64,
    rounds: u32,
) -> HashMap<usize, f64> {
    let most = record.plan.policy.comparison.allotted_variance;
    let of_scenario = |(scenario, spreads): (&usize, &Vec<Spread>)| {
        let (blocks, block_s) = blocks(record, *scenario, rounds)?;
        let fixed_s = (visit_s - blocks * block_s).max(0.0);
        let wanted =
            spreads.iter().map(|spread| Cost { blocks, block_s, fixed_s, spread: *spread }.allotted(most));
        let blocks = wanted.reduce(f64::max)?.ceil();
        Some((*scenario, (fixed_s + blocks * block_s).min(visit_s)))
    };
    spreads.iter().filter_map(of_scenario).collect()
}

/// How many blocks a scenario's visits had, and how long the stacks worked in each, s: medians over the first
/// rounds.
fn blocks(record: &RunRecord, scenario: usize, rounds: u32) -> Option<(f64, f64)> {
    let Slicing { slices, .. } = record.plan.slicing();
    let complete: HashSet<(u32, u32)> = record
        .visits
        .iter()
        .filter(|visit| visit.complete && visit.scenario == scenario && visit.round < rounds)
        .map(|visit| (visit.round, visit.attempt))
        .collect();
    let pairs = record.plan.comparison.iter().flat_map(|comparison| &comparison.pairs);
    // Canaries are excluded: they have their own time.
    let stacks: HashSet<usize> = pairs.flat_map(|pair| [pair.baseline, pair.candidate]).collect();
    let mut visits: BTreeMap<u32, (HashSet<u32>, u64)> = BTreeMap::new();
    for sample in record.samples.iter().filter(|sample| stacks.contains(&sample.stack)) {
        if sample.scenario == scenario && complete.contains(&(sample.round, sample.attempt)) {
            let (blocks, worked_ns) = visits.entry(sample.round).or_default();
            blocks.insert(sample.block / slices.max(1));
            *worked_ns += worked(&sample.measurement);
        }
    }
    let each =
        |of: fn(&(HashSet<u32>, u64)) -> f64| median(&visits.values().map(of).collect::<Vec<_>>()).ok();
    let blocks = each(|(blocks, _)| blocks.len() as f64)?;
    let block_s = each(|(blocks, worked_ns)| *worked_ns as f64 / 1e9 / blocks.len().max(1) as f64)?;
    Some((blocks, block_s))
}

/// How long a driver worked for a slice, its turn's warm-up included, ns.
fn worked(measurement: &Measurement) -> u64 {
    measurement.elapsed_ns + measurement.warm_up.map_or(0, |warm_up| warm_up.elapsed_ns)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 20 blocks of 10 ms after 40 ms, in which the median over a visit's slices scatters by 1 and rounds by
    /// `round`.
    fn cost(round: f64) -> Cost {
        Cost { blocks: 20.0, block_s: 0.01, fixed_s: 0.04, spread: Spread { round, slices: 1.0 } }
    }

    #[test]
    fn worked_by_hand() {
        // σ₁² = 20, σ₂² = 20 · 1: √(0.04/0.01 · 20/20) = 2 and 20/(1.2 · 21 − 20) = 3.85.
        assert!((cost(21_f64.sqrt()).allotted(1.2) - 20.0 / 5.2).abs() < 1e-9);
        // σ₁² = 1, σ₂² = 20: √(4 · 20) = 8.94 and 20/(1.2 · 2 − 1) = 14.3; with more variance allowed, 20/(4 − 1) = 6.7.
        assert!((cost(2_f64.sqrt()).allotted(1.2) - 20.0 / 1.4).abs() < 1e-9);
        assert!((cost(2_f64.sqrt()).allotted(2.0) - 80_f64.sqrt()).abs() < 1e-9);
    }

    #[test]
    fn visits_are_neither_longer_than_planned_nor_shorter_than_a_median_needs() {
        assert_eq!(cost(1.0).allotted(1.2), 20.0, "processes do not differ at all");
        assert_eq!(cost(1000.0).allotted(1.2), 3.0);
        let never = Spread { round: 1.0, slices: 0.0 };
        assert_eq!(Cost { spread: never, ..cost(1.0) }.allotted(1.2), 3.0);
        assert_eq!(Cost { spread: never, blocks: 2.0, ..cost(1.0) }.allotted(1.2), 2.0);
    }
}
