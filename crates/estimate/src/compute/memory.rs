//! Memory of each side, from all measurements of it.

use tlslab_protocol::{Measure, PhaseWeight, Side, SideWeight, Weighing, Work};
use tlslab_record::{Resident, RunRecord, Weighed, WeightKind};
use tlslab_stats::slope;

use super::exact::{Figure, Place};
use crate::model::{ExactCell, ExactOutcome, ExactUnit};

/// All cells, in the plan's order; empty if memory was not requested.
pub(super) fn memory(record: &RunRecord) -> Vec<ExactCell> {
    if !record.plan.has(Measure::Heap) {
        return Vec::new();
    }
    let cells = |place: Place<'_>| {
        Side::BOTH.into_iter().flat_map(|side| place.memory_cells(side)).collect::<Vec<_>>()
    };
    Place::all(record).flat_map(cells).collect()
}

/// The notes on all figures of memory.
pub(super) fn notes() -> [String; 2] {
    [
        "Memory is counted at the allocator: bytes as the library asked for them, each side's by its own calls. A value \
         that differed between processes is shown with its smallest and largest."
            .to_owned(),
        "Memory is measured in separate, untimed processes with a seeded RNG and a deterministic clock."
            .to_owned(),
    ]
}

/// Cells in which two processes saw different bytes on the wire.
pub(super) fn warnings(record: &RunRecord) -> Vec<String> {
    let mut warnings = Vec::new();
    for (scenario, resolved) in record.plan.scenarios.iter().enumerate() {
        for (stack, taking_part) in record.plan.stacks.iter().enumerate() {
            let weighings = Place { record, scenario, stack }.heaps().unwrap_or_default();
            if weighings.windows(2).any(|pair| pair[0].wire != pair[1].wire) {
                warnings.push(format!(
                    "{}: two processes saw different bytes on the wire in {}; it has random numbers that cannot be made deterministic, \
                     so its figures may differ from run to run.",
                    taking_part.name, resolved.name
                ));
            }
        }
    }
    warnings
}

type Hole = ExactOutcome;

impl<'r> Place<'r> {
    fn memory_cells(&self, side: Side) -> Vec<ExactCell> {
        let figures = match self.record.plan.scenarios[self.scenario].work {
            Work::Idle { .. } => return self.idle(side),
            _ => self.heaps().map(|weighings| of_iterations(&weighings, side)),
        };
        match figures {
            Ok(figures) => figures.into_iter().map(|figure| self.figure(side, figure)).collect(),
            Err(hole) => ["heap.peak", "heap.held", "stack"]
                .map(|metric| self.cell(side, metric, ExactUnit::Bytes, hole.clone()))
                .into(),
        }
    }

    fn idle(&self, side: Side) -> Vec<ExactCell> {
        let slopes = |values: &[Vec<(f64, f64)>]| -> Result<Vec<Vec<f64>>, Hole> {
            let each = values.iter().map(|points| slope(points).map(|slope| vec![slope]));
            each.collect::<Result<_, _>>()
                .map_err(|refused| ExactOutcome::Failed { failed: refused.to_string() })
        };
        let heap = |bytes: fn(&tlslab_protocol::Holding) -> i64| {
            let points = |weighing: &&Weighing| -> Vec<(f64, f64)> {
                let point = |held: &tlslab_protocol::HeldOpen| {
                    (f64::from(held.connections), bytes(&held.side(side)) as f64)
                };
                weighing.held.iter().map(point).collect()
            };
            slopes(&self.heaps()?.iter().map(points).collect::<Vec<_>>())
        };
        let resident = || {
            let points = |residents: &&[Resident]| -> Vec<(f64, f64)> {
                residents.iter().map(|at| (f64::from(at.connections), at.side(side) as f64)).collect()
            };
            slopes(&self.residents()?.iter().map(points).collect::<Vec<_>>())
        };
        let (room, resident) = (heap(|held| held.room_bytes), resident());
        let over = match (&room, &resident) {
            (Ok(room), Ok(resident)) => Ok(resident
                .iter()
                .zip(room.iter().cycle())
                .map(|(resident, room)| vec![100.0 * resident[0] / room[0]])
                .collect()),
            (Err(hole), _) | (_, Err(hole)) => Err(hole.clone()),
        };
        let cell = |metric: &str, unit, processes: Result<Vec<Vec<f64>>, Hole>| match processes {
            Ok(processes) => self.figure(side, Figure { metric: metric.to_owned(), unit, processes }),
            Err(hole) => self.cell(side, metric, unit, hole),
        };
        vec![
            cell("idle.heap", ExactUnit::Bytes, heap(|held| held.bytes)),
            cell("idle.room", ExactUnit::Bytes, room),
            cell("idle.resident", ExactUnit::Bytes, resident),
            cell("idle.resident_over_room", ExactUnit::Percent, over),
        ]
    }

