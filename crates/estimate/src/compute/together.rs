//! Ratios of scenarios that were measured in one visit.

use std::collections::HashMap;

use tlslab_protocol::Side;
use tlslab_record::RunRecord;

use super::cells::hole;
use super::estimates::estimated;
use super::slices::{Slices, VisitSlices};
use crate::model::{Estimated, Family, Metric, ScenarioRatio, Together, Whose};

/// Every group of the plan.
pub(super) fn together(record: &RunRecord, slices: &Slices) -> Vec<Together> {
    let scenarios = &record.plan.scenarios;
    let is_known = |group: &&Vec<usize>| group.iter().all(|scenario| *scenario < scenarios.len());
    let groups = record.plan.together.iter().filter(is_known);
    groups
        .map(|group| Together {
            scenarios: group.iter().map(|scenario| scenarios[*scenario].name.clone()).collect(),
            ratios: ratios(record, slices, group),
        })
        .collect()
}

/// Of a group: every later scenario over every earlier one, those over the first before the others.
fn ratios(record: &RunRecord, slices: &Slices, group: &[usize]) -> Vec<ScenarioRatio> {
    let mut ratios = Vec::new();
    for (at, over) in group.iter().enumerate() {
        for of in &group[at + 1..] {
            for stack in 0..record.plan.stacks.len() {
                let pair = Pair { record, slices, stack, of: *of, over: *over };
                ratios.extend(pair.sides().into_iter().map(|side| pair.ratio(side)));
            }
        }
    }
    ratios
}

/// A stack in two scenarios.
struct Pair<'a, 'r> {
    record: &'r RunRecord,
    slices: &'a Slices<'r>,
    stack: usize,
    of: usize,
    over: usize,
}

impl Pair<'_, '_> {
    /// The sides that both have; both together where either is measured by the wall.
    fn sides(&self) -> Vec<Whose> {
        let [of, over] = [self.of, self.over].map(|scenario| &self.record.plan.scenarios[scenario]);
        let both = of.work.sides().iter().filter(|side| over.work.sides().contains(side));
        let mut sides: Vec<Whose> = both.map(|side| Whose::from(*side)).collect();
        if [of, over].into_iter().any(|scenario| Family::of(scenario).is_by_the_wall()) {
            sides.push(Whose::Both);
        }
        sides
    }

    fn ratio(&self, whose: Whose) -> ScenarioRatio {
        // The wall has one clock: either side gives the same.
        let (side, metric) = match whose {
            Whose::Client => (Side::Client, Metric::Time),
            Whose::Server => (Side::Server, Metric::Time),
            Whose::Both => (Side::Client, Metric::Wall),
        };
        let (ratio, no_ratio) = match self.estimate(side, metric) {
            Ok(ratio) => (Some(ratio), None),
            Err(reason) => (None, Some(reason)),
        };
        let name = |scenario: usize| self.record.plan.scenarios[scenario].name.clone();
        ScenarioRatio {
            stack: self.record.plan.stacks[self.stack].name.clone(),
            scenario: name(self.of),
            over: name(self.over),
            side: whose,
            metric,
            ratio,
            no_ratio,
        }
    }

    fn estimate(&self, side: Side, metric: Metric) -> Result<Estimated, String> {
        for scenario in [self.of, self.over] {
            let hole = hole(self.record, self.slices, scenario, self.stack);
            if let Some((kind, reason)) = hole.as_ref().and_then(|hole| hole.hole()) {
                let name = &self.record.plan.scenarios[scenario].name;
                return Err(format!("{name} is {kind}: {reason}"));
            }
        }
        let logs = self.logs(side, metric)?;
        if logs.is_empty() {
            return Err("no visit of both is complete".to_owned());
        }
        let log = estimated(&logs, self.record.plan.policy.confidence)?;
        Ok(self.slices.between().log_ratio(log).rising(f64::exp))
    }

    /// The logarithm of the ratio in every visit of both. A scenario that was visited again alone, after a
    /// run was cut short, has another attempt.
    fn logs(&self, side: Side, metric: Metric) -> Result<Vec<f64>, String> {
        let key = |visit: &VisitSlices| (visit.round, visit.attempt);
        let over: HashMap<(u32, u32), &VisitSlices> =
            self.slices.visits(self.over).iter().map(|visit| (key(visit), visit)).collect();
        let mut logs = Vec::new();
        for of in self.slices.visits(self.of) {
            let log = over.get(&key(of)).and_then(|over| of.log_ratio_over(over, self.stack, side, metric));
            logs.extend(log.transpose().map_err(|refused| refused.to_string())?);
        }
        Ok(logs)
    }
}
