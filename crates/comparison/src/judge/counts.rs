//! Instructions of both stacks, by seed.

use tlslab_protocol::Side;
use tlslab_record::{ComparisonPlan, Counted, RunRecord, StackPair};

use super::exact::Replicates;
use super::observed::hole;
use crate::model::Outcome;

/// The outcome of a cell.
pub(super) fn outcome(
    record: &RunRecord,
    plan: &ComparisonPlan,
    scenario: usize,
    side: Side,
    pair: &StackPair,
) -> Outcome {
    let first = seeds(record);
    let baseline = counted(record, scenario, side, pair.baseline, &first);
    let candidate = counted(record, scenario, side, pair.candidate, &first);
    let (baseline, candidate) = match (baseline, candidate) {
        (Ok(baseline), Ok(candidate)) => (baseline, candidate),
        (baseline, candidate) => {
            return Outcome::Missing { baseline_missing: baseline.err(), candidate_missing: candidate.err() };
        }
    };
    let confirming = confirming(record, plan, scenario, side, pair).0;
    match paired(record, &baseline, &candidate).effect(plan, pair.identical, confirming.as_ref()) {
        Some(effect) => Outcome::Compared(Box::new(effect)),
        None => {
            let reason = Some("failed: it was counted with no seed".to_owned());
            Outcome::Missing { baseline_missing: reason.clone(), candidate_missing: reason }
        }
    }
}

/// The confirmation with all seeds that were drawn for it, and the place of the further ones that come next.
fn confirming(
    record: &RunRecord,
    plan: &ComparisonPlan,
    scenario: usize,
    side: Side,
    pair: &StackPair,
) -> (Option<Replicates>, usize) {
    let again = |seeds: &[u64]| {
        let of = |stack| counted(record, scenario, side, stack, seeds).ok();
        of(pair.baseline)
            .zip(of(pair.candidate))
            .map(|(baseline, candidate)| paired(record, &baseline, &candidate))
    };
    let Some(mut all) = again(&plan.confirmation_seeds).filter(|_| !plan.confirmation_seeds.is_empty())
    else {
        return (None, 0);
    };
    let further = plan.further_seeds.iter().map_while(|seeds| again(seeds));
    let mut next = 0;
    for more in further {
        all.values.extend(more.values);
        next += 1;
    }
    (Some(all), next)
}

/// The place of the seeds that are to be drawn next for a cell that changed alike in both measurements, but
/// scatters too much to be sure.
pub(super) fn next_seeds(
    record: &RunRecord,
    plan: &ComparisonPlan,
    scenario: usize,
    side: Side,
    pair: &StackPair,
) -> Option<usize> {
    let first = seeds(record);
    let of = |stack| counted(record, scenario, side, stack, &first).ok();
    let first = of(pair.baseline)
        .zip(of(pair.candidate))
        .map(|(baseline, candidate)| paired(record, &baseline, &candidate))?;
    let (again, next) = confirming(record, plan, scenario, side, pair);
    (next < plan.further_seeds.len() && first.is_unsure(plan, &again?)).then_some(next)
}

/// Whether the first count found a change.
pub(super) fn is_flagged(
    record: &RunRecord,
    plan: &ComparisonPlan,
    scenario: usize,
    side: Side,
    pair: &StackPair,
) -> bool {
    let first = seeds(record);
    let of = |stack| counted(record, scenario, side, stack, &first).ok();
    of(pair.baseline)
        .zip(of(pair.candidate))
        .is_some_and(|(baseline, candidate)| paired(record, &baseline, &candidate).is_flagged(plan))
}

fn seeds(record: &RunRecord) -> Vec<u64> {
    record.plan.counting.as_ref().map(|counting| counting.seeds.clone()).unwrap_or_default()
}

fn paired(record: &RunRecord, baseline: &[f64], candidate: &[f64]) -> Replicates {
    let values = baseline.iter().copied().zip(candidate.iter().copied()).collect();
    Replicates { values, confidence: record.plan.policy.confidence, of: "seeds" }
}

/// Instructions of one iteration with each of these seeds, or the reason for their absence.
pub(super) fn counted(
    record: &RunRecord,
    scenario: usize,
    side: Side,
    stack: usize,
    seeds: &[u64],
) -> Result<Vec<f64>, String> {
    if let Some(hole) = hole(record, scenario, stack) {
        return Err(hole);
    }
    let of_seed = |seed: &u64| {
        let found = record
            .counts
            .iter()
            .find(|count| (count.scenario, count.stack, count.seed) == (scenario, stack, *seed));
        match found.map(|count| &count.counted) {
            Some(Counted::Counted(counting)) => {
                let instructions = counting.sides.side(side).phases.total().instructions;
                Ok(instructions as f64 / counting.iterations.max(1) as f64)
            }
            Some(Counted::Unsupported(reason)) => Err(format!("unsupported: {reason}")),
            Some(Counted::Failed(reason)) => Err(format!("failed: {reason}")),
            None => Err("failed: not counted: the run ended before; resume it".to_owned()),
        }
    };
    seeds.iter().map(of_seed).collect()
}
