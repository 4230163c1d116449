//! A run from its plan to its last visit: prove every cell, then visit every scenario once a round.

use std::collections::{HashMap, HashSet};
use std::time::{Duration, Instant};

use tlslab_protocol::{Pairing, Scenario};
use tlslab_record::{CellState, Proof, Seconds, StackState, Visit};

use crate::budget::Budget;
use crate::cross::Pairs;
use crate::processes::Processes;
use crate::proving::prove;
use crate::requests::started;
use crate::runner::{Cells, RunError, Runner, Sofar};
use crate::schedule::Schedule;
use crate::time_bounds::TimeBounds;
use crate::visit::{Cut, Participant, Terms, settles_ns, visit};
use crate::weigh;
use crate::{DriverFailure, Talk};

impl Runner<'_> {
    /// Does the rest of the plan.
    pub fn run(mut self, sofar: Sofar) -> Result<(), RunError> {
        let mut cells: Cells =
            sofar.cells.into_iter().map(|cell| ((cell.scenario, cell.stack), cell.proof)).collect();
        let mut pairs: Pairs = sofar
            .pairs
            .into_iter()
            .map(|pair| ((pair.scenario, pair.client, pair.server), pair.proof))
            .collect();
        let done = self
            .prove_all(&mut cells)
            .and_then(|()| self.weigh_all(&cells, &sofar.weights))
            .and_then(|()| self.count_all(&cells, &sofar.counts))
            .and_then(|()| self.visit_all(&mut cells, &mut pairs, &sofar.visits, sofar.measuring_s));
        self.observer.ended();
        done
    }

    /// Decides every undecided cell.
    fn prove_all(&mut self, cells: &mut Cells) -> Result<(), RunError> {
        let plan = self.plan;
        let stage = self.stage;
        let asked = |stack: usize| {
            let timed =
                move |index: usize| !stage.is_canary(stack) || plan.timed().any(|timed| timed == index);
            (0..plan.scenarios.len())
                .filter(move |index| plan.asks(*index, stack) && stage.proves(*index, stack) && timed(*index))
        };
        let total = (0..plan.stacks.len()).map(|stack| asked(stack).count()).sum();
        let mut done = 0;
        for (stack, record) in plan.stacks.iter().enumerate() {
            let mut process: Option<Box<dyn Talk>> = None;
            let mut proven_now = Vec::new();
            for index in asked(stack) {
                let scenario = &plan.scenarios[index];
                done += 1;
                if cells.contains_key(&(index, stack)) {
                    continue;
                }
                self.observer.proving(&record.name, &scenario.name, done, total);
                let proof = match &record.state {
                    StackState::Failed(reason) => Proof::Failed(reason.clone()),
                    StackState::Ready(description) => {
                        match tlslab_scenario::hole(scenario, &description.capabilities)
                            .or_else(|| weigh::hole(scenario, description))
                        {
                            Some(reason) => Proof::Unsupported(reason),
                            None if self.lacks_processors(scenario) => Proof::Unsupported(
                                "the lab may use one processor here; both sides at once need two".to_owned(),
                            ),
                            None => self.prove_with_retries(stack, &mut process, index)?,
                        }
                    }
                };
                self.decide(cells, index, stack, proof)?;
                proven_now.push(index);
            }
            if let Some(process) = process
                && let Err(failure) = process.end()
            {
                self.interrupted(&failure)?;
                if failure.may_be_chance() {
                    self.warn(&format!("{}: {failure}, after all was proven", record.name))?;
                    continue;
                }
                // Its orphans, and its exit status, belong to all of its work.
                for index in proven_now {
                    if let Some(Proof::Proven { .. }) = cells.get(&(index, stack)) {
                        self.decide(cells, index, stack, Proof::Failed(failure.to_string()))?;
                    }
                }
            }
        }
        Ok(())
    }

    /// Oversubscription is allowed: more threads than processors. Both sides at once need two processors.
    fn lacks_processors(&self, scenario: &Scenario) -> bool {
        scenario.works_at_once() && self.launch.processors().is_some_and(|count| count < 2)
    }

    fn prove_with_retries(
        &mut self,
        stack: usize,
        process: &mut Option<Box<dyn Talk>>,
        scenario: usize,
    ) -> Result<Proof, RunError> {
        let record = &self.plan.stacks[stack];
        let name = &record.name;
        let scenario = &self.plan.scenarios[scenario];
        let able = record.able();
        for attempt in 1.. {
            let proof = match process {
                Some(running) => prove(running.as_mut(), scenario, self.pki, &able, self.timeout),
                None => started(self.launch, record.into(), self.timeout).and_then(|mut started| {
                    let proof = prove(started.as_mut(), scenario, self.pki, &able, self.timeout);
                    *process = Some(started);
                    proof
                }),
            };
            match proof {
                Ok(proof) => return Ok(proof),
                Err(failure) => {
                    self.interrupted(&failure)?;
                    // Its state is unknown, so the next scenario gets a fresh one.
                    *process = None;
                    if !failure.may_be_chance() || attempt >= self.plan.policy.tries {
                        return Ok(Proof::Failed(failure.to_string()));
                    }
                    self.warn(&format!(
                        "{name}: {failure}, while {} was proven; it was tried again",
                        scenario.name
                    ))?;
                }
            }
        }
        unreachable!("the loop above returns")
    }

    /// Rounds of fresh processes; in each, every scenario once, in random order.
    fn visit_all(
        &mut self,
        cells: &mut Cells,
        pairs: &mut Pairs,
        visits: &[Visit],
        measuring_s: f64,
    ) -> Result<(), RunError> {
        let plan = self.plan;
        let schedule = Schedule::new(plan.seed);
        let complete: HashSet<(u32, usize)> =
            visits.iter().filter(|visit| visit.complete).map(|visit| (visit.round, visit.scenario)).collect();
        let mut attempts: HashMap<(u32, usize), u32> = HashMap::new();
        for visit in visits {
            let next = attempts.entry((visit.round, visit.scenario)).or_default();
            *next = (*next).max(visit.attempt + 1);
        }
        let stage = self.stage;
        let timed: Vec<usize> = plan.timed().filter(|scenario| stage.has_any_of(*scenario)).collect();
        let total = stage.rounds.len() * timed.len();
        let is_part =
            |(round, scenario): &&(u32, usize)| stage.rounds.contains(round) && timed.contains(scenario);
        let mut done = complete.iter().filter(is_part).count();
        let mut clock = Budget::from(measuring_s);
        let (began, before) = (Instant::now(), done);
        for round in stage.rounds.clone() {
            let stacks = plan.stacks.iter().map(|_| None).collect();
            let mut processes = Processes { stacks, evictor: None };
            let is_left =
                |scenario: &usize| timed.contains(scenario) && !complete.contains(&(round, *scenario));
            let visits = schedule.visits(round, plan.scenarios.len(), &plan.together).into_iter();
            let todo: Vec<Vec<usize>> = visits
                .map(|scenarios| scenarios.into_iter().filter(is_left).collect())
                .filter(|left: &Vec<usize>| !left.is_empty())
                .collect();
            if !todo.is_empty() {
                self.start_round(cells, round, schedule, &mut processes.stacks)?;
                processes.evictor = self.start_evictor()?;
            }
            for scenarios in todo {
                let to_do = (total - done) as f64;
                let stated: Option<Duration> = timed.iter().map(|scenario| stage.slot_of(*scenario)).sum();
                let left_s = match stated {
                    Some(slots) => slots.as_secs_f64() / timed.len().max(1) as f64 * to_do,
                    None => (plan.budget_s - clock.spent_s).max(0.0),
                };
                // The time of visits so far, including the start of processes, may exceed the rest of the
                // budget.
                let each_s = began.elapsed().as_secs_f64() / (done - before).max(1) as f64;
                let expected_s = if done > before { left_s.max(each_s * to_do) } else { left_s };
                self.observer.visiting(round, &self.title(&scenarios), done, total, expected_s);
                let own: Option<Duration> = scenarios.iter().map(|scenario| stage.slot_of(*scenario)).sum();
                let divided = || Seconds::nearest(left_s / to_do * scenarios.len() as f64).duration();
                let slot = own.unwrap_or_else(divided);
                // Slices of different scenarios belong together if their attempts are equal.
                let attempt = scenarios.iter().filter_map(|scenario| attempts.get(&(round, *scenario)));
                let attempt = attempt.max().copied().unwrap_or(0);
                let visit = |scenario: &usize| Visit { round, scenario: *scenario, attempt, complete: false };
                self.visit_until_done(
                    (&mut *cells, &mut *pairs),
                    scenarios.iter().map(visit).collect(),
                    schedule,
                    &mut processes,
                    slot,
                    &mut clock,
                )?;
                done += scenarios.len();
            }
            self.end_round(cells, processes.stacks)?;
        }
        Ok(())
    }

    /// The name of a visit of these scenarios in progress lines.
    fn title(&self, scenarios: &[usize]) -> String {
        let name = |scenario: &usize| self.plan.scenarios[*scenario].name.as_str();
        match scenarios {
            [] => String::new(),
            [one] => name(one).to_owned(),
            [first, others @ ..] => format!("{} and {} more", name(first), others.len()),
        }
    }

    /// Visits a scenario, or several together, until a visit completes, with the stacks that remain.
    fn visit_until_done(
        &mut self,
        (cells, pairs): (&mut Cells, &mut Pairs),
        mut visits: Vec<Visit>,
        schedule: Schedule,
        processes: &mut Processes,
        slot: Duration,
        clock: &mut Budget,
    ) -> Result<(), RunError> {
        let plan = self.plan;
        let mut chances: HashMap<(usize, usize), u32> = HashMap::new();
        loop {
            for visit in &visits {
                self.journal.begin_visit(visit).map_err(RunError::Journal)?;
            }
            let cut = match (plan.pairing, &visits[..]) {
                (Pairing::Cross, [which]) => {
                    let stacks = &mut processes.stacks;
                    let both = (&mut *cells, &mut *pairs);
                    self.cross_visit(both, which, schedule, stacks, slot).map_err(|cut| (which.scenario, cut))
                }
                (_, [which]) => self
                    .one_visit(cells, which, schedule, processes, slot)
                    .map_err(|cut| (which.scenario, cut)),
                (_, group) => self.group_visit(cells, group, schedule, &mut processes.stacks, slot),
            };
            for visit in &visits {
                let ended = Visit { complete: cut.is_ok(), ..visit.clone() };
                self.journal.end_visit(&ended, clock.lap()).map_err(RunError::Journal)?;
            }
            match cut {
                Ok(()) => return Ok(()),
                Err((_, Cut::Journal(cause))) => return Err(RunError::Journal(cause)),
                Err((_, Cut::Evictor(failure))) => {
                    self.interrupted(&failure)?;
                    return Err(RunError::Evictor(failure));
                }
                Err((scenario, Cut::Driver { stack, failure })) => {
                    self.interrupted(&failure)?;
                    processes.stacks[stack] = None;
                    let tries = chances.entry((scenario, stack)).or_insert(0);
                    *tries += 1;
                    let name = &plan.stacks[stack].name;
                    if failure.may_be_chance() && *tries < self.plan.policy.tries {
                        let round = visits.first().map_or(0, |visit| visit.round);
                        let text = format!(
                            "{name}: {failure}, in {} (round {}); the visit was made again",
                            plan.scenarios[scenario].name,
                            round + 1
                        );
                        self.warn(&text)?;
                    } else {
                        self.decide(cells, scenario, stack, Proof::Failed(failure.to_string()))?;
                    }
                    visits.iter_mut().for_each(|visit| visit.attempt += 1);
                }
            }
        }
    }

    fn one_visit(
        &mut self,
        cells: &Cells,
        which: &Visit,
        schedule: Schedule,
        processes: &mut Processes,
        slot: Duration,
    ) -> Result<(), Cut> {
        let plan = self.plan;
        let mut participants = Vec::new();
        for (stack, process) in processes.stacks.iter_mut().enumerate() {
            let Some(Proof::Proven { iteration_ns, .. }) = cells.get(&(which.scenario, stack)) else {
                continue;
            };
            if !self.stage.visits(which.round, which.scenario, stack) {
                continue;
            }
            let driver = self.timed(stack, which.round);
            let talk = match process {
                Some(running) => running,
                None => {
                    let started = started(self.launch, driver, self.timeout);
                    process.insert(started.map_err(|failure| Cut::Driver { stack, failure })?)
                }
            };
            let settles_ns = settles_ns(&plan.stacks[stack].able());
            participants.push(Participant {
                stack,
                driver,
                talk: talk.as_mut(),
                iteration_ns: *iteration_ns,
                settles_ns,
                times: TimeBounds::default(),
            });
        }
        if participants.is_empty() {
            return Ok(());
        }
        let order = schedule.blocks(which.round, which.scenario, which.attempt, participants.len());
        let scenario = &plan.scenarios[which.scenario];
        let (slicing, timeout) = (plan.slicing(), self.timeout);
        let arrangement = self.stage.arrangement;
        let slot = slot.mul_f64(self.stage.longer(participants.iter().map(|one| one.stack)));
        let terms = Terms {
            which,
            scenario,
            pki: self.pki,
            launch: self.launch,
            slicing,
            slot,
            timeout,
            arrangement,
            pairs: plan.comparison.as_ref().map_or(&[], |comparison| &comparison.pairs),
            seed: schedule.arrivals(which.round, which.scenario, which.attempt),
            phase: schedule.phase(which.round, which.scenario, which.attempt),
        };
        visit(&terms, &mut participants, order, processes.evictor.as_deref_mut(), self.journal)
    }

    pub(crate) fn fail_stack(
        &mut self,
        cells: &mut Cells,
        stack: usize,
        failure: &DriverFailure,
    ) -> Result<(), RunError> {
        for scenario in 0..self.plan.scenarios.len() {
            if let Some(Proof::Proven { .. }) = cells.get(&(scenario, stack)) {
                self.decide(cells, scenario, stack, Proof::Failed(failure.to_string()))?;
            }
        }
        Ok(())
    }

    pub(crate) fn decide(
        &mut self,
        cells: &mut Cells,
        scenario: usize,
        stack: usize,
        proof: Proof,
    ) -> Result<(), RunError> {
        self.journal.cell(&CellState { scenario, stack, proof: proof.clone() }).map_err(RunError::Journal)?;
        cells.insert((scenario, stack), proof);
        Ok(())
    }

    pub(crate) fn warn(&mut self, text: &str) -> Result<(), RunError> {
        self.observer.warning(text);
        self.journal.warn(text).map_err(RunError::Journal)
    }

    pub(crate) fn interrupted(&self, failure: &DriverFailure) -> Result<(), RunError> {
        if let DriverFailure::Interrupted = failure { Err(RunError::Interrupted) } else { Ok(()) }
    }
}
