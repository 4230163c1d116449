//! Part of a run: which rounds of which cells, with which programs, in which order.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tlslab_record::{Arrangement, Canaries, Plan, StackRecord};

use crate::DriverProgram;

/// The part of a plan to carry out now.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// The rounds of visits.
    pub rounds: Range<u32>,
    /// The cells (scenario, stack) that are visited and counted; all if `None`.
    pub cells: Option<HashSet<(usize, usize)>>,
    /// The duration of a visit; `None` divides the plan's budget.
    pub slot: Option<Duration>,
    /// Scenarios with visits of another duration.
    pub slots: HashMap<usize, Duration>,
    /// Per stack, programs with other code layouts, one for each round in turn. A stack without layouts runs
    /// its own program.
    pub layouts: Vec<Vec<PathBuf>>,
    /// Whether the kernel randomises addresses for each timed process.
    pub moves: bool,
    /// The order of a visit's slices.
    pub arrangement: Arrangement,
    /// The first rounds, in which each process reports harness overhead; all rounds if `None`.
    pub calibrated_rounds: Option<u32>,
    /// Stacks that are timed together with those of the cells in some of the rounds, and neither counted nor
    /// weighed.
    pub canaries: Option<Canaries>,
    /// The seeds of the deterministic RNG in this stage's counts; the plan's if `None`.
    pub seeds: Option<Vec<u64>>,
    /// The processes of each cell that are weighed; the first ones if `None`.
    pub processes: Option<Range<u32>>,
}

impl Stage {
    /// The whole plan.
    pub fn whole(plan: &Plan) -> Self {
        Self { rounds: 0..plan.rounds, canaries: plan.canaries.clone(), ..Self::default() }
    }

    /// Whether a cell is part of it.
    pub fn has(&self, scenario: usize, stack: usize) -> bool {
        self.cells.as_ref().map_or(!self.is_canary(stack), |cells| cells.contains(&(scenario, stack)))
    }

    /// Whether a stack is proven in a scenario: as part of the stage, or to be timed with others.
    pub fn proves(&self, scenario: usize, stack: usize) -> bool {
        self.has(scenario, stack) || self.is_canary(stack) && self.has_any_of(scenario)
    }

    /// Whether a stack is timed in a round's visit of a scenario.
    pub fn visits(&self, round: u32, scenario: usize, stack: usize) -> bool {
        match &self.canaries {
            Some(canaries) if canaries.has(stack) => canaries.are_in(round) && self.has_any_of(scenario),
            _ => self.has(scenario, stack),
        }
    }

    /// Whether a stack is timed only together with others.
    pub fn is_canary(&self, stack: usize) -> bool {
        self.canaries.as_ref().is_some_and(|canaries| canaries.has(stack))
    }

    /// Whether any stack of a scenario is.
    pub fn has_any_of(&self, scenario: usize) -> bool {
        self.cells.as_ref().is_none_or(|cells| cells.iter().any(|(which, _)| *which == scenario))
    }

    /// The duration of a visit of a scenario, if set.
    pub(crate) fn slot_of(&self, scenario: usize) -> Option<Duration> {
        self.slots.get(&scenario).copied().or(self.slot)
    }

    /// The factor by which a visit of these stacks is longer, so that the others have the same share as
    /// without canaries.
    pub(crate) fn longer(&self, stacks: impl Iterator<Item = usize>) -> f64 {
        let (mut all, mut others) = (0_usize, 0_usize);
        for stack in stacks {
            all += 1;
            others += usize::from(!self.is_canary(stack));
        }
        let parts = |stacks: usize| match self.arrangement {
            Arrangement::Duet => stacks.div_ceil(2).max(1),
            Arrangement::Interleaved | Arrangement::Turns => stacks.max(1),
        };
        parts(all) as f64 / parts(others) as f64
    }

    /// The program of a stack in the `turn`th of several rounds or seeds.
    pub(crate) fn program<'s>(
        &'s self,
        stack: usize,
        record: &'s StackRecord,
        turn: usize,
    ) -> DriverProgram<'s> {
        let own = DriverProgram { moves: self.moves, ..DriverProgram::from(record) };
        match self.layouts.get(stack).map(Vec::as_slice) {
            None | Some([]) => own,
            Some(layouts) => {
                let path: &Path = &layouts[turn % layouts.len()];
                DriverProgram { path, ..own }
            }
        }
    }

    /// Whether processes of a round report harness overhead.
    pub(crate) fn calibrates(&self, round: u32) -> bool {
        self.calibrated_rounds.is_none_or(|rounds| round.saturating_sub(self.rounds.start) < rounds)
    }

    /// The index of a round within the stage, from 0.
    pub(crate) fn turn(&self, round: u32) -> usize {
        round.saturating_sub(self.rounds.start) as usize
    }
}
