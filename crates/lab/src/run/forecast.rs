//! How long a run takes.

use tlslab_measure::weighings;
use tlslab_protocol::{Measure, Scenario, WarmUpRule, Work};
use tlslab_recipe::Recipe;
use tlslab_record::{CountPlan, Plan, Slicing};

use crate::progress::durations::Durations;
use crate::progress::event::Stage;
use crate::progress::forecast::{Cells, PROCESS_S, key_of, recipe_of};
use crate::progress::phase::Phase;

/// The fewest blocks of turns in a visit.
const BLOCKS: f64 = 3.0;

/// How stacks are timed.
pub(super) struct Timing {
    /// The budget, s.
    pub budget_s: f64,
    /// Rounds of fresh processes.
    pub rounds: u32,
    /// The stacks' turns.
    pub slicing: Slicing,
}

impl Timing {
    /// How long timing takes: the budget, or the time of the fewest turns of all visits with their processes.
    pub(super) fn takes_s(&self, stacks: usize, scenarios: usize) -> f64 {
        let warm_up_s = self.slicing.warm_up.map_or(0.0, |WarmUpRule { least_ns, .. }| least_ns as f64 / 1e9);
        let turn_s = warm_up_s + self.slicing.slice_ns as f64 / 1e9 * f64::from(self.slicing.slices);
        let round_s = stacks as f64 * (PROCESS_S + scenarios as f64 * BLOCKS * turn_s);
        self.budget_s.max(f64::from(self.rounds) * round_s)
    }
}

/// How long the timing of a plan takes.
pub(super) fn timing_s(plan: &Plan) -> f64 {
    let timing = Timing { budget_s: plan.budget_s, rounds: plan.rounds, slicing: plan.slicing() };
    timing.takes_s(plan.stacks.len(), plan.timed().count())
}

/// The phases of a run after its builds.
pub(super) fn phases(
    durations: &Durations,
    stacks: &[(String, Recipe)],
    scenarios: &[Scenario],
    metrics: &[Measure],
    counting: Option<&CountPlan>,
    timing: &Timing,
) -> Vec<Phase> {
    let cells = Cells {
        durations,
        stacks: stacks.iter().map(|(_, recipe)| recipe_of(&recipe.name)).collect(),
        scenarios,
    };
    let mut phases = vec![cells.phase(Stage::Prove, &key_of(Stage::Prove, None), |_| 1)];
    if metrics.iter().any(|metric| metric.is_weighed()) {
        let weighings = |scenario: &Scenario| weighings(scenario, metrics);
        phases.push(cells.phase(Stage::Weigh, &key_of(Stage::Weigh, None), weighings));
    }
    if let Some(counting) = counting {
        phases
            .push(cells.phase(Stage::Count, &key_of(Stage::Count, Some(counting)), |_| counting.seeds.len()));
    }
    let timed = scenarios.iter().filter(|scenario| !matches!(scenario.work, Work::Idle { .. })).count();
    if metrics.contains(&Measure::Time) && timed > 0 {
        phases.push(Phase::timed(Stage::Measure.name(), timing.takes_s(stacks.len(), timed)));
    }
    phases
}
