//! Counting: every proven cell in a copy of its stack's process, so that its figures depend only on the cell.

use std::collections::{HashMap, HashSet};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Sender};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use tlslab_pki::Pki;
use tlslab_protocol::{Measure, Reply, Request, Scenario};
use tlslab_record::{CellCount, CountPlan, Counted, CounterRecord, Plan, Proof, StackRecord, StackState};

use crate::requests::{credentials, prepare, started, wrong_reply};
use crate::runner::{RunError, Runner};
use crate::{DriverFailure, DriverProgram, Launch, Stage, Talk};

/// A counter slows a program down by up to this factor.
const PATIENCE: u32 = 100;

/// Cells that are counted one after the other in copies of one process.
struct Batch {
    stack: usize,
    seed: u64,
    /// The index of the seed.
    turn: usize,
    scenarios: Vec<usize>,
}

/// What a worker reports to the run.
enum Report {
    /// A cell is being counted.
    Begun { stack: usize, scenario: usize },
    /// It has been.
    Counted(CellCount),
    /// A warning that a reader must see.
    Warning(String),
    /// The run is cancelled.
    Cancelled,
}

/// A process for so many cells takes less time to start than they take.
const CELLS_WORTH_A_PROCESS: usize = 8;

impl Runner<'_> {
    /// Counts every proven cell that has not been counted yet, on all processors: other work does not change
    /// a count.
    pub(crate) fn count_all(
        &mut self,
        cells: &HashMap<(usize, usize), Proof>,
        sofar: &[CellCount],
    ) -> Result<(), RunError> {
        let plan = self.plan;
        let (true, Some(counting)) = (plan.has(Measure::Count), &plan.counting) else { return Ok(()) };
        let processors = self.launch.processors().unwrap_or(1);
        let batches = self.batches(cells, counting, sofar, processors);
        let left: usize = batches.iter().map(|batch| batch.scenarios.len()).sum();
        let (mut done, total) = (sofar.len(), sofar.len() + left);
        let work = Counting {
            plan,
            stage: self.stage,
            pki: self.pki,
            launch: self.launch,
            timeout: self.timeout * PATIENCE,
            counting,
        };
        let queue = Mutex::new(batches.into_iter());
        let is_over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let (sender, reports) = mpsc::channel();
            for place in 0..processors {
                let (work, queue, is_over, sender) = (&work, &queue, &is_over, sender.clone());
                scope.spawn(move || work.on(place, queue, is_over, &sender));
            }
            drop(sender);
            let mut result = Ok(());
            // The workers end on their own, after their last reports.
            for report in reports {
                if result.is_ok() {
                    result = self.take_report(report, &mut done, total);
                    is_over.store(result.is_err(), Ordering::Relaxed);
                }
            }
            result
        })
    }

    /// The work: each seed of each stack in a process of its own, in several if processors would be idle.
    /// Values that a library draws once are drawn before the process is copied.
    fn batches(
        &self,
        cells: &HashMap<(usize, usize), Proof>,
        counting: &CountPlan,
        sofar: &[CellCount],
        processors: usize,
    ) -> Vec<Batch> {
        let seeds = self.stage.seeds.as_ref().unwrap_or(&counting.seeds);
        let is_counted: HashSet<_> =
            sofar.iter().map(|count| (count.scenario, count.stack, count.seed)).collect();
        let is_due = |scenario: usize, stack: usize, seed: u64| {
            matches!(cells.get(&(scenario, stack)), Some(Proof::Proven { .. }))
                && self.stage.has(scenario, stack)
                && !is_counted.contains(&(scenario, stack, seed))
        };
        let mut batches: Vec<Batch> = Vec::new();
        for stack in 0..self.plan.stacks.len() {
            for (turn, &seed) in seeds.iter().enumerate() {
                let due = |scenario: &usize| is_due(*scenario, stack, seed);
                let scenarios: Vec<usize> = (0..self.plan.scenarios.len()).filter(due).collect();
                batches.push(Batch { stack, seed, turn, scenarios });
            }
        }
        batches.retain(|batch| !batch.scenarios.is_empty());
        let pieces = processors.div_ceil(batches.len().max(1));
        let split = |batch: Batch| {
            let size = batch.scenarios.len().div_ceil(pieces).max(CELLS_WORTH_A_PROCESS);
            let Batch { stack, seed, turn, scenarios } = batch;
            let pieces: Vec<Vec<usize>> = scenarios.chunks(size).map(<[usize]>::to_vec).collect();
            pieces.into_iter().map(move |scenarios| Batch { stack, seed, turn, scenarios })
        };
        batches.into_iter().flat_map(split).collect()
    }

    fn take_report(&mut self, report: Report, done: &mut usize, total: usize) -> Result<(), RunError> {
        match report {
            Report::Begun { stack, scenario } => {
                *done += 1;
                let (stack, scenario) = (&self.plan.stacks[stack].name, &self.plan.scenarios[scenario].name);
                self.observer.counting(stack, scenario, *done, total);
                Ok(())
            }
            Report::Counted(count) => self.journal.count(&count).map_err(RunError::Journal),
            Report::Warning(text) => self.warn(&text),
            Report::Cancelled => Err(RunError::Interrupted),
        }
    }
}

