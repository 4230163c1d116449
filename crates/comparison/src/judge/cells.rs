//! The cells of a comparison, and why one has no value.

use tlslab_protocol::Side;
use tlslab_record::{ComparisonPlan, Plan, RunRecord, StackPair, StackState};

use super::observed;
use crate::model::Outcome;

/// Pair, scenario and side of every cell, in the plan's order.
pub(super) fn cells<'p>(
    plan: &'p Plan,
    comparison: &'p ComparisonPlan,
) -> impl Iterator<Item = (usize, usize, Side)> + 'p {
    (0..comparison.pairs.len()).flat_map(move |pair| {
        plan.scenarios.iter().enumerate().flat_map(move |(scenario, resolved)| {
            resolved.work.sides().iter().map(move |side| (pair, scenario, *side))
        })
    })
}

/// Why a scenario has no value on one stack of a pair or on both. If one could not take part, the other was
/// not tried for that reason alone.
pub(super) fn holes(record: &RunRecord, scenario: usize, pair: &StackPair) -> Option<Outcome> {
    let took_part = |stack: usize| matches!(record.plan.stacks[stack].state, StackState::Ready(_));
    let was_tried =
        |stack: usize| record.cells.iter().any(|cell| (cell.scenario, cell.stack) == (scenario, stack));
    let both = took_part(pair.baseline) && took_part(pair.candidate);
    let is_reason = |stack: usize| both || !took_part(stack) || was_tried(stack);
    let missing = |stack: usize| observed::hole(record, scenario, stack).filter(|_| is_reason(stack));
    let (baseline_missing, candidate_missing) = (missing(pair.baseline), missing(pair.candidate));
    (baseline_missing.is_some() || candidate_missing.is_some())
        .then_some(Outcome::Missing { baseline_missing, candidate_missing })
}
