//! Times of stacks that were run as another processor, over their times as this host's own.

use tlslab_protocol::{Measure, Side};
use tlslab_record::{RunRecord, StackRecord};

use super::cells::hole;
use super::estimates::{estimated, log_ratios, values};
use super::slices::Slices;
use crate::model::{AsProcessor, Estimated, Metric};

/// Of every stack that the run also measured with all features: scenario × stack × side, in this order.
pub(super) fn processors(record: &RunRecord, slices: &Slices) -> Vec<AsProcessor> {
    let plan = &record.plan;
    let mut all = Vec::new();
    if !plan.has(Measure::Time) {
        return all;
    }
    for (at, scenario) in plan.scenarios.iter().enumerate() {
        for (stack, one) in plan.stacks.iter().enumerate() {
            let Some((over, processor)) = as_processor(&plan.stacks, one) else { continue };
            for &side in scenario.work.sides() {
                let pair = Pair { record, slices, scenario: at, stack, over };
                let (ratio, no_ratio) = match pair.ratio(side) {
                    Ok(ratio) => (Some(ratio), None),
                    Err(reason) => (None, Some(reason)),
                };
                all.push(AsProcessor {
                    stack: plan.stacks[over].name.clone(),
                    processor: processor.to_owned(),
                    scenario: scenario.name.clone(),
                    side,
                    ratio,
                    no_ratio,
                });
            }
        }
    }
    all
}

/// The place of the same stack without the processor's word, and the processor.
fn as_processor<'s>(stacks: &[StackRecord], stack: &'s StackRecord) -> Option<(usize, &'s str)> {
    let processor = &stack.identity.as_ref()?.processor.as_ref()?.name;
    let own = stack.name.replacen(&format!("+cpu-{processor}"), "", 1);
    Some((stacks.iter().position(|one| one.name == own)?, processor))
}

/// A stack as a processor, and itself, in a scenario.
struct Pair<'a, 'r> {
    record: &'r RunRecord,
    slices: &'a Slices<'r>,
    scenario: usize,
    stack: usize,
    over: usize,
}

impl Pair<'_, '_> {
    fn ratio(&self, side: Side) -> Result<Estimated, String> {
        let plan = &self.record.plan;
        for stack in [self.stack, self.over] {
            let hole = hole(self.record, self.slices, self.scenario, stack);
            if let Some((kind, reason)) = hole.as_ref().and_then(|hole| hole.hole()) {
                return Err(format!("{} {kind}: {reason}", plan.stacks[stack].name));
            }
        }
        let visits = self.slices.visits(self.scenario);
        let logs = log_ratios(visits, (self.over, self.stack), side, Metric::Time)
            .map_err(|refused| refused.to_string())?;
        if logs.is_empty() {
            return Err("no visit of both is complete".to_owned());
        }
        let log = estimated(&values(&logs), plan.policy.confidence)?;
        Ok(self.slices.between().log_ratio(log).rising(f64::exp))
    }
}
