//! Verdicts on times, from a run's rounds by [`TimeRule`].

use std::collections::HashMap;

use tlslab_protocol::Side;
use tlslab_record::{ComparisonPlan, RunRecord, StackPair};
use tlslab_stats::{WholeRule, median};

use super::cells::{cells, holes};
use super::observed::Observed;
use crate::model::{Effect, Outcome};
use crate::spread::Spread;
use crate::time_rule::{CellJudged, CellRounds, TimeRule};
use crate::verdict::Verdict;

type Key = (usize, usize, Side);

/// The decisions on all timed cells.
pub(super) struct Times {
    cells: HashMap<Key, Cell>,
    floor: f64,
    refused: Option<String>,
}

struct Cell {
    baseline_ns: f64,
    is_identical: bool,
    /// The change that would be found four times in five if this cell alone had changed, as a share.
    detectable: Option<f64>,
    spread: Option<Spread>,
    judged: CellJudged,
}

/// Decides all cells.
pub(super) fn judged(record: &RunRecord, plan: &ComparisonPlan, observed: &Observed<'_>) -> Times {
    let none = |refused| Times { cells: HashMap::new(), floor: plan.time_floor, refused };
    let rule = match TimeRule::of(plan, &record.plan.policy) {
        Ok(rule) => rule,
        Err(refused) => return none(Some(refused.to_string())),
    };
    let of_pair = |pair: usize| &plan.pairs[pair];
    let timed: Vec<usize> = record.plan.timed().collect();
    let keys: Vec<Key> = cells(&record.plan, plan)
        .filter(|(_, scenario, _)| timed.contains(scenario))
        .filter(|(pair, scenario, _)| holes(record, *scenario, of_pair(*pair)).is_none())
        .collect();
    let rounds: Vec<CellRounds> =
        keys.iter().map(|key| rounds(record, plan, observed, *key, of_pair(key.0))).collect();
    let mut wholes: HashMap<u32, Option<WholeRule>> = HashMap::new();
    let mut detectable = |judged: &CellJudged| {
        let block = judged.dependence.map_or(1, |dependence| dependence.block);
        let whole = wholes.entry(block).or_insert_with(|| rule.whole(rounds.len(), block));
        whole.as_ref()?.detectable_share(judged.deviation?)
    };
    let cell = |((pair, scenario, side), judged): (Key, CellJudged)| {
        let stacks = of_pair(pair);
        let baseline_ns = median(&observed.times(scenario, stacks.baseline, side)).unwrap_or(0.0);
        let detectable = detectable(&judged);
        let slices = observed.slice_log_ratios(scenario, stacks.baseline, stacks.candidate, side);
        let slices: Vec<Vec<f64>> = slices.into_iter().map(|(_, slices)| slices).collect();
        let spread = Spread::of(&judged.values, &slices);
        let is_identical = stacks.identical;
        ((pair, scenario, side), Cell { baseline_ns, is_identical, detectable, spread, judged })
    };
    let judged = rule.judge(&rounds);
    Times { cells: keys.into_iter().zip(judged).map(cell).collect(), ..none(None) }
}

fn rounds(
    record: &RunRecord,
    plan: &ComparisonPlan,
    observed: &Observed<'_>,
    (_, scenario, side): Key,
    stacks: &StackPair,
) -> CellRounds {
    let all = observed.log_ratios(scenario, stacks.baseline, stacks.candidate, side);
    let is_ended = |rounds: u32| {
        record.complete
            || record
                .visits
                .iter()
                .any(|visit| visit.complete && visit.scenario == scenario && visit.round + 1 == rounds)
    };
    let confirming = plan.confirming();
    CellRounds {
        first: all.iter().filter(|(round, _)| *round < plan.rounds()).copied().collect(),
        ended: plan.looks.iter().map(|look| is_ended(*look)).collect(),
        confirming: all
            .iter()
            .filter(|(round, _)| confirming.contains(round))
            .map(|(_, value)| *value)
            .collect(),
        confirmed: plan.confirmation > 0 && is_ended(confirming.end),
    }
}

impl Times {
    /// Whether more rounds are needed. Identical code has its verdict before the first one.
    pub(super) fn is_open(&self, pair: usize, scenario: usize, side: Side) -> bool {
        self.cells.get(&(pair, scenario, side)).is_some_and(|cell| cell.judged.is_open && !cell.is_identical)
    }

    /// Whether the first measurement found a change that may be one.
    pub(super) fn is_flagged(&self, pair: usize, scenario: usize, side: Side) -> bool {
        self.cells
            .get(&(pair, scenario, side))
            .is_some_and(|cell| cell.judged.is_flagged && !cell.is_identical)
    }

    /// The outcome of a cell that both stacks support.
    pub(super) fn outcome(&self, pair: usize, scenario: usize, side: Side) -> Outcome {
        let missing = |reason: String| Outcome::Missing {
            baseline_missing: Some(format!("failed: {reason}")),
            candidate_missing: Some(format!("failed: {reason}")),
        };
        let Some(cell) = self.cells.get(&(pair, scenario, side)) else {
            return missing(self.refused.clone().unwrap_or_else(|| "it was not measured".to_owned()));
        };
        match &cell.judged.centre {
            Ok(centre) => Outcome::Compared(Box::new(cell.effect(*centre, self.floor))),
            Err(reason) => missing(reason.clone()),
        }
    }
}

impl Cell {
    fn effect(&self, centre: f64, floor: f64) -> Effect {
        let judged = &self.judged;
        let (verdict, note) = if self.is_identical {
            let note = judged.is_flagged.then(|| "its times nevertheless differed: noise".to_owned());
            (Verdict::Identical, note)
        } else {
            (judged.verdict, judged.note.clone())
        };
        Effect {
            verdict,
            note,
            baseline: self.baseline_ns,
            candidate: self.baseline_ns * centre.exp(),
            ratio: centre.exp(),
            interval: judged.interval,
            n: judged.values.len(),
            p_value: judged.p_value,
            q_value: judged.q_value,
            threshold: floor,
            detectable: self.detectable,
            confirmation: judged.confirmation.clone(),
            exact: false,
            tiny: false,
            ratios: judged.values.iter().map(|value| value.exp()).collect(),
            spread: self.spread,
            dependence: judged.dependence,
            groups: super::groups::groups(&judged.values),
            tracked: None,
            points: Vec::new(),
            acknowledged: None,
            reasons: Vec::new(),
        }
    }
}
