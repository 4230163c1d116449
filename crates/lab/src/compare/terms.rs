//! What it takes to decide, within a budget.

use std::time::Duration;

use tlslab_record::{Arrangement, ComparisonPolicy, Policy, Rounds, Seconds, Slicing};

use crate::request::{ArrangementChoice, Decision};

/// What it takes to decide.
#[derive(Clone, Debug)]
pub struct Terms {
    /// After how many rounds it may be decided.
    pub looks: Vec<u32>,
    /// Rounds of confirmation.
    pub confirmation: u32,
    /// Seeds of the counts, and how many more confirm.
    pub seeds: (u64, u64),
    /// How long each visit takes.
    pub visit: Duration,
    /// Changes of time that are none, as shares: where code lies in random places, and where it does not.
    pub time_floor: (f64, f64),
    /// Changes of counts that are none, as a share.
    pub exact_floor: f64,
    /// Negligible effect size, as a share.
    pub negligible: f64,
    /// The order of slices.
    pub arrangement: Arrangement,
    /// Why that order.
    pub arrangement_chosen: Option<String>,
    /// Whether code lies in random places.
    pub moves: bool,
    /// How the stacks take turns.
    pub slicing: Slicing,
    /// The policy that all of it comes from.
    pub policy: Policy,
}

impl From<&Policy> for Terms {
    /// With the most rounds that the policy has.
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

impl Terms {
    /// With so much time for each scenario, confirmation aside. `Err` is the least that there must be.
    pub fn within(self, per_scenario: Duration) -> Result<Self, Duration> {
        let shortest = Seconds::nearest(self.policy.comparison.shortest_visit_s).duration();
        let mut least = Duration::ZERO;
        for rounds in self.policy.comparison.rounds.clone() {
            let all = rounds.looks.last().copied().unwrap_or(1);
            let visit = per_scenario / all;
            if visit >= shortest {
                return Ok(Self { visit, ..self.with(&rounds) });
            }
            least = shortest * all;
        }
        Err(least)
    }

    /// With these rounds.
    pub fn with(self, rounds: &Rounds) -> Self {
        Self { looks: rounds.looks.clone(), confirmation: rounds.confirmation, ..self }
    }
}

/// The policy with what a request says otherwise: it is recorded with the run.
fn decided_by(policy: &Policy, decision: &Decision) -> Policy {
    let mut policy = policy.clone();
    if let Some(floor) = decision.floor {
        policy.comparison.time_floor = floor;
        policy.comparison.fixed_layout_time_floor = floor;
    }
    policy.comparison.negligible = decision.negligible.unwrap_or(policy.comparison.negligible);
    policy.slicing = decision.slicing.over(policy.slicing);
    policy
}

/// How a request is decided within its budget, which is for all its scenarios.
///
/// # Errors
/// A budget that is too small, with the least that is needed.
pub fn terms(policy: &Policy, decision: &Decision, cells: usize, scenarios: usize) -> anyhow::Result<Terms> {
    let policy = &decided_by(policy, decision);
    let mut terms = Terms { moves: !decision.fixed_layout, ..Terms::from(policy) };
    terms.arrangement = match decision.arrangement {
        ArrangementChoice::Best | ArrangementChoice::Interleaved => Arrangement::Interleaved,
        ArrangementChoice::Turns => Arrangement::Turns,
        ArrangementChoice::Duet => Arrangement::Duet,
    };
    let budget =
        Seconds::nearest(decision.budget_s.unwrap_or(policy.comparison.cell_s * cells.max(1) as f64))
            .duration();
    let scenarios = scenarios.max(1) as u32;
    terms.within(budget / scenarios).map_err(|least| {
        anyhow::anyhow!(
            "--budget {:.0}s: {scenarios} scenarios need at least {:.0} s; ask for more, or for fewer scenarios",
            budget.as_secs_f64(),
            (least * scenarios).as_secs_f64().ceil()
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_request_decides_is_in_the_policy_that_is_recorded() {
        let decision = Decision { floor: Some(0.03), negligible: Some(0.02), ..Decision::default() };
        let terms = terms(&Policy::default(), &decision, 2, 1).unwrap();
        let comparison = &terms.policy.comparison;
        assert_eq!((comparison.time_floor, comparison.fixed_layout_time_floor), (0.03, 0.03));
        assert_eq!((comparison.negligible, terms.negligible), (0.02, 0.02));
        assert_eq!(terms.time_floor, (0.03, 0.03));
        assert!(terms.policy.sentence().contains("floors 3 % of time (3 % with a fixed code layout)"));
    }
}
