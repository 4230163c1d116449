//! A visit with pairs: in each block every stack has one slice of its own and every pair one, in random
//! order.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use tlslab_protocol::{Capabilities, Scenario, Side};
use tlslab_record::{Arrangement, FEWEST_BLOCKS, PairProof, PairSample, PairState, Proof, Sample, Visit};

use super::relay::{Line, Stop};
use super::{Pairs, TOGETHER, prove};
use crate::requests::started;
use crate::runner::Cells;
use crate::schedule::Schedule;
use crate::time_bounds::TimeBounds;
use crate::visit::{Cut, Participant, Terms, settles_ns};
use crate::{DriverFailure, DriverProgram, RunError, Runner, Talk};

/// How far the number of the server's bytes may differ from that of the proven connection: signatures differ
/// by a few bytes.
const SLACK_BYTES: u64 = 64;

/// A unit that has a slice in each block.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Unit {
    Own(usize),
    Pair(usize, usize),
}

/// How many failures that may be random each unit has had.
type Chances = HashMap<Unit, u32>;

impl Runner<'_> {
    /// Proves undecided pairs, then measures for about as long as the terms allow. A unit that fails leaves
    /// the visit, which continues without it.
    pub(crate) fn cross_visit(
        &mut self,
        (cells, pairs): (&mut Cells, &mut Pairs),
        which: &Visit,
        schedule: Schedule,
        processes: &mut [Option<Box<dyn Talk>>],
        slot: Duration,
    ) -> Result<(), Cut> {
        let plan = self.plan;
        for stack in 0..plan.stacks.len() {
            if let Some(Proof::Proven { .. }) = cells.get(&(which.scenario, stack)) {
                self.make_ready(cells, which, stack, processes)?;
            }
        }
        self.prove_pairs((&mut *cells, &mut *pairs), which, processes)?;
        let start = Instant::now();
        let mut chances = Chances::new();
        let units = self.units(cells, pairs, which.scenario);
        let mut next_order = schedule.blocks(which.round, which.scenario, which.attempt, units.len());
        let mut block = 0;
        loop {
            for (place, at) in next_order().into_iter().enumerate() {
                self.observer.slicing(block, place, units.len());
                let unit = units[at];
                let outcome = self.slice(cells, pairs, which, unit, (block, place as u32), processes);
                self.outcome((&mut *cells, &mut *pairs), which, unit, outcome, &mut chances, processes)?;
            }
            block += 1;
            let per_block = start.elapsed() / block;
            if block >= FEWEST_BLOCKS && start.elapsed() + per_block > slot {
                return Ok(());
            }
        }
    }

    fn prove_pairs(
        &mut self,
        (cells, pairs): (&mut Cells, &mut Pairs),
        which: &Visit,
        processes: &mut [Option<Box<dyn Talk>>],
    ) -> Result<(), Cut> {
        let plan = self.plan;
        let (scenario, count) = (which.scenario, plan.stacks.len());
        let mut chances = Chances::new();
        let undecided: Vec<(usize, usize)> = (0..count)
            .flat_map(|client| (0..count).map(move |server| (client, server)))
            .filter(|(client, server)| !pairs.contains_key(&(scenario, *client, *server)))
            .collect();
        let total = count * count;
        for (at, (client, server)) in undecided.iter().copied().enumerate() {
            let name = format!("{} → {}", plan.stacks[client].name, plan.stacks[server].name);
            let done = total - undecided.len() + at;
            self.observer.proving(&name, &plan.scenarios[scenario].name, done, total);
            while !pairs.contains_key(&(scenario, client, server)) {
                let proof = match self.beforehand(cells, scenario, [client, server]) {
                    Some(decided) => Ok(decided),
                    None => {
                        let (of_client, of_server) = (self.able(client), self.able(server));
                        let mut line = self.line([client, server], processes);
                        prove::prove(&mut line, &plan.scenarios[scenario], self.pki, &of_client, &of_server)
                    }
                };
                let outcome = match proof {
                    Ok(proof) => {
                        self.decide_pair(pairs, which, (client, server), proof)?;
                        Ok(())
                    }
                    Err(stop) => Err(stop),
                };
                let unit = Unit::Pair(client, server);
                self.outcome((&mut *cells, &mut *pairs), which, unit, outcome, &mut chances, processes)?;
            }
        }
        Ok(())
    }

    /// Decisions that need no connection.
    fn beforehand(&self, cells: &Cells, scenario: usize, ends: [usize; 2]) -> Option<PairProof> {
        let [client, server] = ends.map(|stack| self.able(stack));
        let asked = &self.plan.scenarios[scenario];
        if let Some(hole) = prove::hole(asked, &client, &server) {
            return Some(hole);
        }
        if ends[0] != ends[1]
            && let Some(hole) = prove::understands_itself_alone(&client, &server)
        {
            return Some(hole);
        }
        // A stack that fails alone fails with every peer.
        ends.into_iter().find_map(|stack| match cells.get(&(scenario, stack)) {
            Some(Proof::Proven { .. }) => None,
            Some(Proof::Unsupported(reason)) => {
                let side = if stack == ends[0] { Side::Client } else { Side::Server };
                Some(PairProof::Unsupported { side, reason: reason.clone() })
            }
            Some(Proof::Failed(reason)) => {
                Some(PairProof::Failed(format!("{}, alone: {reason}", self.plan.stacks[stack].name)))
            }
            None => Some(PairProof::Failed(format!("{} was not tried", self.plan.stacks[stack].name))),
        })
    }

    fn able(&self, stack: usize) -> Capabilities {
        self.plan.stacks[stack].able()
    }

    fn line<'p>(&self, ends: [usize; 2], processes: &'p mut [Option<Box<dyn Talk>>]) -> Line<'p> {
        let rule = self.plan.warm_up;
        let warm_ups = ends.map(|stack| rule.map(|rule| rule.at_least(settles_ns(&self.able(stack)))));
        Line { processes, ends, warm_ups, timeout: self.timeout }
    }

    /// The units of a scenario to measure, in their current state.
    fn units(&self, cells: &Cells, pairs: &Pairs, scenario: usize) -> Vec<Unit> {
        let count = self.plan.stacks.len();
        let own = (0..count)
            .filter(|stack| matches!(cells.get(&(scenario, *stack)), Some(Proof::Proven { .. })))
            .map(Unit::Own);
        let proven =
            |client, server| matches!(pairs.get(&(scenario, client, server)), Some(PairProof::Proven { .. }));
        let paired = (0..count)
            .flat_map(|client| (0..count).map(move |server| (client, server)))
            .filter(|(client, server)| proven(*client, *server))
            .map(|(client, server)| Unit::Pair(client, server));
        own.chain(paired).collect()
    }

    /// One slice of one unit, recorded.
    fn slice(
        &mut self,
        cells: &Cells,
        pairs: &Pairs,
        which: &Visit,
        unit: Unit,
        (block, place): (u32, u32),
        processes: &mut [Option<Box<dyn Talk>>],
    ) -> Result<(), Stop> {
        let scenario = &self.plan.scenarios[which.scenario];
        let Visit { round, attempt, .. } = *which;
        match unit {
            Unit::Own(stack) => {
                let Some(Proof::Proven { iteration_ns, .. }) = cells.get(&(which.scenario, stack)) else {
                    return Ok(());
                };
                let driver = |failure| Stop::Driver { stack, failure };
                let settles_ns = settles_ns(&self.able(stack));
                let Some(talk) = processes[stack].as_mut() else { return Ok(()) };
                let driver_program = DriverProgram::from(&self.plan.stacks[stack]);
                let mut participant = Participant {
                    stack,
                    driver: driver_program,
                    talk: talk.as_mut(),
                    iteration_ns: *iteration_ns,
                    settles_ns,
                    times: TimeBounds::default(),
                };
                let terms = self.terms(which, scenario);
                let asked = terms.asked(&participant, true);
                let slices = terms.slices(&mut participant, asked).map_err(driver)?;
                let first = block * self.plan.slices;
                for (block, measurement) in (first..).zip(slices) {
                    let scenario = which.scenario;
                    let sample = Sample { round, scenario, attempt, block, place, stack, measurement };
                    self.journal.sample(&sample).map_err(Stop::Journal)?;
                }
                Ok(())
            }
            Unit::Pair(client, server) => {
                let Some(PairProof::Proven { facts, .. }) = pairs.get(&(which.scenario, client, server))
                else {
                    return Ok(());
                };
                let due = facts.sizes().map_or(0, |sizes| sizes.server_flight_bytes);
                let made = self.line([client, server], processes).connections(TOGETHER, false)?;
                if let Some(sent) = made.server_flights.iter().find(|sent| sent.abs_diff(due) > SLACK_BYTES) {
                    let what = format!("the server sent {sent} bytes, and {due} when the pair was proven");
                    return Err(Stop::Wrong(what));
                }
                // It is next to the first slice of each stack's own turn.
                let (block, scenario) = (block * self.plan.slices, which.scenario);
                let (iterations, sides) = (u64::from(TOGETHER), made.sides);
                let sample =
                    PairSample { round, scenario, attempt, block, place, client, server, iterations, sides };
                self.journal.pair_sample(&sample).map_err(Stop::Journal)
            }
        }
    }

    /// The decision after a unit's failure. The end of a driver is retried if it may be random.
    fn outcome(
        &mut self,
        (cells, pairs): (&mut Cells, &mut Pairs),
        which: &Visit,
        unit: Unit,
        outcome: Result<(), Stop>,
        chances: &mut Chances,
        processes: &mut [Option<Box<dyn Talk>>],
    ) -> Result<(), Cut> {
        let proof = match outcome {
            Ok(()) => None,
            Err(Stop::Journal(cause)) => return Err(Cut::Journal(cause)),
            Err(Stop::Driver { stack, failure: DriverFailure::Interrupted }) => {
                return Err(Cut::Driver { stack, failure: DriverFailure::Interrupted });
            }
            Err(Stop::Refused(refusal)) => Some(PairProof::Refused(refusal)),
            Err(Stop::Wrong(what)) => Some(PairProof::Failed(what)),
            Err(Stop::Driver { stack, failure }) => {
                processes[stack] = None;
                let tries = chances.entry(unit).or_insert(0);
                *tries += 1;
                let name = &self.plan.stacks[stack].name;
                if failure.may_be_chance() && *tries < self.plan.policy.tries {
                    let scenario = &self.plan.scenarios[which.scenario].name;
                    let round = which.round + 1;
                    let text =
                        format!("{name}: {failure}, in {scenario} (round {round}); it was started again");
                    self.warn(&text).map_err(cut)?;
                    None
                } else {
                    Some(PairProof::Failed(format!("{name}: {failure}")))
                }
            }
        };
        match (proof, unit) {
            (None, _) => {}
            (Some(proof), Unit::Pair(client, server)) => {
                self.decide_pair(pairs, which, (client, server), proof)?;
            }
            (Some(PairProof::Failed(reason)), Unit::Own(stack)) => {
                self.decide(cells, which.scenario, stack, Proof::Failed(reason)).map_err(cut)?;
            }
            (Some(_), Unit::Own(_)) => {}
        }
        // A stopped connection may have ended a process.
        let ends = match unit {
            Unit::Own(stack) => [stack, stack],
            Unit::Pair(client, server) => [client, server],
        };
        for stack in ends {
            let works = matches!(cells.get(&(which.scenario, stack)), Some(Proof::Proven { .. }));
            if works && processes[stack].is_none() {
                self.make_ready(cells, which, stack, processes)?;
            }
        }
        Ok(())
    }

    /// A process of the stack, prepared for the visit's scenario and warmed up. If it cannot be made, the
    /// stack fails.
    fn make_ready(
        &mut self,
        cells: &mut Cells,
        which: &Visit,
        stack: usize,
        processes: &mut [Option<Box<dyn Talk>>],
    ) -> Result<(), Cut> {
        let scenario = &self.plan.scenarios[which.scenario];
        let Some(Proof::Proven { iteration_ns, .. }) = cells.get(&(which.scenario, stack)) else {
            return Ok(());
        };
        let iteration_ns = *iteration_ns;
        for attempt in 1..=self.plan.policy.tries {
            match self.warmed(processes[stack].take(), scenario, which, stack, iteration_ns) {
                Ok(ready) => {
                    processes[stack] = Some(ready);
                    return Ok(());
                }
                Err(DriverFailure::Interrupted) => {
                    return Err(Cut::Driver { stack, failure: DriverFailure::Interrupted });
                }
                Err(failure) if failure.may_be_chance() && attempt < self.plan.policy.tries => {
                    let name = &self.plan.stacks[stack].name;
                    self.warn(&format!("{name}: {failure}, when it was made ready; it was started again"))
                        .map_err(cut)?;
                }
                Err(failure) => {
                    let failed = Proof::Failed(failure.to_string());
                    self.decide(cells, which.scenario, stack, failed).map_err(cut)?;
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn warmed(
        &self,
        running: Option<Box<dyn Talk>>,
        scenario: &Scenario,
        which: &Visit,
        stack: usize,
        iteration_ns: f64,
    ) -> Result<Box<dyn Talk>, DriverFailure> {
        let driver = self.timed(stack, which.round);
        let mut talk = match running {
            Some(running) => running,
            None => started(self.launch, driver, self.timeout)?,
        };
        let settles_ns = settles_ns(&self.able(stack));
        let times = TimeBounds::default();
        let mut participant =
            Participant { stack, driver, talk: talk.as_mut(), iteration_ns, settles_ns, times };
        self.terms(which, scenario).warm_up(&mut participant)?;
        Ok(talk)
    }

    fn terms<'t>(&'t self, which: &'t Visit, scenario: &'t Scenario) -> Terms<'t> {
        let (slicing, slot) = (self.plan.slicing(), Duration::ZERO);
        let (pki, launch, timeout) = (self.pki, self.launch, self.timeout);
        let arrangement = Arrangement::Interleaved;
        let (seed, phase) = (0, 0);
        Terms { which, scenario, pki, launch, slicing, slot, timeout, arrangement, pairs: &[], seed, phase }
    }

    fn decide_pair(
        &mut self,
        pairs: &mut Pairs,
        which: &Visit,
        (client, server): (usize, usize),
        proof: PairProof,
    ) -> Result<(), Cut> {
        let state = PairState { scenario: which.scenario, client, server, proof };
        self.journal.pair(&state).map_err(Cut::Journal)?;
        pairs.insert((which.scenario, client, server), state.proof);
        Ok(())
    }
}

/// Of everything outside of drivers, only the journal can fail.
fn cut(error: RunError) -> Cut {
    match error {
        RunError::Journal(cause) => Cut::Journal(cause),
        RunError::Evictor(failure) => Cut::Evictor(failure),
        RunError::Interrupted => Cut::Driver { stack: 0, failure: DriverFailure::Interrupted },
    }
}
