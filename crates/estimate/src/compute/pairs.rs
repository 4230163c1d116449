//! Ratios of any two stacks of a run, not only of a stack over the baseline.

use tlslab_protocol::Side;
use tlslab_record::{LayoutEffect, RunRecord};

use super::cells::hole;
use super::estimates::{estimated, log_ratios, values};
use super::slices::Slices;
use crate::model::{Family, Metric};
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
        if [stack, over].iter().any(|place| hole(self.record, &self.slices, scenario, *place).is_some()) {
            return None;
        }
        let logs = log_ratios(self.slices.visits(scenario), (over, stack), side, Metric::Time).ok()?;
        let log = estimated(&values(&logs), plan.policy.confidence).ok()?;
        let ratio = self.slices.between().log_ratio(log).rising(f64::exp);
        let interval = ratio.interval?;
        let floors = LayoutEffect::floors(&self.record.layouts);
        let floor = Family::of(&plan.scenarios[scenario]).layout_floor(&floors, &plan.policy.ratios);
        Some(PairRatio { ratio: ratio.value, lower: interval.lower, upper: interval.upper, floor })
    }
}
