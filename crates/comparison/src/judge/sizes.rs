//! Sizes of both stacks, which are read once: any byte is a change.

use tlslab_record::{ComparisonPlan, Plan, SIZE_SCENARIO};

use super::exact::{READINGS, Replicates};
use crate::compared::Compared;
use crate::model::{Change, Outcome};

/// The compared sizes.
const SIZES: [Compared; 3] = [Compared::CodeSize, Compared::DataSize, Compared::SharedSize];

/// A stack of a run, as an index into its plan's.
pub(super) type StackOf<'p> = (&'p Plan, usize);

/// The sizes of a pair. A kind of size that neither has is no cell.
pub(super) fn changes(
    which: usize,
    (baseline, candidate): (StackOf<'_>, StackOf<'_>),
    rule: &ComparisonPlan,
    is_identical: bool,
) -> Vec<Change> {
    let change = |metric: Compared| {
        let outcome = match (size(baseline, metric), size(candidate, metric)) {
            (Ok(one), Ok(other)) => {
                let values = vec![(one as f64, other as f64)];
                let read = Replicates { values, confidence: candidate.0.policy.confidence, of: READINGS };
                Outcome::Compared(Box::new(read.effect(rule, is_identical, None)?))
            }
            (Err(one), Err(other)) if metric == Compared::SharedSize && !failed(&one) && !failed(&other) => {
                return None;
            }
            (one, other) => Outcome::Missing { baseline_missing: one.err(), candidate_missing: other.err() },
        };
        Some(Change { pair: which, scenario: SIZE_SCENARIO.to_owned(), side: None, metric, outcome })
    };
    SIZES.into_iter().filter_map(change).collect()
}

fn failed(reason: &str) -> bool {
    reason.starts_with("failed")
}

/// Bytes, or the reason for their absence.
fn size((plan, stack): StackOf<'_>, metric: Compared) -> Result<u64, String> {
    let size = plan.sizes.iter().find(|size| size.stack == stack);
    let size = size.ok_or_else(|| "failed: the stack was not built".to_owned())?;
    let outcome = match metric {
        Compared::DataSize => &size.data,
        Compared::SharedSize => &size.shared,
        _ => &size.text,
    };
    match outcome.hole() {
        Some((kind, reason)) => Err(format!("{kind}: {reason}")),
        None => Ok(outcome.bytes().unwrap_or_default()),
    }
}
