//! A visit of several scenarios: in each block every scenario of every stack has one turn, in random order.
//!
//! Drift between two visits would be part of a ratio of their scenarios; here both are measured within a few
//! milliseconds. A stack has one process, as always: before a turn it is prepared for another scenario, off
//! the clock, and the turn's warm-up follows.

use std::time::{Duration, Instant};

use tlslab_record::{FEWEST_BLOCKS, Proof, Visit};

use crate::requests::started;
use crate::runner::{Cells, Runner};
use crate::schedule::Schedule;
use crate::time_bounds::TimeBounds;
use crate::visit::{Cut, Participant, Terms, settles_ns};
use crate::{DriverFailure, DriverProgram, Journal, Talk};

/// The factor by which a warm-up is at least longer than elsewhere: a process that was just prepared has new
/// objects, and their preparation is in its caches.
const AFTER_PREPARATION: u64 = 3;

/// A stack in one of the scenarios.
pub(crate) struct Seat<'a> {
    /// The scenario, as the index of its terms.
    pub member: usize,
    /// The stack, as its index in the plan.
    pub stack: usize,
    /// How another process of it is started.
    pub driver: DriverProgram<'a>,
    /// How long one iteration is known to take, ns.
    pub iteration_ns: f64,
    /// How long its runtime does other work after a pause, ns.
    pub settles_ns: u64,
    /// Its reports for this scenario.
    pub times: TimeBounds,
}

impl Seat<'_> {
    /// Lets its process do something for this scenario.
    fn with<T>(&mut self, talk: &mut dyn Talk, work: impl FnOnce(&mut Participant<'_>) -> T) -> T {
        let mut participant = Participant {
            stack: self.stack,
            driver: self.driver,
            talk,
            iteration_ns: self.iteration_ns,
            settles_ns: self.settles_ns,
            times: std::mem::take(&mut self.times),
        };
        let done = work(&mut participant);
        let Participant { iteration_ns, times, .. } = participant;
        (self.iteration_ns, self.times) = (iteration_ns, times);
        done
    }
}

/// The resources of a visit of several scenarios.
pub(crate) struct Group<'g, 't> {
    /// The scenarios' terms.
    pub terms: &'g [Terms<'t>],
    /// The processes, one per stack of the plan.
    pub talks: &'g mut [Option<Box<dyn Talk>>],
    /// The scenario for which each is prepared.
    pub prepared: Vec<Option<usize>>,
}

/// The cause that stopped a visit of several scenarios, and the scenario, as an index into the plan.
pub(crate) type GroupCut = (usize, Cut);

