//! Counting: every proven cell in a copy of its stack's process, so that its figures depend on nothing but the cell.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_protocol::{Metric, Reply, Request, Scenario};
use tlslab_record::{CellCount, Counted, CounterRecord, Proof, StackRecord, StackState};

use crate::proving::{credentials, hello, prepare, wrong_reply};
use crate::runner::{RunError, Runner};
use crate::{DriverFailure, DriverProgram, Launch, Talk};

/// A counter slows a program down by as much as this.
const PATIENCE: u32 = 100;

/// What is counted, and with what.
struct Place<'p> {
    counter: &'p CounterRecord,
    iterations: u64,
    scenario: usize,
    stack: usize,
    seed: u64,
    /// Which of the seeds it is.
    turn: usize,
}

impl Runner<'_> {
    /// Counts every proven cell that has not been counted yet.
    pub(crate) fn count_all(
        &mut self,
        cells: &HashMap<(usize, usize), Proof>,
        sofar: &[CellCount],
    ) -> Result<(), RunError> {
        let plan = self.plan;
        let (true, Some(counting)) = (plan.has(Metric::Count), &plan.counting) else { return Ok(()) };
        let stage = self.stage;
        let seeds = stage.seeds.as_ref().unwrap_or(&counting.seeds);
        let is_counted: HashSet<_> =
            sofar.iter().map(|count| (count.scenario, count.stack, count.seed)).collect();
        let total =
            cells.values().filter(|proof| matches!(proof, Proof::Proven { .. })).count() * seeds.len();
        let mut done = 0;
        for stack in 0..plan.stacks.len() {
            // What a library draws once, it draws before the process is copied: each seed has a process of its own.
            for (turn, &seed) in seeds.iter().enumerate() {
                let counter = counting.counter.seeded(seed);
                let mut process: Option<Box<dyn Talk>> = None;
                for scenario in 0..plan.scenarios.len() {
                    let is_proven = matches!(cells.get(&(scenario, stack)), Some(Proof::Proven { .. }));
                    if !is_proven || !stage.has(scenario, stack) {
                        continue;
                    }
                    done += 1;
                    if is_counted.contains(&(scenario, stack, seed)) {
                        continue;
                    }
                    let (stack_name, scenario_name) =
                        (&plan.stacks[stack].name, &plan.scenarios[scenario].name);
                    self.observer.counting(stack_name, scenario_name, done, total);
                    let (counter, iterations) = (&counter, counting.iterations);
                    let place = Place { counter, iterations, scenario, stack, seed, turn };
                    let counted = self.count_with_retries(&place, &mut process)?;
                    let count = CellCount { scenario, stack, seed, counted };
                    self.journal.count(&count).map_err(RunError::Journal)?;
                }
                if let Some(process) = process
                    && let Err(failure) = process.end()
                {
                    self.interrupted(&failure)?;
                    self.warn(&format!("{}: {failure}, after all was counted", plan.stacks[stack].name))?;
                }
            }
        }
        Ok(())
    }

    fn count_with_retries(
        &mut self,
        place: &Place<'_>,
        process: &mut Option<Box<dyn Talk>>,
    ) -> Result<Counted, RunError> {
        let (record, scenario) = (&self.plan.stacks[place.stack], &self.plan.scenarios[place.scenario]);
        for attempt in 1.. {
            match self.count(place, process, record, scenario) {
                Ok(counted) => return Ok(counted),
                Err(failure) => {
                    // Whatever state it is in, nothing more is asked of it.
                    *process = None;
                    self.interrupted(&failure)?;
                    if !failure.may_be_chance() || attempt >= self.plan.policy.tries {
                        return Ok(Counted::Failed(failure.to_string()));
                    }
                    let (stack, scenario) = (&record.name, &scenario.name);
                    self.warn(&format!(
                        "{stack}: {failure}, while {scenario} was counted; it was tried again"
                    ))?;
                }
            }
        }
        unreachable!("the loop above returns")
    }

    /// A copy of the stack's process, one cell in it, and the copy's end.
    fn count(
        &self,
        place: &Place<'_>,
        process: &mut Option<Box<dyn Talk>>,
        stack: &StackRecord,
        scenario: &Scenario,
    ) -> Result<Counted, DriverFailure> {
        if let Some(reason) = no_count(stack, place.counter) {
            return Ok(Counted::Unsupported(reason));
        }
        if !place.counter.kind.lets_copy() {
            let own = self.stage.program(place.stack, stack, place.turn);
            let driver = DriverProgram { counter: Some(place.counter), moves: false, ..own };
            let how = How { iterations: place.iterations, seed: place.seed, functions: None };
            return alone(self.launch, driver, &how, scenario, self.pki, self.timeout * PATIENCE);
        }
        let talk = match process {
            Some(talk) => talk,
            None => {
                let own = self.stage.program(place.stack, stack, place.turn);
                let driver = DriverProgram { counter: Some(place.counter), moves: false, ..own };
                let mut talk = self.launch.launch(driver)?;
                hello(talk.as_mut(), self.timeout * PATIENCE)?;
                process.insert(talk)
            }
        };
        let timeout = self.timeout * PATIENCE;
        let how = How { iterations: place.iterations, seed: place.seed, functions: None };
        in_a_copy(talk.as_mut(), &how, scenario, self.pki, timeout)
    }
}

