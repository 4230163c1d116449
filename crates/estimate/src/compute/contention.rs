//! Contention of threads on each side, from all processes that recorded it.

use tlslab_contention::{Contention, Step};
use tlslab_protocol::{Measure, Side};
use tlslab_record::{RunRecord, Weighed, WeightKind};

use super::exact::{Figure, Place};
use crate::model::{ExactCell, ExactOutcome, ExactUnit};

/// The figures that represent a cell without any.
const METRICS: [(&str, ExactUnit); 2] =
    [("contention.atomics", ExactUnit::Operations), ("contention.serial", ExactUnit::Instructions)];

/// All cells, in the plan's order; empty if contention was not requested.
pub(super) fn contention(record: &RunRecord) -> Vec<ExactCell> {
    if !record.plan.has(Measure::Contention) {
        return Vec::new();
    }
    let cells = |place: Place<'_>| {
        let sides = place.record.plan.scenarios[place.scenario].work.sides();
        sides.iter().flat_map(|side| place.contention_cells(*side)).collect::<Vec<_>>()
    };
    Place::all(record).flat_map(cells).collect()
}

/// The note on all figures of contention.
pub(super) fn note() -> String {
    "Contention is counted in threads that share contexts and take turns: accesses to cache lines that at least two of them use and one \
     writes, and instructions executed while a thread holds alone a lock that others take. Waiting is excluded, and so \
     is the transfer of lines between processors."
        .to_owned()
}

impl<'r> Place<'r> {
    fn contention_cells(&self, side: Side) -> Vec<ExactCell> {
        match self.noted() {
            Ok(noted) => figures(&noted, side).into_iter().map(|figure| self.figure(side, figure)).collect(),
            Err(hole) => METRICS.map(|(metric, unit)| self.cell(side, metric, unit, hole.clone())).into(),
        }
    }

    fn noted(&self) -> Result<Vec<&'r Contention>, ExactOutcome> {
        self.weighed(WeightKind::Contention, |weighed| match weighed {
            Weighed::Contention(found) => Some(&**found),
            _ => None,
        })
    }
}

/// Every figure of one side, for one connection.
fn figures(noted: &[&Contention], side: Side) -> Vec<Figure> {
    use ExactUnit::{Accesses, Instructions, Operations};
    let of_each = |value: &dyn Fn(&Contention) -> u64| -> Vec<Vec<f64>> {
        noted.iter().map(|found| vec![value(found) as f64 / found.connections.max(1) as f64]).collect()
    };
    let figure = |metric: &str, unit, value: &dyn Fn(&Contention) -> u64| Figure {
        metric: metric.to_owned(),
        unit,
        processes: of_each(value),
    };
    let name = side.name();
    let mut figures = vec![
        figure("contention.atomics", Operations, &|found| found.side(name).library.atomics),
        figure("contention.stores", Accesses, &|found| found.side(name).library.stores),
        figure("contention.loads", Accesses, &|found| found.side(name).library.loads),
        figure("contention.hottest", Accesses, &|found| found.hottest(name)),
        figure("contention.serial", Instructions, &|found| found.side(name).serial_instructions),
        figure("contention.allocator", Operations, &|found| found.side(name).allocator.atomics),
    ];
    // Runs from before it was noted have none.
    if noted.iter().all(|found| found.instructions.contains_key(name)) {
        let instructions = |found: &Contention| found.instructions.get(name).copied().unwrap_or_default();
        figures.push(figure("contention.instructions", Instructions, &instructions));
    }
    let mut steps: Vec<&String> = noted.iter().flat_map(|found| found.steps.keys()).collect();
    steps.sort_unstable();
    steps.dedup();
    for step in steps {
        let Some((_, phase)) = step.split_once('.').filter(|(of, _)| *of == name) else { continue };
        let of_step = |found: &Contention| found.steps.get(step).copied().unwrap_or(Step::default());
        let atomics = |found: &Contention| of_step(found).library.atomics;
        let serial = |found: &Contention| of_step(found).serial_instructions;
        figures.push(figure(&format!("contention.atomics.{phase}"), Operations, &atomics));
        figures.push(figure(&format!("contention.serial.{phase}"), Instructions, &serial));
    }
    figures
}
