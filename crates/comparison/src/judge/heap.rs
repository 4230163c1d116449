//! Memory of both stacks, by process.

use tlslab_protocol::{Side, SideWeight, Weighing};
use tlslab_record::{ComparisonPlan, RunRecord, StackPair, Weighed, WeightKind};
use tlslab_stats::median;

use super::exact::Replicates;
use super::observed::hole;
use crate::model::{Compared, Outcome};

/// What is compared of memory.
pub(super) const METRICS: [Compared; 3] = [Compared::Peak, Compared::Allocations, Compared::Allocated];

/// What is said of a cell.
pub(super) fn outcome(
    record: &RunRecord,
    plan: &ComparisonPlan,
    scenario: usize,
    side: Side,
    pair: &StackPair,
    metric: Compared,
) -> Outcome {
    let of = |stack| weighed(record, scenario, side, stack, metric);
    match (of(pair.baseline), of(pair.candidate)) {
        (Ok(baseline), Ok(candidate)) => {
            let values = baseline.into_iter().zip(candidate).collect();
            let replicates = Replicates { values, confidence: record.plan.policy.confidence };
            match replicates.effect(plan, pair.identical, None) {
                Some(effect) => Outcome::Compared(Box::new(effect)),
                None => missing("failed: nothing was weighed"),
            }
        }
        (baseline, candidate) => {
            Outcome::Missing { baseline_missing: baseline.err(), candidate_missing: candidate.err() }
        }
    }
}

fn missing(reason: &str) -> Outcome {
    Outcome::Missing { baseline_missing: Some(reason.to_owned()), candidate_missing: Some(reason.to_owned()) }
}

/// The figure in each process: the median of its iterations.
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
    let mut values = Vec::new();
    for weight in &record.weights {
        if (weight.scenario, weight.stack, weight.kind) != (scenario, stack, WeightKind::Heap) {
            continue;
        }
        match &weight.weighed {
            Weighed::Heap(weighing) => {
                let value = of_process(weighing, side, metric);
                values.push(value.ok_or("unsupported: idle connections are compared by a run of their own")?);
            }
            Weighed::Unsupported(reason) => return Err(format!("unsupported: {reason}")),
            Weighed::Failed(reason) => return Err(format!("failed: {reason}")),
            Weighed::Resident(_) => {}
        }
    }
    if values.is_empty() {
        return Err("failed: not weighed: the run ended before; resume it".to_owned());
    }
    Ok(values)
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