/// How one cell is counted.
struct How<'h> {
    iterations: u64,
    seed: u64,
    /// Where what each function took is written to.
    functions: Option<&'h Path>,
}

/// Why a stack's instructions cannot be counted, in its own words where it has any.
fn no_count(stack: &StackRecord, counter: &CounterRecord) -> Option<String> {
    if !counter.missing.is_empty() {
        return Some(counter.missing.clone());
    }
    let StackState::Ready(description) = &stack.state else { return None };
    if description.metrics.iter().any(|metric| metric == Metric::Count.name()) {
        return None;
    }
    let reason = description.capabilities.reason("metric", Metric::Count.name());
    Some(reason.unwrap_or("the stack's driver cannot be counted").to_owned())
}

/// Counts one scenario's work as a run does and has what each function took written into a folder, a file for
/// each side and phase.
///
/// # Errors
/// Whatever the driver did instead.
pub fn profile(
    launch: &dyn Launch,
    driver: DriverProgram<'_>,
    pki: &Pki,
    scenario: &Scenario,
    (iterations, seed, folder): (u64, u64, &Path),
    timeout: Duration,
) -> Result<Counted, DriverFailure> {
    let how = How { iterations, seed, functions: Some(folder) };
    if driver.counter.is_some_and(|counter| !counter.kind.lets_copy()) {
        return alone(launch, driver, &how, scenario, pki, timeout);
    }
    let mut talk = launch.launch(driver)?;
    hello(talk.as_mut(), timeout)?;
    let counted = in_a_copy(talk.as_mut(), &how, scenario, pki, timeout)?;
    talk.end()?;
    Ok(counted)
}

/// A process for one cell, whose chance has begun from the seed.
fn alone(
    launch: &dyn Launch,
    driver: DriverProgram<'_>,
    how: &How<'_>,
    scenario: &Scenario,
    pki: &Pki,
    timeout: Duration,
) -> Result<Counted, DriverFailure> {
    let mut talk = launch.launch(driver)?;
    hello(talk.as_mut(), timeout)?;
    let counted = one(talk.as_mut(), how, scenario, pki, timeout)?;
    talk.end()?;
    Ok(counted)
}

/// A copy of a process, one cell in it, and the copy's end.
fn in_a_copy(
    talk: &mut dyn Talk,
    how: &How<'_>,
    scenario: &Scenario,
    pki: &Pki,
    timeout: Duration,
) -> Result<Counted, DriverFailure> {
    match talk.ask(&Request::Fork { seed: how.seed }, timeout)? {
        Reply::Forked {} => {}
        Reply::Unsupported { reason } => return Ok(Counted::Unsupported(reason)),
        other => return Err(wrong_reply("fork", &other)),
    }
    let counted = one(talk, how, scenario, pki, timeout)?;
    match talk.ask(&Request::Bye {}, timeout)? {
        Reply::Bye {} => Ok(counted),
        other => Err(wrong_reply("bye", &other)),
    }
}

/// One cell. What each function took is written into a folder, if there is one.
fn one(
    talk: &mut dyn Talk,
    how: &How<'_>,
    scenario: &Scenario,
    pki: &Pki,
    timeout: Duration,
) -> Result<Counted, DriverFailure> {
    let counted = match prepare(talk, scenario, credentials(pki, scenario), timeout)? {
        Some(reason) => Counted::Unsupported(reason),
        None => match talk.ask(&Request::Count { iterations: how.iterations }, timeout)? {
            Reply::Counted(counting) => Counted::Counted(counting),
            Reply::Unsupported { reason } => Counted::Unsupported(reason),
            other => return Err(wrong_reply("count", &other)),
        },
    };
    if let (Some(folder), Counted::Counted(_)) = (how.functions, &counted) {
        match talk.ask(&Request::Functions { folder: folder.to_owned() }, timeout)? {
            Reply::Written {} => {}
            other => return Err(wrong_reply("functions", &other)),
        }
    }
    Ok(counted)
}
