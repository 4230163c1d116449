//! Rows of times: a figure of each round, from the slices of its visits. Rounds have separate processes, so
//! the figures of a row are independent.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_protocol::Side;
use tlslab_record::{RowColumnRecord, RowRecord};

use super::row_source::Source;
use super::slices::{ns_per_iteration, visit_value};
use crate::model::{Metric, Outcome, RowOutcome};

/// The column's name.
pub(super) const METRIC: &str = "time";

/// A file of times.
pub(super) struct Times {
    /// The outcome of each row.
    pub outcomes: Vec<RowOutcome>,
    /// The rounds that every row with figures has.
    pub rounds: Vec<u32>,
    /// The rounds that some of them have.
    pub rounds_left_out: Vec<u32>,
}

/// The time of every row in every round, ns.
pub(super) fn times(source: &Source, rows: &[RowRecord], column: &RowColumnRecord) -> Times {
    let by_round: Vec<Result<BTreeMap<u32, f64>, RowOutcome>> =
        rows.iter().enumerate().map(|(at, row)| source.row_by_round(row, column, at)).collect();
    let of_rows: Vec<BTreeSet<u32>> =
        by_round.iter().flatten().map(|rounds| rounds.keys().copied().collect()).collect();
    let some: BTreeSet<u32> = of_rows.iter().flatten().copied().collect();
    let is_in_all = |round: &u32| of_rows.iter().all(|rounds| rounds.contains(round));
    let (rounds, rounds_left_out): (Vec<u32>, Vec<u32>) = some.into_iter().partition(is_in_all);
    let outcome = |(at, by_round): (usize, Result<BTreeMap<u32, f64>, RowOutcome>)| match by_round {
        Err(hole) => hole,
        Ok(_) if rounds.is_empty() => {
            RowOutcome::Failed { failed: "the run has no round in which all rows were measured".to_owned() }
        }
        Ok(by_round) => RowOutcome::Filled {
            values: rounds.iter().map(|round| by_round[round].round() as u64).collect(),
            times: vec![column.times[at]],
            once: source.once(&column.once, at).map(Some).into_iter().collect(),
        },
    };
    Times { outcomes: by_round.into_iter().enumerate().map(outcome).collect(), rounds, rounds_left_out }
}

impl Source<'_, '_> {
    /// A row's time by round: so many iterations, and one of another scenario in the rounds that have both.
    fn row_by_round(
        &self,
        row: &RowRecord,
        column: &RowColumnRecord,
        at: usize,
    ) -> Result<BTreeMap<u32, f64>, RowOutcome> {
        let times = f64::from(column.times[at]);
        let many = self.scenario_by_round(row, row.scenario)?;
        let Some(once) = column.once.get(at).copied().flatten() else {
            return Ok(many.into_iter().map(|(round, ns)| (round, times * ns)).collect());
        };
        let once = self.scenario_by_round(row, once)?;
        let both = many.into_iter().filter_map(|(round, ns)| Some((round, times * ns + once.get(&round)?)));
        Ok(both.collect())
    }

    /// The time of one iteration of a scenario for the row's stack, by round: the visit's value over slices,
    /// each side's time or the sum of both.
    fn scenario_by_round(&self, row: &RowRecord, scenario: usize) -> Result<BTreeMap<u32, f64>, RowOutcome> {
        let sides = match &row.side {
            Some(side) => std::slice::from_ref(side),
            None => self.record.plan.scenarios[scenario].work.sides(),
        };
        self.no_hole(row, scenario, sides)?;
        let mut by_round = BTreeMap::new();
        for visit in self.slices.visits(scenario) {
            let of_sides = visit.stack_slices(row.stack).map(|slice| {
                sides.iter().map(|side| ns_per_iteration(slice, *side, Metric::Time)).sum::<f64>()
            });
            let slices: Vec<f64> = of_sides.collect();
            if slices.is_empty() {
                continue;
            }
            let value = visit_value(&slices, self.record.plan.estimator)
                .map_err(|refused| RowOutcome::Failed { failed: refused.to_string() })?;
            by_round.insert(visit.round, value);
        }
        Ok(by_round)
    }

    /// Why a scenario has no times, if so, in the words of its cells.
    fn no_hole(&self, row: &RowRecord, scenario: usize, sides: &[Side]) -> Result<(), RowOutcome> {
        let (scenario, stack) = (self.scenario(scenario), self.stack(row.stack));
        for side in sides {
            let is_of = |cell: &&crate::model::Cell| {
                cell.metric == Metric::Time
                    && cell.side == (*side).into()
                    && cell.scenario == scenario
                    && cell.stack == stack
            };
            match self.cells.iter().find(is_of).map(|cell| &cell.outcome) {
                Some(Outcome::Measured(_)) => {}
                Some(Outcome::Unsupported { unsupported }) => {
                    return Err(RowOutcome::Unsupported { unsupported: unsupported.clone() });
                }
                Some(Outcome::Failed { failed }) => {
                    return Err(RowOutcome::Failed { failed: failed.clone() });
                }
                None => {
                    return Err(RowOutcome::Failed {
                        failed: format!("the run has no {METRIC} of {scenario}"),
                    });
                }
            }
        }
        Ok(())
    }
}
