//! Memory, contention, what is sent and what is asked of the kernel: every proven cell is looked at in
//! processes of its own, so that its figures depend on nothing but the cell.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use tlslab_protocol::{Description, Measure, Reply, Request, Scenario, Work};
use tlslab_record::{FIRST_PROCESSES, Proof, StackRecord, StackState, Weighed, Weight, WeightKind};

use crate::relayed;
use crate::requests::{credentials, prepare, started, wrong_reply};
use crate::runner::{RunError, Runner};
use crate::{DriverFailure, DriverProgram};

/// Iterations of each weighing.
const ITERATIONS: u32 = 3;
/// Ten thousand handshakes in one request take longer than any other.
const PATIENCE: u32 = 10;

impl Runner<'_> {
    /// Weighs every proven cell that has not been weighed yet.
    pub(crate) fn weigh_all(
        &mut self,
        cells: &HashMap<(usize, usize), Proof>,
        sofar: &[Weight],
    ) -> Result<(), RunError> {
        let is_weighed: HashSet<_> =
            sofar.iter().map(|weight| (weight.scenario, weight.stack, weight.kind, weight.process)).collect();
        let todo = self.weighings(cells);
        let total = todo.len();
        for (done, (scenario, stack, kind, process)) in todo.into_iter().enumerate() {
            if is_weighed.contains(&(scenario, stack, kind, process)) {
                continue;
            }
            let plan = self.plan;
            self.observer.weighing(&plan.stacks[stack].name, &plan.scenarios[scenario].name, done, total);
            let weighed = self.weigh_with_retries(scenario, stack, kind, process)?;
            let weight = Weight { scenario, stack, kind, process, weighed };
            self.journal.weight(&weight).map_err(RunError::Journal)?;
        }
        Ok(())
    }

    /// All processes to weigh, in the plan's order.
    fn weighings(&self, cells: &HashMap<(usize, usize), Proof>) -> Vec<(usize, usize, WeightKind, u32)> {
        let mut all = Vec::new();
        for (scenario, resolved) in self.plan.scenarios.iter().enumerate() {
            let kinds = kinds(resolved, &self.plan.metrics);
            for stack in 0..self.plan.stacks.len() {
                let is_proven = matches!(cells.get(&(scenario, stack)), Some(Proof::Proven { .. }));
                if !is_proven || !self.stage.has(scenario, stack) {
                    continue;
                }
                for &kind in &kinds {
                    let processes = self.stage.processes.clone().unwrap_or(0..FIRST_PROCESSES);
                    all.extend(processes.map(|process| (scenario, stack, kind, process)));
                }
            }
        }
        all
    }

    fn weigh_with_retries(
        &mut self,
        scenario: usize,
        stack: usize,
        kind: WeightKind,
        process: u32,
    ) -> Result<Weighed, RunError> {
        let (record, scenario) = (&self.plan.stacks[stack], &self.plan.scenarios[scenario]);
        for attempt in 1.. {
            let weighed = match kind {
                WeightKind::Heap => self.weigh(record, scenario),
                WeightKind::Resident => self.reside(record, scenario),
                WeightKind::Contention => self.contend(record, scenario, process),
                WeightKind::Wire => self.read_wire(record, scenario),
                WeightKind::Kernel => self.ask_kernel(record, scenario),
            };
            match weighed {
                Ok(weighed) => return Ok(weighed),
                Err(failure) => {
                    self.interrupted(&failure)?;
                    if !failure.may_be_chance() || attempt >= self.plan.policy.tries {
                        return Ok(Weighed::Failed(failure.to_string()));
                    }
                    let (stack, scenario) = (&record.name, &scenario.name);
                    self.warn(&format!(
                        "{stack}: {failure}, while {scenario} was weighed; it was tried again"
                    ))?;
                }
            }
        }
        unreachable!("the loop above returns")
    }

    /// A fresh process with the counting library, one cell, and its end.
    fn weigh(&self, stack: &StackRecord, scenario: &Scenario) -> Result<Weighed, DriverFailure> {
        if let Some(reason) = no_heap(stack) {
            return Ok(Weighed::Unsupported(reason));
        }
        let Some(preload) = &self.plan.preload else {
            return Ok(Weighed::Failed("the run has no library that counts allocations".to_owned()));
        };
        let preload = Some(Path::new(&preload.library));
        let mut talk = started(self.launch, DriverProgram { preload, ..stack.into() }, self.timeout)?;
        if let Some(reason) = prepare(talk.as_mut(), scenario, credentials(self.pki, scenario), self.timeout)?
        {
            return Ok(Weighed::Unsupported(reason));
        }
        let weighed = match talk.ask(&Request::Weigh { iterations: ITERATIONS }, self.timeout * PATIENCE)? {
            Reply::Weighed(weighing) => {
                match tlslab_proof::untrue_of_weighing(&weighing, ITERATIONS, scenario) {
                    None => Weighed::Heap(weighing),
                    Some(what) => return Err(DriverFailure::Nonsense { request: "weigh", what }),
                }
            }
            Reply::Unsupported { reason } => Weighed::Unsupported(reason),
            other => return Err(wrong_reply("weigh", &other)),
        };
        talk.end()?;
        Ok(weighed)
    }

    /// Two fresh processes, each with one side of the connections.
    fn reside(&self, stack: &StackRecord, scenario: &Scenario) -> Result<Weighed, DriverFailure> {
        if let StackState::Ready(description) = &stack.state
            && let Some(reason) = description.capabilities.reason("metric", WeightKind::Resident.name())
        {
            return Ok(Weighed::Unsupported(reason.to_owned()));
        }
        let Work::Idle { connections } = scenario.work else {
            return Ok(Weighed::Failed("only idle connections are held open".to_owned()));
        };
        let start = || -> Result<_, DriverFailure> {
            let mut talk = started(self.launch, stack.into(), self.timeout)?;
            let hole = prepare(talk.as_mut(), scenario, credentials(self.pki, scenario), self.timeout)?;
            Ok((talk, hole))
        };
        let ((mut client, no_client), (mut server, no_server)) = (start()?, start()?);
        if let Some(reason) = no_client.or(no_server) {
            return Ok(Weighed::Unsupported(reason));
        }
        let resident = relayed::residents(client.as_mut(), server.as_mut(), connections, self.timeout)?;
        client.end()?;
        server.end()?;
        Ok(Weighed::Resident(resident))
    }
}

