//! Figures that are observed rather than estimated: their cells, and the values of several processes.

use tlslab_protocol::Side;
use tlslab_record::{Proof, RunRecord, StackState};
use tlslab_stats::median;

use super::cells::{absent, proof};
use crate::model::{ExactCell, ExactOutcome, ExactUnit, ExactValue};

/// The figure that stacks are compared by.
pub(super) const TOTAL: &str = "count.instructions";

/// A stack in a scenario.
pub(super) struct Place<'r> {
    pub record: &'r RunRecord,
    pub scenario: usize,
    pub stack: usize,
}

/// A figure by its name.
pub(super) struct Figure {
    pub metric: String,
    pub unit: ExactUnit,
    /// The values of each process, in the same order of iterations.
    pub processes: Vec<Vec<f64>>,
}

impl<'r> Place<'r> {
    /// All requested cells of a run, in the plan's order; canaries have no exact figures.
    pub(super) fn all(record: &'r RunRecord) -> impl Iterator<Item = Self> {
        let stacks = record.plan.stacks.len();
        (0..record.plan.scenarios.len())
            .flat_map(move |scenario| (0..stacks).map(move |stack| Self { record, scenario, stack }))
            .filter(|place| record.plan.asks(place.scenario, place.stack))
            .filter(|place| !record.plan.is_canary(place.stack))
    }

    /// Why there is no figure, if so. `done` is the verb for the reason.
    pub(super) fn proven(&self, done: &str) -> Result<(), ExactOutcome> {
        let failed = |failed: String| Err(ExactOutcome::Failed { failed });
        if let StackState::Failed(reason) = &self.record.plan.stacks[self.stack].state {
            return failed(absent(reason));
        }
        match proof(self.record, self.scenario, self.stack) {
            Some(Proof::Unsupported(reason)) => {
                Err(ExactOutcome::Unsupported { unsupported: reason.clone() })
            }
            Some(Proof::Failed(reason)) => failed(reason.clone()),
            None => failed(format!("not {done}: the run ended before the cell was proven")),
            Some(Proof::Proven { .. }) => Ok(()),
        }
    }

    /// One figure of one side.
    pub(super) fn figure(&self, side: Side, figure: Figure) -> ExactCell {
        let Figure { metric, unit, processes } = figure;
        let all: Vec<f64> = processes.iter().flatten().copied().collect();
        let outcome = match median(&all) {
            Ok(value) => ExactOutcome::Measured(ExactValue {
                n: all.len(),
                value,
                minimum: all.iter().copied().fold(f64::INFINITY, f64::min),
                maximum: all.iter().copied().fold(f64::NEG_INFINITY, f64::max),
                repeatable: processes.windows(2).all(|pair| pair[0] == pair[1]),
            }),
            Err(refused) => ExactOutcome::Failed { failed: refused.to_string() },
        };
        self.cell(side, &metric, unit, outcome)
    }

    /// The same with the outcome, whichever.
    pub(super) fn cell(&self, side: Side, metric: &str, unit: ExactUnit, outcome: ExactOutcome) -> ExactCell {
        let plan = &self.record.plan;
        let (scenario, stack) =
            (plan.scenarios[self.scenario].name.clone(), plan.stacks[self.stack].name.clone());
        ExactCell {
            scenario,
            stack,
            side,
            metric: metric.to_owned(),
            unit,
            outcome,
            ratio: None,
            no_ratio: None,
            fidelity: None,
        }
    }
}
