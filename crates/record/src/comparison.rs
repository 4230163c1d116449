//! The plan of a comparison.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{DependenceRule, Policy, Rounds};

/// How two stacks are compared, and the requirements of a decision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ComparisonPlan {
    /// The pairs of stacks.
    pub pairs: Vec<StackPair>,
    /// The rounds after which a decision may be made: ascending, the last one is all.
    pub looks: Vec<u32>,
    /// Rounds of fresh processes in which flagged cells are measured again.
    pub confirmation: u32,
    /// Seeds of the counts in which flagged cells are counted again.
    #[serde(default)]
    pub confirmation_seeds: Vec<u64>,
    /// Further seeds, in the order in which they are drawn, for flagged cells that changed alike in the
    /// confirmation, but scattered too much for certainty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further_seeds: Vec<Vec<u64>>,
    /// The level of each cell's sequential test.
    pub alpha: f64,
    /// The share of false discoveries among all flagged cells of a metric.
    pub false_discovery_rate: f64,
    /// The floor of times, as a log ratio: smaller changes do not count.
    pub time_floor: f64,
    /// The floor of exact figures, as a log ratio: smaller changes do not count.
    pub exact_floor: f64,
    /// The negligible effect size, as a log ratio: a cell whose interval lies within it is not measured
    /// further.
    pub negligible: f64,
    /// Whether the code layout differs in each round.
    pub moves: bool,
    /// The order of slices.
    pub arrangement: Arrangement,
    /// The reason for that order, if the host decided it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub arrangement_chosen: Option<String>,
    /// The handling of correlated rounds; `None` in plans of earlier versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub dependence: Option<DependenceRule>,
    /// The duration of each visit, s.
    #[serde(deserialize_with = "crate::seconds::read")]
    pub visit_s: f64,
}

/// Stacks that stay the same over the years and are timed with others. Nothing else is measured of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Canaries {
    /// Indices into the plan's stacks.
    pub stacks: Vec<usize>,
    /// They take part in the first of every so many rounds.
    pub every: u32,
}

impl Canaries {
    /// Such that they take at most `share` of the time, together with this many others.
    pub fn beside(stacks: Vec<usize>, others: usize, share: f64) -> Self {
        let added = stacks.len() as f64 / others.max(1) as f64;
        // added/every over 1 + added/every is the share.
        let every = (added * (1.0 - share) / share - TINY).ceil().clamp(1.0, 64.0);
        Self { stacks, every: every as u32 }
    }

    /// Whether a stack is one of them.
    pub fn has(&self, stack: usize) -> bool {
        self.stacks.contains(&stack)
    }

    /// Whether they take part in a round.
    pub fn are_in(&self, round: u32) -> bool {
        round.is_multiple_of(self.every.max(1))
    }
}

/// The rounding error of a computed share.
const TINY: f64 = 1e-9;

/// Two stacks of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct StackPair {
    /// The baseline, as an index into the plan's stacks.
    #[serde(rename = "base")]
    pub baseline: usize,
    /// The candidate, likewise.
    #[serde(rename = "new")]
    pub candidate: usize,
    /// Whether both run the same code: their programs' code and constants are equal.
    pub identical: bool,
    /// Why the code layout does not vary between rounds, for each of the two with that reason.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fixed_layout: Vec<String>,
}

/// The order of a visit's slices.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Arrangement {
    /// All stacks in turn, slice by slice, on one processor.
    #[default]
    Interleaved,
    /// One stack's slices together, then the other's twice, then the first one's again, on one processor.
    Turns,
    /// Both at once on two processors, which are swapped halfway.
    Duet,
}

impl Arrangement {
    /// `interleaved`, `turns` or `duet`.
    pub fn name(self) -> &'static str {
        match self {
            Arrangement::Interleaved => "interleaved",
            Arrangement::Turns => "turns",
            Arrangement::Duet => "duet",
        }
    }
}

impl ComparisonPlan {
    /// A policy's values for comparisons, with this many rounds and no pairs yet: the code layout varies
    /// between rounds, so the floor is the lower one.
    pub fn by(policy: &Policy, rounds: &Rounds) -> Self {
        let terms = &policy.comparison;
        Self {
            pairs: Vec::new(),
            looks: rounds.looks.clone(),
            confirmation: rounds.confirmation,
            confirmation_seeds: Vec::new(),
            further_seeds: Vec::new(),
            alpha: terms.alpha,
            false_discovery_rate: terms.false_discovery_rate,
            time_floor: terms.time_floor.ln_1p(),
            exact_floor: terms.exact_floor.ln_1p(),
            negligible: terms.negligible.ln_1p(),
            moves: true,
            arrangement: Arrangement::Interleaved,
            arrangement_chosen: None,
            dependence: Some(terms.dependence),
            visit_s: terms.shortest_visit_s,
        }
    }

    /// All rounds before confirmation.
    pub fn rounds(&self) -> u32 {
        self.looks.last().copied().unwrap_or(0)
    }

    /// The rounds of confirmation.
    pub fn confirming(&self) -> std::ops::Range<u32> {
        self.rounds()..self.rounds() + self.confirmation
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn canaries_take_a_fifth_of_the_time_at_most() {
        for (canaries, others, every) in [(1, 2, 2), (1, 4, 1), (1, 1, 4), (2, 2, 4), (1, 8, 1)] {
            let found = Canaries::beside(vec![9; canaries], others, 0.2);
            assert_eq!(found.every, every, "{canaries} canaries, {others} others");
            let added = canaries as f64 / others as f64 / f64::from(every);
            assert!(added / (1.0 + added) <= 0.2 + 1e-12);
        }
    }

    #[test]
    fn they_take_part_in_the_first_of_each_few_rounds() {
        let canaries = Canaries { stacks: vec![2], every: 2 };
        assert_eq!([0, 1, 2, 3].map(|round| canaries.are_in(round)), [true, false, true, false]);
        assert!(canaries.has(2) && !canaries.has(0));
    }
}