/// The inputs of every worker.
struct Counting<'r> {
    plan: &'r Plan,
    stage: &'r Stage,
    pki: &'r Pki,
    launch: &'r dyn Launch,
    timeout: Duration,
    counting: &'r CountPlan,
}

impl Counting<'_> {
    /// Takes batches until all are taken, on one of the processors.
    fn on(
        &self,
        place: usize,
        queue: &Mutex<impl Iterator<Item = Batch>>,
        is_over: &AtomicBool,
        reports: &Sender<Report>,
    ) {
        let next = || queue.lock().unwrap_or_else(PoisonError::into_inner).next();
        while !is_over.load(Ordering::Relaxed)
            && let Some(batch) = next()
        {
            // The receiver is dropped only after the run has failed.
            let report = |report: Report| _ = reports.send(report);
            if let Err(DriverFailure::Interrupted) = self.batch(&batch, place, is_over, &report) {
                report(Report::Cancelled);
                return;
            }
        }
    }

    /// Counts the cells of a batch. The only failure is cancellation.
    fn batch(
        &self,
        batch: &Batch,
        place: usize,
        is_over: &AtomicBool,
        report: &dyn Fn(Report),
    ) -> Result<(), DriverFailure> {
        let counter = self.counting.counter.seeded(batch.seed);
        let cell = Cell { counter: &counter, batch, place };
        let mut process: Option<Box<dyn Talk>> = None;
        for &scenario in &batch.scenarios {
            if is_over.load(Ordering::Relaxed) {
                return Ok(());
            }
            report(Report::Begun { stack: batch.stack, scenario });
            let counted = self.with_retries(&cell, scenario, &mut process, report)?;
            report(Report::Counted(CellCount { scenario, stack: batch.stack, seed: batch.seed, counted }));
        }
        match process.map(Talk::end) {
            Some(Err(DriverFailure::Interrupted)) => Err(DriverFailure::Interrupted),
            Some(Err(failure)) => {
                let stack = &self.plan.stacks[batch.stack].name;
                report(Report::Warning(format!("{stack}: {failure}, after all was counted")));
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn with_retries(
        &self,
        cell: &Cell<'_>,
        scenario: usize,
        process: &mut Option<Box<dyn Talk>>,
        report: &dyn Fn(Report),
    ) -> Result<Counted, DriverFailure> {
        let (record, scenario) = (&self.plan.stacks[cell.batch.stack], &self.plan.scenarios[scenario]);
        for attempt in 1.. {
            match self.count(cell, process, record, scenario) {
                Ok(counted) => return Ok(counted),
                Err(DriverFailure::Interrupted) => return Err(DriverFailure::Interrupted),
                Err(failure) => {
                    // Its state is unknown, so it gets no further requests.
                    *process = None;
                    if !failure.may_be_chance() || attempt >= self.plan.policy.tries {
                        return Ok(Counted::Failed(failure.to_string()));
                    }
                    let (stack, scenario) = (&record.name, &scenario.name);
                    let text =
                        format!("{stack}: {failure}, while {scenario} was counted; it was tried again");
                    report(Report::Warning(text));
                }
            }
        }
        unreachable!("the loop above returns")
    }

    /// A copy of the stack's process, one cell in it, and the copy's end.
    fn count(
        &self,
        cell: &Cell<'_>,
        process: &mut Option<Box<dyn Talk>>,
        stack: &StackRecord,
        scenario: &Scenario,
    ) -> Result<Counted, DriverFailure> {
        if let Some(reason) = no_count(stack, cell.counter) {
            return Ok(Counted::Unsupported(reason));
        }
        let own = self.stage.program(cell.batch.stack, stack, cell.batch.turn);
        let driver = DriverProgram { counter: Some(cell.counter), moves: false, ..own };
        let how = How { iterations: self.counting.iterations, seed: cell.batch.seed, functions: None };
        if !cell.counter.kind.lets_copy() {
            return alone(self.launch, driver, &how, scenario, self.pki, self.timeout);
        }
        let talk = match process {
            Some(talk) => talk,
            None => {
                let mut talk = started(self.launch, driver, self.timeout)?;
                talk.keep_to(cell.place)?;
                process.insert(talk)
            }
        };
        in_a_copy(talk.as_mut(), &how, scenario, self.pki, self.timeout)
    }
}

/// The counter of a batch, and its processor.
struct Cell<'b> {
    counter: &'b CounterRecord,
    batch: &'b Batch,
    place: usize,
}

/// How one cell is counted.
struct How<'h> {
    iterations: u64,
    seed: u64,
    /// The folder for the functions' instructions.
    functions: Option<&'h Path>,
}

