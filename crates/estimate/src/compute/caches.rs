//! Whether something behind a library caches the contents of a context: a handshake with fresh contexts must
//! cost more than one with existing contexts.

use tlslab_protocol::{ContextUse, Side};
use tlslab_record::RunRecord;

use super::estimates::{estimated, values, visit_values};
use super::slices::Slices;
use crate::digits::written;
use crate::model::Metric;

/// One sentence for each stack and side whose fresh contexts have no visible cost.
pub(super) fn warnings(record: &RunRecord, slices: &Slices) -> Vec<String> {
    let scenarios = &record.plan.scenarios;
    let mut warnings = Vec::new();
    for (fresh, scenario) in scenarios.iter().enumerate() {
        if scenario.context != ContextUse::Fresh {
            continue;
        }
        let twin = tlslab_protocol::Scenario { context: ContextUse::Reused, ..scenario.clone() };
        let is_twin = |other: &tlslab_protocol::Scenario| {
            *other == tlslab_protocol::Scenario { name: other.name.clone(), ..twin.clone() }
        };
        let Some(reused) = scenarios.iter().position(is_twin) else { continue };
        for (stack, taking_part) in record.plan.stacks.iter().enumerate() {
            for side in Side::BOTH {
                if let Some(ratio) = costs_nothing(record, slices, (fresh, reused), stack, side) {
                    warnings.push(format!(
                        "{}: fresh contexts cost the {side} nothing that can be seen in {} ({ratio} of the time with \
                         contexts that exist), so something remembers what they hold; its other figures may profit.",
                        taking_part.name, scenario.name
                    ));
                }
            }
        }
    }
    warnings
}

/// The time with fresh contexts over that without, if it is not clear of 1.
fn costs_nothing(
    record: &RunRecord,
    slices: &Slices,
    (fresh, reused): (usize, usize),
    stack: usize,
    side: Side,
) -> Option<String> {
    let of = |scenario| visit_values(slices.visits(scenario), stack, side, Metric::Time).ok();
    let (fresh, reused) = (of(fresh)?, of(reused)?);
    let log = |(round, fresh): &(u32, f64)| {
        let (_, reused) = reused.iter().find(|(other, _)| other == round)?;
        Some((*round, (fresh / reused).ln()))
    };
    let logs: Vec<(u32, f64)> = fresh.iter().filter_map(log).filter(|(_, log)| log.is_finite()).collect();
    let log = estimated(&values(&logs), record.plan.policy.confidence).ok()?;
    let ratio = slices.between().log_ratio(log).rising(f64::exp);
    // Without an interval there is no verdict.
    (ratio.interval?.lower <= 1.0).then(|| written(&ratio).to_string())
}
