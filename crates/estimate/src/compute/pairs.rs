//! Ratios of any two stacks of a run, not only of a stack over the baseline.

use tlslab_protocol::Side;
use tlslab_record::{LayoutEffect, RunRecord};

use super::cells::hole;
use super::estimates::{estimated, log_ratios, values};
use super::slices::Slices;
use crate::model::{Estimated, Family, Metric};
use crate::pair::PairRatio;

/// The times of one run, ready for ratios of any two of its stacks.
pub struct PairedTimes<'r> {
    record: &'r RunRecord,
    slices: Slices<'r>,
}

impl<'r> PairedTimes<'r> {
    /// Of a run with its samples.
    #[must_use]
    pub fn of(record: &'r RunRecord) -> Self {
        Self { record, slices: Slices::of(record) }
    }

    /// The time of a stack over that of another in a scenario, from the turns of both in the same visits: the
    /// ratio in the run's report if the other is the baseline. `None` without samples of both, or with too
    /// few for an interval.
    #[must_use]
    pub fn ratio(&self, scenario: &str, side: Side, stack: &str, over: &str) -> Option<PairRatio> {
        let plan = &self.record.plan;
        let scenario = plan.scenarios.iter().position(|one| one.name == scenario)?;
        let place = |name: &str| plan.stacks.iter().position(|one| one.name == name);
        let (stack, over) = (place(stack)?, place(over)?);
        let ratio = time_over(self.record, &self.slices, scenario, side, (stack, over)).ok()?;
        let interval = ratio.interval?;
        let floors = LayoutEffect::floors(&self.record.layouts);
        let floor = Family::of(&plan.scenarios[scenario]).layout_floor(&floors, &plan.policy.ratios);
        Some(PairRatio { ratio: ratio.value, lower: interval.lower, upper: interval.upper, floor })
    }
}

/// The time of a stack over that of another, by their places in the plan, from the turns of both in the same
/// visits; or why it is missing.
pub(super) fn time_over(
    record: &RunRecord,
    slices: &Slices<'_>,
    scenario: usize,
    side: Side,
    (stack, over): (usize, usize),
) -> Result<Estimated, String> {
    for place in [stack, over] {
        let hole = hole(record, slices, scenario, place);
        if let Some((kind, reason)) = hole.as_ref().and_then(|hole| hole.hole()) {
            return Err(format!("{} {kind}: {reason}", record.plan.stacks[place].name));
        }
    }
    let logs = log_ratios(slices.visits(scenario), (over, stack), side, Metric::Time)
        .map_err(|refused| refused.to_string())?;
    if logs.is_empty() {
        return Err("no visit of both is complete".to_owned());
    }
    let log = estimated(&values(&logs), record.plan.policy.confidence)?;
    Ok(slices.between().log_ratio(log).rising(f64::exp))
}
