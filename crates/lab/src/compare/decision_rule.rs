//! The parameters of a decision, within a budget.

use std::time::Duration;

use tlslab_record::{Arrangement, ComparisonPolicy, Placement, Policy, Rounds, Seconds, Share, Slicing};

use crate::problem::Problem;
use crate::request::{ArrangementChoice, Decision};

/// The parameters of a decision.
#[derive(Clone, Debug)]
pub struct DecisionRule {
    /// The rounds after which a decision may be made.
    pub looks: Vec<u32>,
    /// Rounds of confirmation.
    pub confirmation: u32,
    /// The number of seeds for counts, and of further ones for confirmation.
    pub seeds: (u64, u64),
    /// How long each visit takes.
    pub visit: Duration,
    /// The floors for changes of time, as shares: with a randomised code layout, and without.
    pub time_floor: (f64, f64),
    /// The floor for changes of counts, as a share.
    pub exact_floor: f64,
    /// Negligible effect size, as a share.
    pub negligible: f64,
    /// The order of slices.
    pub arrangement: Arrangement,
    /// The reason for that order.
    pub arrangement_chosen: Option<String>,
    /// Whether the code layout is randomised.
    pub moves: bool,
    /// How the stacks take turns.
    pub slicing: Slicing,
    /// The policy from which the parameters come.
    pub policy: Policy,
}

impl From<&Policy> for DecisionRule {
    /// With the policy's maximum of rounds.
    fn from(policy: &Policy) -> Self {
        let ComparisonPolicy { seeds, time_floor, fixed_layout_time_floor, exact_floor, .. } =
            policy.comparison;
        Self {
            looks: Vec::new(),
            confirmation: 0,
            seeds,
            visit: Duration::ZERO,
            time_floor: (time_floor, fixed_layout_time_floor),
            exact_floor,
            negligible: policy.comparison.negligible,
            arrangement: Arrangement::Interleaved,
            arrangement_chosen: None,
            moves: true,
            slicing: policy.slicing,
            policy: policy.clone(),
        }
    }
}

impl DecisionRule {
    /// With so much time for each scenario, confirmation aside. `Err` is the least possible time.
    pub fn within(self, per_scenario: Duration) -> Result<Self, Duration> {
        let shortest = Seconds::nearest(self.policy.comparison.shortest_visit_s).duration();
        let mut least = Duration::ZERO;
        for rounds in self.policy.comparison.rounds.clone() {
            let all = rounds.looks.last().copied().unwrap_or(1);
            let visit = per_scenario / all;
            let own = rounds.shortest_visit_ms.map(|ms| Duration::from_millis(u64::from(ms)));
            let shortest = own.unwrap_or(shortest);
            if visit >= shortest {
                return Ok(Self { visit, ..self.with(&rounds) });
            }
            least = shortest * all;
        }
        Err(least)
    }

    /// Its rounds.
    pub fn rounds(&self) -> Rounds {
        Rounds::new(&self.looks, self.confirmation)
    }

    /// With these rounds.
    pub fn with(self, rounds: &Rounds) -> Self {
        Self { looks: rounds.looks.clone(), confirmation: rounds.confirmation, ..self }
    }
}

/// The policy with a request's overrides: it is recorded with the run.
fn decided_by(policy: &Policy, decision: &Decision) -> Policy {
    let mut policy = policy.clone();
    if let Some(floor) = decision.floor {
        policy.comparison.time_floor = floor.get();
        policy.comparison.fixed_layout_time_floor = floor.get();
    }
    policy.comparison.negligible = decision.negligible.map_or(policy.comparison.negligible, Share::get);
    policy.slicing = decision.slicing.over(policy.slicing);
    if decision.fixed_layout {
        policy.placement = Placement::Fixed;
    }
    policy
}

/// The parameters of a request within its budget for all scenarios.
///
/// # Errors
/// Fails if the budget is too small; the error has the least that is needed.
pub(super) fn rule(
    policy: &Policy,
    decision: &Decision,
    cells: usize,
    scenarios: usize,
) -> anyhow::Result<DecisionRule> {
    let policy = &decided_by(policy, decision);
    let mut rule = DecisionRule { moves: !decision.fixed_layout, ..DecisionRule::from(policy) };
    rule.arrangement = match decision.arrangement {
        ArrangementChoice::Best | ArrangementChoice::Interleaved => Arrangement::Interleaved,
        ArrangementChoice::Turns => Arrangement::Turns,
        ArrangementChoice::Duet => Arrangement::Duet,
    };
    let budget = decision
        .budget_s
        .unwrap_or(Seconds::nearest(policy.comparison.cell_s * cells.max(1) as f64))
        .duration();
    let scenarios = scenarios.max(1) as u32;
    rule.within(budget / scenarios).map_err(|least| {
        let thing = format!("a budget of {:.0} s", budget.as_secs_f64());
        let cause =
            format!("{scenarios} scenarios need at least {:.0} s", (least * scenarios).as_secs_f64().ceil());
        Problem::invalid("budget_s", thing, cause, "ask for more, or for fewer scenarios").into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_time_is_more_rounds() {
        let rule = |seconds: f64| {
            let within = DecisionRule::from(&Policy::default()).within(Duration::from_secs_f64(seconds));
            within.map(|rule| (rule.rounds().looks.last().copied(), rule.confirmation))
        };
        assert_eq!(rule(60.0), Ok((Some(256), 96)));
        // A scenario of two cells, by default.
        assert_eq!(rule(20.0), Ok((Some(96), 32)));
        assert_eq!(rule(2.0), Ok((Some(32), 16)));
        assert_eq!(rule(0.5), Err(Duration::from_millis(960)));
    }

    #[test]
    fn what_a_request_decides_is_in_the_policy_that_is_recorded() {
        let decision = Decision {
            floor: Some(Share::of(0.03)),
            negligible: Some(Share::of(0.02)),
            ..Decision::default()
        };
        let rule = rule(&Policy::default(), &decision, 2, 1).unwrap();
        let comparison = &rule.policy.comparison;
        assert_eq!((comparison.time_floor, comparison.fixed_layout_time_floor), (0.03, 0.03));
        assert_eq!((comparison.negligible, rule.negligible), (0.02, 0.02));
        assert_eq!(rule.time_floor, (0.03, 0.03));
        assert!(rule.policy.sentence().contains("floors 3 % of time (3 % with a fixed code layout)"));
    }
}
