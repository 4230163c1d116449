//! Memory and contention of both stacks, by process.

use std::collections::BTreeMap;

use tlslab_contention::Contention;
use tlslab_protocol::{Side, SideWeight, Weighing};
use tlslab_record::{ComparisonPlan, FIRST_PROCESSES, RunRecord, StackPair, Weighed, WeightKind};
use tlslab_stats::median;

use super::exact::Replicates;
use super::observed::hole;
use crate::compared::Compared;
use crate::model::{Effect, Outcome, Reason};

/// The compared metrics of memory.
pub(super) const HEAP: [Compared; 3] = [Compared::Peak, Compared::Allocations, Compared::Allocated];

/// The compared metrics of contention.
pub(super) const CONTENTION: [Compared; 2] = [Compared::ContendedAtomics, Compared::SerialInstructions];

/// The places that are named where contention changed.
const MOST_REASONS: usize = 8;

/// The outcome of a cell.
pub(super) fn outcome(
    record: &RunRecord,
    plan: &ComparisonPlan,
    scenario: usize,
    side: Side,
    pair: &StackPair,
    metric: Compared,
) -> Outcome {
    match both(record, scenario, side, pair, metric) {
        (Ok(baseline), Ok(candidate)) => {
            let (first, confirming) = replicates(record, &baseline, &candidate);
            match first.effect(plan, pair.identical, confirming.as_ref()) {
                Some(effect) => Outcome::Compared(Box::new(Effect {
                    reasons: reasons(record, scenario, side, pair, metric),
                    ..effect
                })),
                None => missing("failed: nothing was weighed"),
            }
        }
        (baseline, candidate) => {
            Outcome::Missing { baseline_missing: baseline.err(), candidate_missing: candidate.err() }
        }
    }
}

/// The figures of both stacks, or the reason for their absence.
type Figures = Result<Vec<f64>, String>;

fn both(
    record: &RunRecord,
    scenario: usize,
    side: Side,
    pair: &StackPair,
    metric: Compared,
) -> (Figures, Figures) {
    let of = |stack| weighed(record, scenario, side, stack, metric);
    (of(pair.baseline), of(pair.candidate))
}

/// The figures of the first processes, and those of the confirmation.
fn replicates(record: &RunRecord, baseline: &[f64], candidate: &[f64]) -> (Replicates, Option<Replicates>) {
    let of = |values: &[(f64, f64)]| Replicates {
        values: values.to_vec(),
        confidence: record.plan.policy.confidence,
        of: "processes",
    };
    let values: Vec<(f64, f64)> = baseline.iter().copied().zip(candidate.iter().copied()).collect();
    let (first, confirming) = values.split_at(values.len().min(FIRST_PROCESSES as usize));
    (of(first), (!confirming.is_empty()).then(|| of(confirming)))
}

/// Whether the first processes found a change of any figure that differs between them.
pub(super) fn is_flagged(
    record: &RunRecord,
    plan: &ComparisonPlan,
    scenario: usize,
    side: Side,
    pair: &StackPair,
) -> bool {
    HEAP.into_iter().chain(CONTENTION).any(|metric| match both(record, scenario, side, pair, metric) {
        (Ok(baseline), Ok(candidate)) => {
            let (first, _) = replicates(record, &baseline, &candidate);
            !first.is_exact() && first.is_flagged(plan)
        }
        _ => false,
    })
}

/// The places where the candidate contends more or less, those with the largest change first.
fn reasons(
    record: &RunRecord,
    scenario: usize,
    side: Side,
    pair: &StackPair,
    metric: Compared,
) -> Vec<Reason> {
    let places = |stack| -> BTreeMap<String, f64> {
        let found = record.weights.iter().find_map(|weight| match &weight.weighed {
            Weighed::Contention(found) if (weight.scenario, weight.stack) == (scenario, stack) => Some(found),
            _ => None,
        });
        match (found, metric) {
            (Some(found), Compared::ContendedAtomics) => found.atomics_by_place(side.name()),
            (Some(found), Compared::SerialInstructions) => found.serial_by_place(side.name()),
            _ => BTreeMap::new(),
        }
    };
    let mut changes = places(pair.candidate);
    for (place, before) in places(pair.baseline) {
        *changes.entry(place).or_default() -= before;
    }
    let changed = changes.into_iter().filter(|(_, change)| *change != 0.0);
    let mut reasons: Vec<Reason> = changed.map(|(function, change)| Reason { function, change }).collect();
    reasons.sort_by(|one, other| other.change.abs().total_cmp(&one.change.abs()));
    reasons.truncate(MOST_REASONS);
    reasons
}

fn missing(reason: &str) -> Outcome {
    Outcome::Missing { baseline_missing: Some(reason.to_owned()), candidate_missing: Some(reason.to_owned()) }
}

/// The figure in each process: of memory the median of its iterations, of contention that of one connection.
pub(super) fn weighed(
    record: &RunRecord,
    scenario: usize,
    side: Side,
    stack: usize,
    metric: Compared,
) -> Result<Vec<f64>, String> {
    if let Some(hole) = hole(record, scenario, stack) {
        return Err(hole);
    }
    let kind = if CONTENTION.contains(&metric) { WeightKind::Contention } else { WeightKind::Heap };
    let mut values = Vec::new();
    for weight in &record.weights {
        if (weight.scenario, weight.stack, weight.kind) != (scenario, stack, kind) {
            continue;
        }
        match &weight.weighed {
            Weighed::Heap(weighing) => {
                let value = of_process(weighing, side, metric);
                values.push(value.ok_or("unsupported: idle connections need a separate run")?);
            }
            Weighed::Contention(found) => values.push(contended(found, side, metric)),
            Weighed::Unsupported(reason) => return Err(format!("unsupported: {reason}")),
            Weighed::Failed(reason) => return Err(format!("failed: {reason}")),
            Weighed::Resident(_) | Weighed::Wire(_) | Weighed::Kernel(_) => {}
        }
    }
    if values.is_empty() {
        return Err("failed: not weighed: the run ended before; resume it".to_owned());
    }
    Ok(values)
}

fn contended(found: &Contention, side: Side, metric: Compared) -> f64 {
    let step = found.side(side.name());
    let number = match metric {
        Compared::SerialInstructions => step.serial_instructions,
        _ => step.library.atomics,
    };
    number as f64 / found.connections.max(1) as f64
}

fn of_process(weighing: &Weighing, side: Side, metric: Compared) -> Option<f64> {
    let value = |weight: &SideWeight| match metric {
        Compared::Peak => weight.peak_bytes as f64,
        Compared::Allocations => weight.phases.total().allocated_blocks as f64,
        _ => weight.phases.total().allocated_bytes as f64,
    };
    let values: Vec<f64> = weighing.iterations.iter().map(|sides| value(sides.side(side))).collect();
    median(&values).ok()
}