/// The figures that a scenario's processes are weighed for.
fn kinds(scenario: &Scenario, metrics: &[Measure]) -> Vec<WeightKind> {
    let mut kinds = Vec::new();
    if metrics.contains(&Measure::Heap) {
        kinds.push(WeightKind::Heap);
        if matches!(scenario.work, Work::Idle { .. }) {
            kinds.push(WeightKind::Resident);
        }
    }
    if metrics.contains(&Measure::Contention) {
        kinds.push(WeightKind::Contention);
    }
    if metrics.contains(&Measure::Wire) {
        kinds.push(WeightKind::Wire);
    }
    if metrics.contains(&Measure::Kernel) {
        kinds.push(WeightKind::Kernel);
    }
    kinds
}

/// In how many processes a stack is weighed in a scenario.
#[must_use]
pub fn weighings(scenario: &Scenario, metrics: &[Measure]) -> usize {
    kinds(scenario, metrics).len() * FIRST_PROCESSES as usize
}

/// Why a stack's connections cannot be held open. A driver that does not report memory may not support the
/// work.
pub(crate) fn hole(scenario: &Scenario, description: &Description) -> Option<String> {
    let knows = !description.metrics.is_empty()
        || description.capabilities.reason("metric", Measure::Heap.name()).is_some();
    let is_idle = matches!(scenario.work, Work::Idle { .. });
    (is_idle && !knows).then(|| "the stack's driver does not report what it allocates".to_owned())
}

/// Why a stack's heap cannot be counted, in its own words if it has any.
fn no_heap(stack: &StackRecord) -> Option<String> {
    let StackState::Ready(description) = &stack.state else { return None };
    if description.metrics.iter().any(|metric| metric == Measure::Heap.name()) {
        return None;
    }
    let reason = description.capabilities.reason("metric", Measure::Heap.name());
    Some(reason.unwrap_or("the stack's driver does not report what it allocates").to_owned())
}
