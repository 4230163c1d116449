//! Part of a run: which rounds of which cells, with which programs, in which order.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tlslab_record::{Arrangement, Canaries, Plan, StackRecord};

use crate::DriverProgram;

/// What of a plan is to be done now.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// The rounds of visits.
    pub rounds: Range<u32>,
    /// The cells (scenario, stack) that are visited and counted; all of them where this is `None`.
    pub cells: Option<HashSet<(usize, usize)>>,
    /// How long a visit takes; the plan's budget is divided where this is `None`.
    pub slot: Option<Duration>,
    /// Scenarios whose visits take another time than that.
    pub slots: HashMap<usize, Duration>,
    /// Per stack, programs of it with their code in other places, one for each round in turn. A stack that
    /// has none runs its own program.
    pub layouts: Vec<Vec<PathBuf>>,
    /// Whether the kernel chooses anew for each timed process where things lie.
    pub moves: bool,
    /// In which order a visit's slices are taken.
    pub arrangement: Arrangement,
    /// Rounds from the beginning in which each process reports what the harness costs; all of them where this
    /// is `None`.
    pub calibrated_rounds: Option<u32>,
    /// Stacks that are timed beside those of the cells in some of the rounds, and neither counted nor
    /// weighed.
    pub canaries: Option<Canaries>,
    /// The seeds of the deterministic RNG in this stage's counts; the plan's where this is `None`.
    pub seeds: Option<Vec<u64>>,
    /// Which processes of each cell are weighed; the first ones where this is `None`.
    pub processes: Option<Range<u32>>,
}

impl Stage {
    /// The whole of a plan.
    pub fn whole(plan: &Plan) -> Self {
        Self { rounds: 0..plan.rounds, canaries: plan.canaries.clone(), ..Self::default() }
    }

    /// Whether a cell is part of it.
    pub fn has(&self, scenario: usize, stack: usize) -> bool {
        self.cells.as_ref().map_or(!self.is_canary(stack), |cells| cells.contains(&(scenario, stack)))
    }

    /// Whether a stack is proven in a scenario: as part of the stage, or to be timed beside others.
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

    /// Whether a stack is timed beside others.
    pub fn is_canary(&self, stack: usize) -> bool {
        self.canaries.as_ref().is_some_and(|canaries| canaries.has(stack))
    }

    /// Whether any stack of a scenario is.
    pub fn has_any_of(&self, scenario: usize) -> bool {
        self.cells.as_ref().is_none_or(|cells| cells.iter().any(|(which, _)| *which == scenario))
    }

    /// How long a visit of a scenario takes, where that is said.
    pub(crate) fn slot_of(&self, scenario: usize) -> Option<Duration> {
        self.slots.get(&scenario).copied().or(self.slot)
    }

    /// How many times as long a visit of these stacks takes so that the others have as much of it as without
    /// canaries.
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

    /// Whether processes of a round tell what the harness costs.
    pub(crate) fn calibrates(&self, round: u32) -> bool {
        self.calibrated_rounds.is_none_or(|rounds| round.saturating_sub(self.rounds.start) < rounds)
    }

    /// Which of the stage's rounds one is, from 0.
    pub(crate) fn turn(&self, round: u32) -> usize {
        round.saturating_sub(self.rounds.start) as usize
    }
}
