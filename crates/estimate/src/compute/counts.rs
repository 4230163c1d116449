//! Instructions of each side, from all counts.

use std::collections::{BTreeMap, HashMap};

use tlslab_protocol::{Count, Counting, Measure, Side, SideCount, Simulated};
use tlslab_record::{Counted, CounterKind, RunRecord, is_one_library};

use super::exact::{Figure, Place, TOTAL};
use crate::model::{Counter, ExactCell, ExactOutcome, ExactRatio, ExactUnit};

/// All cells, in the plan's order; empty if counts were not requested.
pub(super) fn counts(record: &RunRecord) -> Vec<ExactCell> {
    if !record.plan.has(Measure::Count) {
        return Vec::new();
    }
    let cells = |place: Place<'_>| {
        let sides = place.record.plan.scenarios[place.scenario].work.sides();
        sides.iter().flat_map(|side| place.count_cells(*side)).collect::<Vec<_>>()
    };
    let mut cells: Vec<ExactCell> = Place::all(record).flat_map(cells).collect();
    compare(record, &mut cells);
    super::fidelity::mark(record, &mut cells);
    cells
}

/// Why stacks are not compared.
const NO_RATIO: &str = "counted on an emulated processor, on which libraries execute other functions than on this one; \
                        such counts do not rank libraries; count with --counter native";

/// Ratios of a stack's instructions to the baseline's, if both are counts of the code that runs, or of one
/// library.
fn compare(record: &RunRecord, cells: &mut [ExactCell]) {
    let is_native = record.plan.counting.as_ref().is_some_and(|counting| counting.counter.kind.is_native());
    let baseline = &record.plan.baseline;
    let of_baseline: HashMap<(String, Side), f64> = cells
        .iter()
        .filter(|cell| cell.stack == *baseline && cell.metric == TOTAL)
        .filter_map(|cell| Some(((cell.scenario.clone(), cell.side), cell.outcome.value()?)))
        .collect();
    for cell in cells.iter_mut().filter(|cell| cell.stack != *baseline && cell.metric == TOTAL) {
        let Some(value) = cell.outcome.value() else { continue };
        if !is_native && !is_one_library([&**baseline, &*cell.stack]) {
            cell.no_ratio = Some(NO_RATIO.to_owned());
            continue;
        }
        match of_baseline.get(&(cell.scenario.clone(), cell.side)) {
            Some(base) if *base > 0.0 => {
                cell.ratio = Some(ExactRatio { baseline: baseline.clone(), value: value / base });
            }
            _ => cell.no_ratio = Some(format!("the baseline {baseline} has no count here")),
        }
    }
}

/// The counter and its processor.
pub(super) fn counter(record: &RunRecord) -> Option<Counter> {
    let counter = &record.plan.counting.as_ref()?.counter;
    let mut features = BTreeMap::new();
    for count in &record.counts {
        if let Some(counting) = counting(count) {
            features.insert(record.plan.stacks[count.stack].name.clone(), counting.features.clone());
        }
    }
    Some(Counter { name: counter.name.clone(), native: counter.kind.is_native(), features })
}

/// The notes on all counts.
pub(super) fn notes(record: &RunRecord) -> Vec<String> {
    let Some(counting) = &record.plan.counting else { return Vec::new() };
    let mut notes = vec![format!(
        "Instructions are those of each side's own calls, counted by {} over {} iterations after a few that do not count. {}",
        counting.counter.name,
        counting.iterations,
        match counting.counter.kind {
            CounterKind::Hardware => "Random numbers and clocks are not deterministic, so two counts differ.",
            CounterKind::Valgrind => "Random numbers and clocks are derived from a fixed seed.",
            CounterKind::Callgrind => BY_CALLGRIND,
            CounterKind::Frida => BY_FRIDA,
        }
    )];
    let saw = format!("The counted code saw a processor with these features: {}.", features(record));
    notes.push(if counting.counter.kind.is_native() {
        format!("{saw} It is the code that runs on this host; on a processor with other features, libraries may run other code.")
    } else {
        format!(
            "{saw} If the host has more features, libraries run other code there than was counted. Such counts compare a library only \
             with itself; they do not rank libraries, so no ratio between libraries is given."
        )
    });
    notes
}

/// How callgrind counts.
const BY_CALLGRIND: &str = "Random numbers and clocks are derived from a fixed seed, except those that a library requests from the \
                            processor itself (RDRAND, RDSEED, RDTSC). Each iteration of a repeated string instruction counts. Simulated \
                            caches and branch predictors are those of a simple processor model, not of this host.";

/// The deterministic sources under Frida.
const BY_FRIDA: &str = "In the counted thread, random numbers (getrandom, /dev/urandom, RDRAND, RDSEED) and every clock that is read \
                        through the C library or RDTSC are derived from a fixed seed; a library's direct system calls, thread \
                        identifiers, sysinfo and the contents of files are not.";

/// The processor features that the counted code saw.
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
            Err(hole) => vec![self.cell(side, TOTAL, ExactUnit::Instructions, hole)],
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
        if all.is_empty() { failed("not counted: the run ended before; resume it") } else { Ok(all) }
    }
}

/// Every figure of one side, per iteration.
fn of_side(countings: &[&Counting], side: Side) -> Vec<Figure> {
    let mut figures = Vec::new();
    let mut figure = |metric: String, unit, is_part: bool, value: &dyn Fn(&SideCount) -> u64| {
        let of = |counting: &&Counting| {
            vec![value(counting.sides.side(side)) as f64 / counting.iterations.max(1) as f64]
        };
        let processes: Vec<Vec<f64>> = countings.iter().map(of).collect();
        // A phase that the work does not have has no count, and neither has an event that the counter does
        // not count.
        if !is_part || processes.iter().flatten().any(|value| *value != 0.0) {
            figures.push(Figure { metric, unit, processes });
        }
    };
    let (instructions, accesses) = (ExactUnit::Instructions, ExactUnit::Accesses);
    figure(TOTAL.to_owned(), instructions, false, &|side| side.phases.total().instructions);
    figure("count.loads".to_owned(), accesses, true, &|side| side.phases.total().loads);
    figure("count.stores".to_owned(), accesses, true, &|side| side.phases.total().stores);
    type Missed = fn(Simulated) -> u64;
    let missed: [(&str, Missed); 4] = [
        ("instruction_cache", |simulated| simulated.instruction_cache),
        ("data_cache", |simulated| simulated.data_cache),
        ("last_level_cache", |simulated| simulated.last_level_cache),
        ("branches", |simulated| simulated.branches),
    ];
    for (what, of) in missed {
        figure(format!("count.misses.{what}"), ExactUnit::Misses, true, &|side| {
            side.phases.total().simulated.map_or(0, of)
        });
    }
    for (at, (phase, _)) in SideCount::default().phases.named().into_iter().enumerate() {
        figure(format!("count.instructions.{phase}"), instructions, true, &|side| {
            side.phases.named()[at].1.instructions
        });
    }
    let calls =
        countings.iter().map(|counting| counting.sides.side(side).handshake_calls.len()).max().unwrap_or(0);
    for call in 0..calls {
        let of = |side: &SideCount| {
            side.handshake_calls.get(call).copied().unwrap_or(Count::default()).instructions
        };
        figure(format!("count.instructions.handshake.{}", call + 1), instructions, true, &of);
    }
    figures
}
