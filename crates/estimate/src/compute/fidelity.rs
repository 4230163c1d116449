//! Marks an emulator's counts of code paths that do not run natively.

use tlslab_record::{Fidelity, RunRecord, StackState};
use tlslab_text::number::counted;

use super::exact::TOTAL;
use crate::model::{ExactCell, FidelityMark};

/// Adds the known fidelity to each count of an emulator.
pub(super) fn mark(record: &RunRecord, cells: &mut [ExactCell]) {
    let Some(counting) = &record.plan.counting else { return };
    if counting.counter.kind.is_native() {
        return;
    }
    for cell in cells.iter_mut().filter(|cell| cell.metric == TOTAL && cell.outcome.value().is_some()) {
        let Some(stack) = record.plan.stacks.iter().find(|stack| stack.name == cell.stack) else { continue };
        let is_of_it = |known: &&Fidelity| {
            known.driver_digest == stack.driver_digest
                && known.scenario == cell.scenario
                && known.side == cell.side
                // On another processor it may be other code.
                && natively(&stack.state).is_none_or(|features| *features == known.features)
        };
        cell.fidelity = match record.fidelity.iter().rfind(is_of_it) {
            Some(known) => foreign(known).map(|what| FidelityMark { known: true, what }),
            None => {
                let what = format!(
                    "whether this code runs natively is not known: run `tlslab fidelity {} --scenario {}`",
                    cell.stack, cell.scenario
                );
                Some(FidelityMark { known: false, what })
            }
        };
    }
}

/// Features that a driver sees if none are hidden, if it reports them.
fn natively(state: &StackState) -> Option<&Vec<String>> {
    match state {
        StackState::Ready(description) => Some(&description.features).filter(|features| !features.is_empty()),
        StackState::Failed(_) => None,
    }
}

/// The note on a count whose dominating functions do not all run natively.
fn foreign(known: &Fidelity) -> Option<String> {
    let share: f64 = known.foreign().map(|function| function.share).sum();
    let first = known.foreign().next()?;
    let others = match known.foreign().count() - 1 {
        0 => String::new(),
        others => format!(" and {}", counted(others, "other")),
    };
    Some(format!(
        "{:.0} % of it is of functions that do not run natively: {}{others}; natively it takes {} of these instructions",
        100.0 * share,
        first.name,
        match known.ratio {
            ratio if ratio > 0.0 => format!("{:.0} %", 100.0 / ratio),
            _ => "another number".to_owned(),
        }
    ))
}

#[cfg(test)]
mod tests {
    use tlslab_protocol::Side;
    use tlslab_record::Dominating;

    use super::*;

    #[test]
    fn what_does_not_run_natively_is_named_with_its_share() {
        let function =
            |name: &str, share, runs_natively| Dominating { name: name.to_owned(), share, runs_natively };
        let mut known = Fidelity {
            stack: "x".to_owned(),
            driver_digest: String::new(),
            scenario: "s".to_owned(),
            side: Side::Client,
            features: vec![],
            ratio: 1.25,
            dominating: vec![function("sha_avx", 0.3, false), function("mul", 0.25, true)],
        };
        let said = foreign(&known).unwrap();
        assert_eq!(
            said,
            "30 % of it is of functions that do not run natively: sha_avx; natively it takes 80 % of these instructions"
        );
        known.dominating[0].runs_natively = true;
        assert_eq!(foreign(&known), None);
    }
}
