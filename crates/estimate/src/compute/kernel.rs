//! What each side asks of the kernel, from all processes that were asked.

use std::collections::BTreeSet;

use tlslab_protocol::{Measure, Side};
use tlslab_record::{KernelFigures, PerConnection, RunRecord, Weighed, WeightKind};

use super::exact::{Figure, Place};
use crate::model::{ExactCell, ExactOutcome, ExactUnit};

/// All cells, in the plan's order; none where this was not asked for.
pub(super) fn kernel(record: &RunRecord) -> Vec<ExactCell> {
    if !record.plan.has(Measure::Kernel) {
        return Vec::new();
    }
    let cells = |place: Place<'_>| {
        let sides = place.record.plan.scenarios[place.scenario].work.sides();
        sides.iter().flat_map(|side| place.kernel_cells(*side)).collect::<Vec<_>>()
    };
    Place::all(record).flat_map(cells).collect()
}

/// What holds wherever it is shown.
pub(super) fn note() -> String {
    "System calls and page faults are those of the library's own calls, counted in processes that are not timed, after 64 connections. \
     The heap is in the same state as in timed processes. A figure that varies is shown with its lowest and highest value."
        .to_owned()
}

impl<'r> Place<'r> {
    fn kernel_cells(&self, side: Side) -> Vec<ExactCell> {
        match self.kernel_figures() {
            Ok(all) => {
                let connections: Vec<_> = all.iter().map(|figures| &figures.connections).collect();
                let contexts: Vec<_> = all.iter().map(|figures| &figures.contexts).collect();
                // The totals of a context are those of its only phase.
                let figures = figures(&connections, side, |_| true)
                    .chain(figures(&contexts, side, |name| name.ends_with(".context")));
                figures.map(|figure| self.figure(side, figure)).collect()
            }
            Err(hole) => vec![self.cell(side, "kernel.calls", ExactUnit::Calls, hole)],
        }
    }

    fn kernel_figures(&self) -> Result<Vec<&'r KernelFigures>, ExactOutcome> {
        self.weighed(WeightKind::Kernel, |weighed| match weighed {
            Weighed::Kernel(figures) => Some(&**figures),
            _ => None,
        })
    }
}

/// The figures of one side that are wanted. One that a process lacks is 0 there.
fn figures<'a>(
    all: &'a [&'a PerConnection],
    side: Side,
    is_wanted: fn(&str) -> bool,
) -> impl Iterator<Item = Figure> + 'a {
    let names: BTreeSet<&String> = all.iter().flat_map(|figures| figures.side(side).keys()).collect();
    let values = move |figures: &&PerConnection, name: &str| -> Vec<f64> {
        match figures.side(side).get(name) {
            Some(values) => values.values().map(|value| value as f64).collect(),
            None => vec![0.0; figures.connections as usize],
        }
    };
    names.into_iter().filter(move |name| is_wanted(name)).map(move |name| Figure {
        metric: format!("kernel.{name}"),
        unit: unit(name),
        processes: all.iter().map(|figures| values(figures, name)).collect(),
    })
}

/// The unit that a figure's name implies.
fn unit(name: &str) -> ExactUnit {
    match name.split('.').next() {
        Some("faults" | "major_faults") => ExactUnit::Faults,
        Some("grown" | "returned") => ExactUnit::Bytes,
        _ => ExactUnit::Calls,
    }
}