impl Group<'_, '_> {
    /// Measures for about as long as the slot. Every slice is in the journal when this returns, also on an
    /// error.
    pub(crate) fn visit(
        &mut self,
        seats: &mut [Seat<'_>],
        mut next_order: impl FnMut() -> Vec<usize>,
        slot: Duration,
        journal: &mut dyn Journal,
    ) -> Result<(), GroupCut> {
        let start = Instant::now();
        for at in next_order() {
            let seat = &mut seats[at];
            let terms = &self.terms[seat.member];
            self.prepared[seat.stack] = Some(seat.member);
            let warmed_up = self.process(seat.stack).and_then(|talk| {
                let warmed_up = seat.with(talk, |participant| terms.warm_up(participant));
                warmed_up.map_err(|failure| Cut::Driver { stack: seat.stack, failure })
            });
            warmed_up.map_err(|cut| (terms.which.scenario, cut))?;
        }
        for seat in &mut *seats {
            if let Some(talk) = &self.talks[seat.stack] {
                seat.times = TimeBounds::begin(talk.as_ref());
            }
        }
        let (mut block, blocks_start) = (0, Instant::now());
        loop {
            for (place, at) in next_order().into_iter().enumerate() {
                let scenario = self.terms[seats[at].member].which.scenario;
                self.turn(&mut seats[at], (block, place), journal).map_err(|cut| (scenario, cut))?;
            }
            block += 1;
            let per_block = blocks_start.elapsed() / block;
            if block >= FEWEST_BLOCKS && start.elapsed() + per_block > slot {
                break;
            }
        }
        seats.iter_mut().try_for_each(|seat| self.check(seat))
    }

    /// One turn. If the process's last turn was another scenario's, it is prepared first: the time of a
    /// connection that the scenario keeps is not part of the turn.
    fn turn(
        &mut self,
        seat: &mut Seat<'_>,
        (block, place): (u32, usize),
        journal: &mut dyn Journal,
    ) -> Result<(), Cut> {
        let terms = &self.terms[seat.member];
        let is_ready = self.prepared[seat.stack].replace(seat.member) == Some(seat.member);
        let talk = self.process(seat.stack)?;
        if !is_ready {
            let ready = terms.make_ready(talk).and_then(|()| terms.settle(talk, seat.iteration_ns));
            ready.map_err(|failure| Cut::Driver { stack: seat.stack, failure })?;
        }
        seat.times.resume();
        let slices = seat.with(talk, |participant| terms.turn(participant, true))?;
        seat.times.pause();
        terms.keep(journal, block, place, seat.stack, slices)
    }

    /// Compares a stack's reports for a scenario with the processor time that it used.
    fn check(&self, seat: &mut Seat<'_>) -> Result<(), GroupCut> {
        let terms = &self.terms[seat.member];
        seat.times.resume();
        let able = seat.driver.described.map(|described| described.capabilities.clone()).unwrap_or_default();
        match seat.times.untrue(terms.scenario, &able, terms.launch.binds()) {
            None => Ok(()),
            Some(what) => {
                let failure = DriverFailure::Untrue { what };
                Err((terms.which.scenario, Cut::Driver { stack: seat.stack, failure }))
            }
        }
    }

    fn process(&mut self, stack: usize) -> Result<&mut dyn Talk, Cut> {
        match &mut self.talks[stack] {
            Some(talk) => Ok(talk.as_mut()),
            None => {
                let failure = DriverFailure::NotStarted("its process is gone".to_owned());
                Err(Cut::Driver { stack, failure })
            }
        }
    }
}

impl Runner<'_> {
    /// Visits the scenarios of a group together. The visits are of one round and have the same attempt.
    pub(crate) fn group_visit(
        &mut self,
        cells: &Cells,
        visits: &[Visit],
        schedule: Schedule,
        processes: &mut [Option<Box<dyn Talk>>],
        slot: Duration,
    ) -> Result<(), GroupCut> {
        let (plan, stage) = (self.plan, self.stage);
        let warm_ns = plan.warm_up.map_or(0, |rule| rule.least_ns.saturating_mul(AFTER_PREPARATION));
        let mut seats = Vec::new();
        for (member, which) in visits.iter().enumerate() {
            for (stack, record) in plan.stacks.iter().enumerate() {
                let Some(Proof::Proven { iteration_ns, .. }) = cells.get(&(which.scenario, stack)) else {
                    continue;
                };
                if !stage.visits(which.round, which.scenario, stack) {
                    continue;
                }
                let driver = self.timed(stack, which.round);
                if processes[stack].is_none() {
                    let started = started(self.launch, driver, self.timeout);
                    let failed = |failure| (which.scenario, Cut::Driver { stack, failure });
                    processes[stack] = Some(started.map_err(failed)?);
                }
                let (iteration_ns, settles_ns) = (*iteration_ns, settles_ns(&record.able()).max(warm_ns));
                let times = TimeBounds::default();
                seats.push(Seat { member, stack, driver, iteration_ns, settles_ns, times });
            }
        }
        let Some(first) = visits.first().filter(|_| !seats.is_empty()) else { return Ok(()) };
        let slot = slot.mul_f64(stage.longer(seats.iter().map(|seat| seat.stack)));
        let terms: Vec<Terms<'_>> = visits.iter().map(|which| self.terms_of(which, slot)).collect();
        let order = schedule.blocks(first.round, first.scenario, first.attempt, seats.len());
        let prepared = vec![None; processes.len()];
        Group { terms: &terms, talks: processes, prepared }.visit(&mut seats, order, slot, self.journal)
    }
}

impl<'r> Runner<'r> {
    fn terms_of<'t>(&self, which: &'t Visit, slot: Duration) -> Terms<'t>
    where
        'r: 't,
    {
        let (plan, pki, launch) = (self.plan, self.pki, self.launch);
        Terms {
            which,
            scenario: &plan.scenarios[which.scenario],
            pki,
            launch,
            slicing: plan.slicing(),
            slot,
            timeout: self.timeout,
            arrangement: self.stage.arrangement,
            pairs: &[],
            seed: Schedule::new(plan.seed).arrivals(which.round, which.scenario, which.attempt),
            phase: Schedule::new(plan.seed).phase(which.round, which.scenario, which.attempt),
        }
    }
}
