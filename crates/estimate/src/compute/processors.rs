//! Times of stacks that were run as another processor, over their times as this host's own.

use tlslab_protocol::Measure;
use tlslab_record::{RunRecord, StackRecord};

use super::pairs::time_over;
use super::slices::Slices;
use crate::model::AsProcessor;

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
                let (ratio, no_ratio) = match time_over(record, slices, at, side, (stack, over)) {
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
