//! From a run's record to its report.

mod between;
mod caches;
mod causes;
mod cells;
mod cold;
mod contention;
mod contradictions;
mod counts;
mod cross;
mod defaults;
mod distributions;
mod estimates;
mod exact;
mod fidelity;
mod headlines;
mod heap;
mod kernel;
mod memory;
mod notes;
mod open_loop;
mod overheads;
pub(crate) mod pairs;
mod percentiles;
mod processors;
mod row_source;
mod rows;
mod shares;
mod sizes;
mod slices;
mod steady;
#[cfg(test)]
mod tests;
mod times_of_rows;
mod together;
mod turns;
mod warnings;
mod wire;

use jiff::Timestamp;
use tlslab_record::{Evictor, LayoutEffect, RunAs, RunRecord, StackRecord, StackState as Recorded};

use crate::model::{
    CrossPair, ExactOutcome, Family, Fault, Outcome, Proof, Report, Run, Scenario, Stack, StackState,
};
use slices::Slices;
use warnings::Warnings;

/// The version of `results.json`.
const FORMAT: u32 = 1;

impl Report {
    /// Computes everything from the raw samples of complete visits.
    pub fn of(record: &RunRecord) -> Self {
        let slices = Slices::of(record);
        let cells = cells::cells(record, &slices);
        let overheads = overheads::overheads(record, &slices, &cells);
        let scenario = |scenario: &tlslab_protocol::Scenario| Scenario {
            family: Family::of(scenario),
            resolved: scenario.clone(),
        };
        let steady = steady::shares(record, &slices);
        let headlines = headlines::headlines(record, &slices);
        let warnings = Warnings::of(record, &slices, &cells, &steady, &overheads);
        let exact = [
            memory::memory(record),
            counts::counts(record),
            contention::contention(record),
            wire::wire(record),
            kernel::kernel(record),
        ]
        .concat();
        Report {
            format: FORMAT,
            run: run(record, &slices),
            host: record.plan.host.clone(),
            stacks: record.plan.stacks.iter().map(stack).collect(),
            scenarios: record.plan.scenarios.iter().map(scenario).collect(),
            shares: shares::shares(record, &slices),
            proofs: proofs(record),
            defaults: defaults::defaults(record),
            notes: notes::standing(record),
            turns: turns::turns(record, steady),
            causes: warnings.causes(record, &cells, &headlines),
            warnings: warnings.all(),
            headlines,
            cross: cross::tables(record, &slices),
            together: together::together(record, &slices),
            processors: processors::processors(record, &slices),
            distributions: distributions::distributions(record, &slices),
            overheads,
            rows: rows::files(record, &slices, &exact, &cells),
            exact,
            sizes: sizes::sizes(record),
            cells,
        }
    }

    /// The pairs of client and server that failed, each with its scenario.
    pub fn failed_pairs(&self) -> impl Iterator<Item = (&str, &CrossPair)> {
        let pairs = self
            .cross
            .iter()
            .flat_map(|table| table.pairs.iter().map(|pair| (table.scenario.as_str(), pair)));
        pairs.filter(|(_, pair)| pair.outcome.hole().is_some_and(|(kind, _)| kind == "failed"))
    }

    /// Whether a stack or a cell failed. `unsupported` is no failure.
    pub fn has_failures(&self) -> bool {
        self.cells.iter().any(|cell| matches!(cell.outcome, Outcome::Failed { .. }))
            || self.exact.iter().any(|cell| matches!(cell.outcome, ExactOutcome::Failed { .. }))
            || self.sizes.iter().any(|size| {
                size.figures()
                    .iter()
                    .any(|(_, outcome)| outcome.hole().is_some_and(|(kind, _)| kind == "failed"))
            })
            || self.failed_pairs().next().is_some()
            || self.stacks.iter().any(|stack| stack.failure().is_some())
    }
}

fn run(record: &RunRecord, slices: &Slices) -> Run {
    let plan = &record.plan;
    let started =
        i64::try_from(plan.started_unix_ms).ok().and_then(|ms| Timestamp::from_millisecond(ms).ok());
    let complete_visits = record.visits.iter().filter(|visit| visit.complete).count();
    Run {
        id: plan.id.clone(),
        started: started.map(|started| started.to_string()).unwrap_or_default(),
        lab_version: plan.lab_version.clone(),
        between_runs: slices.between(),
        layout_floors: LayoutEffect::floors(&record.layouts),
        command: plan.command.clone(),
        suite: plan.suite.clone(),
        seed: plan.seed,
        budget_s: plan.budget_s,
        measuring_s: record.measuring_s,
        rounds: plan.rounds,
        slice_ns: plan.slice_ns,
        slices: plan.slices,
        warm_up: plan.warm_up,
        placement: plan.placement,
        evicted_by: plan.evictor.as_ref().map(Evictor::title),
        baseline: plan.baseline.clone(),
        policy: plan.policy.clone(),
        pki_digest: plan.pki_digest.clone(),
        complete: record.complete,
        complete_visits,
        cut_short_visits: record.visits.len() - complete_visits,
        samples: slices.samples(),
        metrics: plan.metrics.clone(),
        counter: counts::counter(record),
    }
}

fn stack(record: &StackRecord) -> Stack {
    let (state, notes) = match &record.state {
        Recorded::Ready(description) => {
            let (library, capabilities) =
                (description.library.clone(), Box::new(description.capabilities.clone()));
            let mut notes = notes::of_stack(&record.name, &capabilities);
            let run_as = record.identity.as_ref().and_then(|identity| identity.processor.as_ref());
            notes.splice(0..0, run_as.map(RunAs::caution));
            (StackState::Ready { library, capabilities }, notes)
        }
        Recorded::Failed(reason) => (StackState::Failed { failed: reason.clone() }, Vec::new()),
    };
    Stack {
        name: record.name.clone(),
        title: record.title.clone(),
        licence: record.licence.clone(),
        identity: record.identity.clone(),
        driver: record.driver.clone(),
        driver_digest: record.driver_digest.clone(),
        state,
        notes,
    }
}

fn proofs(record: &RunRecord) -> Vec<Proof> {
    let plan = &record.plan;
    let mut proofs = Vec::new();
    for (scenario, resolved) in plan.scenarios.iter().enumerate() {
        for (stack, taking_part) in plan.stacks.iter().enumerate() {
            let Some(tlslab_record::Proof::Proven { facts, faults, .. }) =
                cells::proof(record, scenario, stack)
            else {
                continue;
            };
            let fault = |fault: &tlslab_record::ProvenFault| Fault {
                name: fault.name.clone(),
                outcome: fault.outcome.clone(),
            };
            proofs.push(Proof {
                scenario: resolved.name.clone(),
                stack: taking_part.name.clone(),
                facts: facts.clone(),
                faults: faults.iter().map(fault).collect(),
            });
        }
    }
    proofs
}