    /// The replies of all processes that counted allocations.
    fn heaps(&self) -> Result<Vec<&'r Weighing>, Hole> {
        self.weighed(WeightKind::Heap, |weighed| match weighed {
            Weighed::Heap(weighing) => Some(&**weighing),
            _ => None,
        })
    }

    /// The resident set, each time.
    fn residents(&self) -> Result<Vec<&'r [Resident]>, Hole> {
        self.weighed(WeightKind::Resident, |weighed| match weighed {
            Weighed::Resident(residents) => Some(&residents[..]),
            _ => None,
        })
    }

    /// The values of one kind in each process.
    pub(super) fn weighed<T>(
        &self,
        kind: WeightKind,
        found: impl Fn(&'r Weighed) -> Option<T>,
    ) -> Result<Vec<T>, Hole> {
        let failed = |failed: String| ExactOutcome::Failed { failed };
        self.proven("weighed")?;
        let mut all = Vec::new();
        for weight in &self.record.weights {
            if (weight.scenario, weight.stack, weight.kind) != (self.scenario, self.stack, kind) {
                continue;
            }
            match &weight.weighed {
                Weighed::Unsupported(reason) => {
                    return Err(ExactOutcome::Unsupported { unsupported: reason.clone() });
                }
                Weighed::Failed(reason) => return Err(failed(reason.clone())),
                weighed => all.extend(found(weighed)),
            }
        }
        if all.is_empty() {
            return Err(failed("not weighed: the run ended before; resume it".to_owned()));
        }
        Ok(all)
    }
}

/// Every figure of one side.
fn of_iterations(weighings: &[&Weighing], side: Side) -> Vec<Figure> {
    use ExactUnit::{Blocks, Bytes};
    let mut figures = Vec::new();
    let mut figure = |metric: &str, unit, value: &dyn Fn(&SideWeight) -> f64| {
        let of_process = |weighing: &&Weighing| -> Vec<f64> {
            weighing.iterations.iter().map(|iteration| value(iteration.side(side))).collect()
        };
        let processes: Vec<Vec<f64>> = weighings.iter().map(of_process).collect();
        let is_absent = processes.iter().flatten().all(|value| *value == 0.0);
        // A phase that the work does not have has no meaning.
        if !(is_absent && metric.matches('.').count() > usize::from(metric.starts_with("heap"))) {
            figures.push(Figure { metric: metric.to_owned(), unit, processes });
        }
    };
    figure("heap.peak", Bytes, &|side| side.peak_bytes as f64);
    figure("heap.peak_blocks", Blocks, &|side| side.peak_blocks as f64);
    figure("heap.allocations", Blocks, &|side| side.phases.total().allocated_blocks as f64);
    figure("heap.allocated", Bytes, &|side| side.phases.total().allocated_bytes as f64);
    figure("heap.held", Bytes, &|side| side.held.bytes as f64);
    figure("heap.held_blocks", Blocks, &|side| side.held.blocks as f64);
    figure("heap.held_room", Bytes, &|side| side.held.room_bytes as f64);
    figure("heap.left", Bytes, &|side| side.left.bytes as f64);
    figure("stack", Bytes, &|side| side.stack_bytes as f64);
    for (at, (phase, _)) in SideWeight::default().phases.named().into_iter().enumerate() {
        let of = |side: &SideWeight| -> PhaseWeight { side.phases.named()[at].1 };
        figure(&format!("heap.peak.{phase}"), Bytes, &|side| of(side).peak_bytes as f64);
        figure(&format!("heap.allocations.{phase}"), Blocks, &|side| of(side).allocated_blocks as f64);
        figure(&format!("heap.allocated.{phase}"), Bytes, &|side| of(side).allocated_bytes as f64);
        figure(&format!("stack.{phase}"), Bytes, &|side| of(side).stack_bytes as f64);
    }
    for (metric, bytes) in [
        (
            "heap.context",
            (|weighing, side| weighing.contexts.side(side).further.bytes) as fn(&Weighing, Side) -> i64,
        ),
        ("heap.context_first", |weighing, side| weighing.contexts.side(side).first.bytes),
    ] {
        let processes = weighings.iter().map(|weighing| vec![bytes(weighing, side) as f64]).collect();
        figures.push(Figure { metric: metric.to_owned(), unit: Bytes, processes });
    }
    figures
}