/// Why a stack's instructions cannot be counted, in its own words if it has any.
pub(crate) fn no_count(stack: &StackRecord, counter: &CounterRecord) -> Option<String> {
    if !counter.missing.is_empty() {
        return Some(counter.missing.clone());
    }
    let StackState::Ready(description) = &stack.state else { return None };
    if description.metrics.iter().any(|metric| metric == Measure::Count.name()) {
        return None;
    }
    let reason = description.capabilities.reason("metric", Measure::Count.name());
    Some(reason.unwrap_or("the stack's driver cannot be counted").to_owned())
}

/// Counts one scenario's work as a run does and writes the functions' instructions into a folder, a file for
/// each side and phase.
///
/// # Errors
/// Returns the driver's failure.
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
    let mut talk = started(launch, driver, timeout)?;
    let counted = in_a_copy(talk.as_mut(), &how, scenario, pki, timeout)?;
    talk.end()?;
    Ok(counted)
}

/// A process for one cell, whose RNG begins with the seed.
fn alone(
    launch: &dyn Launch,
    driver: DriverProgram<'_>,
    how: &How<'_>,
    scenario: &Scenario,
    pki: &Pki,
    timeout: Duration,
) -> Result<Counted, DriverFailure> {
    let mut talk = started(launch, driver, timeout)?;
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
        Reply::Bye {} => {}
        other => return Err(wrong_reply("bye", &other)),
    }
    if let Some(totals) = talk.totals() {
        let totals = totals?;
        if let Counted::Counted(counting) = &counted
            && let Some(what) = totals.untrue(counting, scenario)
        {
            return Err(DriverFailure::Nonsense { request: "count", what });
        }
    }
    Ok(counted)
}

/// One cell. The functions' instructions are written into the folder, if there is one.
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
            Reply::Counted(counting) => match tlslab_proof::untrue_of_count(&counting, how.iterations) {
                None => Counted::Counted(counting),
                Some(what) => return Err(DriverFailure::Nonsense { request: "count", what }),
            },
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
