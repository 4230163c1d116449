//! From records to verdicts.

mod cells;
mod comparison_header;
mod counts;
mod defaults;
mod distributions;
mod exact;
mod groups;
mod kernel;
mod observed;
mod processes;
mod recorded_runs;
mod sizes;
mod times;
mod wire;

use std::collections::{HashMap, HashSet};

use tlslab_protocol::{Measure, Side};
use tlslab_record::{ComparisonPlan, RunRecord, StackPair};

use crate::allotment;
use crate::compared::Compared;
use crate::model::{Change, Comparison};
use crate::spread::Spread;
use cells::{cells, holes};
use observed::Observed;

pub use recorded_runs::judge_runs;

/// A stack in a scenario, as indices into the plan's: (scenario, stack).
type CellIndex = (usize, usize);

/// Computes everything from a run's samples and counts. `None` if its plan has no comparison.
pub fn judge(record: &RunRecord) -> Option<Comparison> {
    let plan = record.plan.comparison.as_ref()?;
    let mut changes = Vec::new();
    let observed = Observed::of(record);
    let times = times::judged(record, plan, &observed);
    for (which, scenario, side) in cells(&record.plan, plan) {
        let pair = &plan.pairs[which];
        let mut add = |metric, outcome| {
            let scenario = record.plan.scenarios[scenario].name.clone();
            changes.push(Change { pair: which, scenario, side: Some(side), metric, outcome });
        };
        let missing = holes(record, scenario, pair);
        if record.plan.has(Measure::Time) && record.plan.timed().any(|timed| timed == scenario) {
            let outcome = || times.outcome(which, scenario, side);
            add(Compared::Time, missing.clone().unwrap_or_else(outcome));
        }
        if record.plan.has(Measure::Count) {
            let outcome = || counts::outcome(record, plan, scenario, side, pair);
            add(Compared::Instructions, missing.clone().unwrap_or_else(outcome));
        }
        let of_processes =
            [(Measure::Heap, &processes::HEAP[..]), (Measure::Contention, &processes::CONTENTION)];
        for (_, metrics) in of_processes.iter().filter(|(measure, _)| record.plan.has(*measure)) {
            for &metric in *metrics {
                let outcome = || processes::outcome(record, plan, scenario, side, pair, metric);
                add(metric, missing.clone().unwrap_or_else(outcome));
            }
        }
        let place = |stack| distributions::Place { record, scenario, stack };
        let (one, other) = (place(pair.baseline), place(pair.candidate));
        for (measure, figures) in [(Measure::Wire, wire::FIGURES), (Measure::Kernel, kernel::FIGURES)] {
            if record.plan.has(measure) {
                for (metric, outcome) in figures.outcomes(one, other, side, pair.identical) {
                    add(metric, missing.clone().unwrap_or(outcome));
                }
            }
        }
    }
    if record.plan.has(Measure::Size) {
        for (which, pair) in plan.pairs.iter().enumerate() {
            let both = ((&record.plan, pair.baseline), (&record.plan, pair.candidate));
            changes.extend(sizes::changes(which, both, plan, pair.identical));
        }
    }
    Some(comparison_header::comparison(record, plan, changes))
}

/// The cells that are still undecided after the rounds that were measured, each with both its stacks.
pub fn open(record: &RunRecord) -> HashSet<CellIndex> {
    let Some(plan) = &record.plan.comparison else { return HashSet::new() };
    let observed = Observed::of(record);
    let times = times::judged(record, plan, &observed);
    cells_to_measure(record, plan, |which, scenario, side| times.is_open(which, scenario, side))
}

/// How long each scenario's visits are to be after the first look, s: as long as planned, or less where
/// processes differ more than slices.
pub fn visit_lengths(record: &RunRecord) -> HashMap<usize, f64> {
    let Some(plan) = &record.plan.comparison else { return HashMap::new() };
    let Some(first) = plan.looks.first().copied() else { return HashMap::new() };
    let observed = Observed::of(record);
    let mut spreads: HashMap<usize, Vec<Spread>> = HashMap::new();
    for (pair, scenario, side) in cells(&record.plan, plan) {
        let StackPair { baseline, candidate, .. } = plan.pairs[pair];
        let rounds = observed.log_ratios(scenario, baseline, candidate, side);
        let slices = observed.slice_log_ratios(scenario, baseline, candidate, side);
        let spread = Spread::of(&before(first, rounds), &before(first, slices));
        spreads.entry(scenario).or_default().extend(spread);
    }
    allotment::lengths(record, &spreads, plan.visit_s, first)
}

fn before<T>(first: u32, of_rounds: Vec<(u32, T)>) -> Vec<T> {
    of_rounds.into_iter().filter(|(round, _)| *round < first).map(|(_, value)| value).collect()
}

/// Cells that were flagged and have to be measured again.
#[derive(Clone, Debug, Default)]
pub struct Flagged {
    /// By their times.
    pub timed: HashSet<CellIndex>,
    /// By their counts.
    pub counted: HashSet<CellIndex>,
    /// By their memory or contention.
    pub weighed: HashSet<CellIndex>,
}

/// The cells that were flagged and have to be measured again.
pub fn to_confirm(record: &RunRecord) -> Flagged {
    let Some(plan) = &record.plan.comparison else { return Flagged::default() };
    let observed = Observed::of(record);
    let times = times::judged(record, plan, &observed);
    let timed =
        cells_to_measure(record, plan, |which, scenario, side| times.is_flagged(which, scenario, side));
    let counted = cells_to_measure(record, plan, |which, scenario, side| {
        counts::is_flagged(record, plan, scenario, side, &plan.pairs[which])
    });
    let weighed = cells_to_measure(record, plan, |which, scenario, side| {
        processes::is_flagged(record, plan, scenario, side, &plan.pairs[which])
    });
    Flagged { timed, counted, weighed }
}

/// The cells of counts for which the further seeds at this place are to be drawn: they changed alike in both
/// measurements, and all seeds so far scatter too much to be sure.
pub fn to_draw(record: &RunRecord, place: usize) -> HashSet<CellIndex> {
    let Some(plan) = &record.plan.comparison else { return HashSet::new() };
    cells_to_measure(record, plan, |which, scenario, side| {
        counts::next_seeds(record, plan, scenario, side, &plan.pairs[which]) == Some(place)
    })
}

fn cells_to_measure(
    record: &RunRecord,
    plan: &ComparisonPlan,
    wanted: impl Fn(usize, usize, Side) -> bool,
) -> HashSet<CellIndex> {
    let mut wanted_cells = HashSet::new();
    for (pair, scenario, side) in cells(&record.plan, plan) {
        let StackPair { baseline, candidate, .. } = plan.pairs[pair];
        if holes(record, scenario, &plan.pairs[pair]).is_none() && wanted(pair, scenario, side) {
            wanted_cells.extend([(scenario, baseline), (scenario, candidate)]);
        }
    }
    wanted_cells
}
