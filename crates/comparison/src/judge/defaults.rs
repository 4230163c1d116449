//! Changed defaults of libraries, in words next to the change of a first flight.

use tlslab_protocol::Side;
use tlslab_record::{CellState, Defaults, RunRecord};

use crate::model::Effect;
use crate::verdict::Verdict;

/// A run with a cell's scenario and stack, as indices into its plan.
pub(super) type Cell<'r> = (&'r RunRecord, usize, usize);

/// What changed in the side's defaults, if the scenario leaves libraries at them.
pub(super) fn changed(baseline: Cell<'_>, candidate: Cell<'_>, side: Side) -> Vec<String> {
    let of = |(record, scenario, stack): Cell<'_>| {
        let here = |cell: &&CellState| (cell.scenario, cell.stack) == (scenario, stack);
        let cell = record.cells.iter().find(here)?;
        Defaults::of(&record.plan.scenarios[scenario], &cell.proof)
    };
    match (of(baseline), of(candidate)) {
        (Some(before), Some(now)) => before.changes_of(side, &now),
        _ => Vec::new(),
    }
}

/// Puts the changed defaults before the effect's own note. Other defaults are a change even if they take as
/// many bytes.
pub(super) fn name(effect: &mut Effect, words: &[String]) {
    if words.is_empty() || effect.verdict == Verdict::Identical {
        return;
    }
    if effect.verdict == Verdict::NotSignificant {
        effect.verdict = Verdict::Changed;
        effect.note = None;
    }
    let words = words.iter().map(String::as_str).chain(effect.note.as_deref());
    effect.note = Some(words.collect::<Vec<_>>().join("; "));
}
