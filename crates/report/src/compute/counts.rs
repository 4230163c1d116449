//! What each side takes in instructions, from every count.

use tlslab_protocol::{Count, Counting, Metric, Side, SideCount};
use tlslab_record::{Counted, RunRecord};

use super::exact::{Figure, Place};
use crate::model::{ExactCell, ExactOutcome, ExactUnit};

/// All cells, in the plan's order; none where nothing was to be counted.
pub(super) fn counts(record: &RunRecord) -> Vec<ExactCell> {
    if !record.plan.has(Metric::Count) {
        return Vec::new();
    }
    let cells = |place: Place<'_>| {
        let sides = place.record.plan.scenarios[place.scenario].work.sides();
        sides.iter().flat_map(|side| place.count_cells(*side)).collect::<Vec<_>>()
    };
    Place::all(record).flat_map(cells).collect()
}

/// What holds wherever counts are shown.
pub(super) fn notes(record: &RunRecord) -> Vec<String> {
    let Some(counting) = &record.plan.counting else { return Vec::new() };
    let mut notes = vec![format!(
        "Instructions are those of each side's own calls, counted by {} over {} iterations after a few that do not count. {}",
        counting.counter.name,
        counting.iterations,
        if counting.counter.kind.is_native() {
            "Nothing random is forged, so two counts differ."
        } else {
            "What is random comes from a fixed seed."
        }
    )];
    if !counting.counter.kind.is_native() {
        notes.push(format!(
            "The counted code saw a processor with these features: {}. Where the host has more, libraries run other code \
             than was counted. Such counts compare a stack with itself; they rank no stacks, so no ratio between stacks \
             is given.",
            features(record)
        ));
    }
    notes
}

/// What the counted code saw of a processor.
fn features(record: &RunRecord) -> String {
    let mut seen: Vec<String> =
        record.counts.iter().filter_map(counting).map(|counting| counting.features.join(" ")).collect();
    seen.sort();
    seen.dedup();
    if seen.is_empty() { "not known".to_owned() } else { seen.join("; or ") }
}

fn counting(count: &tlslab_record::CellCount) -> Option<&Counting> {
    match &count.counted {
        Counted::Counted(counting) => Some(counting),
        _ => None,
    }
}

impl<'r> Place<'r> {
    fn count_cells(&self, side: Side) -> Vec<ExactCell> {
        match self.counted() {
            Ok(countings) => {
                of_side(&countings, side).into_iter().map(|figure| self.figure(side, figure)).collect()
            }
            Err(hole) => vec![self.cell(side, "count.instructions", ExactUnit::Instructions, hole)],
        }
    }

    fn counted(&self) -> Result<Vec<&'r Counting>, ExactOutcome> {
        self.proven("counted")?;
        let failed = |failed: &str| Err(ExactOutcome::Failed { failed: failed.to_owned() });
        let mut all = Vec::new();
        for count in &self.record.counts {
            if (count.scenario, count.stack) != (self.scenario, self.stack) {
                continue;
            }
            match &count.counted {
                Counted::Counted(counting) => all.push(&**counting),
                Counted::Unsupported(reason) => {
                    return Err(ExactOutcome::Unsupported { unsupported: reason.clone() });
                }
                Counted::Failed(reason) => return failed(reason),
            }
        }
        if all.is_empty() { failed("not counted: the run ended before; go on with it") } else { Ok(all) }
    }
}

/// Every figure of one side, per iteration.
fn of_side(countings: &[&Counting], side: Side) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut figure = |metric: String, unit, is_part: bool, value: &dyn Fn(&SideCount) -> u64| {
        let of = |counting: &&Counting| {
            vec![value(counting.sides.of(side)) as f64 / counting.iterations.max(1) as f64]
        };
        let processes: Vec<Vec<f64>> = countings.iter().map(of).collect();
        // A phase that the work does not have says nothing, nor does what the counter cannot tell.
        if !is_part || processes.iter().flatten().any(|value| *value != 0.0) {
            figures.push(Figure { metric, unit, processes });
        }
    };
    let (instructions, accesses) = (ExactUnit::Instructions, ExactUnit::Accesses);
    figure("count.instructions".to_owned(), instructions, false, &|side| side.phases.total().instructions);
    figure("count.loads".to_owned(), accesses, true, &|side| side.phases.total().loads);
    figure("count.stores".to_owned(), accesses, true, &|side| side.phases.total().stores);
    for (at, (phase, _)) in SideCount::default().phases.named().into_iter().enumerate() {
        figure(format!("count.instructions.{phase}"), instructions, true, &|side| {
            side.phases.named()[at].1.instructions
        });
    }
    let calls =
        countings.iter().map(|counting| counting.sides.of(side).handshake_calls.len()).max().unwrap_or(0);
    for call in 0..calls {
        let of = |side: &SideCount| {
            side.handshake_calls.get(call).copied().unwrap_or(Count::default()).instructions
        };
        figure(format!("count.instructions.handshake.{}", call + 1), instructions, true, &of);
    }
    figures
}
