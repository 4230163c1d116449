//! The tables of memory and of instructions as words: per scenario, one row per stack. Every renderer of text shares them.

use tlslab_protocol::Side;

use super::table::Hole;
use super::words::clean;
use crate::digits::{significant, whole};
use crate::model::{ExactCell, ExactUnit, ExactValue, Family, Report};

/// What a table is about.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Subject {
    /// Memory.
    Memory,
    /// Instructions.
    Instructions,
}

/// A table of one kind of work.
pub(super) struct ExactTable {
    pub subject: Subject,
    /// What is in it.
    pub title: &'static str,
    /// The columns of figures.
    pub columns: Vec<String>,
    /// The scenarios with their rows.
    pub scenarios: Vec<(String, Vec<ExactRow>)>,
    /// Why figures are missing, in full, each reason once.
    pub reasons: Vec<String>,
}

/// One stack in one scenario.
pub(super) struct ExactRow {
    /// Its name.
    pub stack: String,
    /// A figure for each column, or why there is none at all.
    pub content: Result<Vec<String>, Hole>,
}

/// A column's metric, and what stands above it after the side.
type Column = (&'static str, &'static str);

const OF_CONNECTIONS: [Column; 4] =
    [("heap.peak", "peak"), ("heap.allocations", "allocations"), ("heap.held", "held"), ("stack", "stack")];
const OF_COUNTS: [Column; 3] =
    [("count.instructions", "instructions"), ("count.loads", "loads"), ("count.stores", "stores")];
const OF_IDLE: [Column; 4] = [
    ("idle.heap", "heap"),
    ("idle.room", "heap, occupied"),
    ("idle.resident", "system"),
    ("idle.resident_over_room", "system / occupied"),
];

impl ExactTable {
    /// The tables of a report; none where nothing was weighed or counted.
    pub fn all(report: &Report) -> Vec<ExactTable> {
        let tables = [
            (Subject::Memory, "Memory: bytes and blocks of one connection", false, &OF_CONNECTIONS[..]),
            (Subject::Memory, "Memory: bytes of one more idle connection", true, &OF_IDLE),
            (Subject::Instructions, "Instructions of one connection, write or operation", false, &OF_COUNTS),
        ];
        let tables =
            tables.map(|(subject, title, idle, columns)| Self::of(report, subject, title, idle, columns));
        tables.into_iter().filter(|table| !table.scenarios.is_empty()).collect()
    }

    fn of(report: &Report, subject: Subject, title: &'static str, idle: bool, columns: &[Column]) -> Self {
        let titles = columns.iter().flat_map(|(_, title)| Side::BOTH.map(|side| format!("{side} {title}")));
        let mut table =
            Self { subject, title, columns: titles.collect(), scenarios: vec![], reasons: vec![] };
        for scenario in &report.scenarios {
            let is_here = |cell: &ExactCell| {
                cell.scenario == scenario.name() && columns.iter().any(|(metric, _)| *metric == cell.metric)
            };
            if (scenario.family == Family::Idle) != idle || !report.exact.iter().any(is_here) {
                continue;
            }
            let rows =
                report.stacks.iter().map(|stack| table.row(report, scenario.name(), &stack.name, columns));
            let rows = rows.collect();
            table.scenarios.push((clean(scenario.name()), rows));
        }
        table
    }

    fn row(&mut self, report: &Report, scenario: &str, stack: &str, columns: &[Column]) -> ExactRow {
        let cell = |metric: &str, side: Side| {
            let is_it = |cell: &&ExactCell| {
                cell.scenario == scenario && cell.stack == stack && cell.side == side && cell.metric == metric
            };
            report.exact.iter().find(is_it)
        };
        let mut figures = Vec::new();
        let mut first_hole = None;
        for (metric, _) in columns {
            for side in Side::BOTH {
                let found = cell(metric, side);
                if let Some((kind, reason)) = found.and_then(|cell| cell.outcome.hole()) {
                    let line = format!("{kind}, {}: {}", clean(stack), clean(reason));
                    if !self.reasons.contains(&line) {
                        self.reasons.push(line);
                    }
                    first_hole.get_or_insert(Hole { kind, reason: clean(reason) });
                }
                figures.push(found.and_then(figure));
            }
        }
        let content = match first_hole {
            Some(hole) if figures.iter().all(Option::is_none) => Err(hole),
            _ => Ok(figures.into_iter().map(|figure| figure.unwrap_or_else(|| "–".to_owned())).collect()),
        };
        ExactRow { stack: clean(stack), content }
    }
}

/// A cell's value, with what else it was seen to be.
pub(super) fn figure(cell: &ExactCell) -> Option<String> {
    let crate::model::ExactOutcome::Measured(value) = &cell.outcome else { return None };
    let ExactValue { value, minimum, maximum, .. } = *value;
    let written = |value: f64| match cell.unit {
        ExactUnit::Percent => format!("{} %", significant(value, 4)),
        // A mean over iterations.
        ExactUnit::Instructions | ExactUnit::Accesses if value.fract() != 0.0 => {
            format!("{}{}", whole(value as usize), &format!("{:.2}", value.fract())[1..])
        }
        _ if value < 0.0 => format!("-{}", whole((-value).round() as usize)),
        _ => whole(value.round() as usize),
    };
    let (value, smallest, largest) = (written(value), written(minimum), written(maximum));
    Some(if smallest == largest { value } else { format!("{value} ({smallest} to {largest})") })
}
