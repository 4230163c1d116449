//! The tables of memory, instructions and arrivals as text: per scenario, one row per stack. All text
//! renderers share them.

use tlslab_estimate::{ExactCell, Family, Report};
use tlslab_protocol::Side;
use tlslab_record::is_one_library;
use tlslab_text::clean;

use super::exact_figure::{MARK, cell, figure};
use super::table::{ExactRow, ExactTable, Hole, Subject};

/// A column's metric, and its title after the side.
type Column = (&'static str, &'static str);

const OF_CONNECTIONS: [Column; 4] =
    [("heap.peak", "peak"), ("heap.allocations", "allocations"), ("heap.held", "held"), ("stack", "stack")];
const OF_COUNTS: [Column; 7] = [
    ("count.instructions", "instructions"),
    ("count.loads", "loads"),
    ("count.stores", "stores"),
    ("count.misses.instruction_cache", "L1i misses"),
    ("count.misses.data_cache", "L1d misses"),
    ("count.misses.last_level_cache", "last-level misses"),
    ("count.misses.branches", "branch misses"),
];
const OF_CONTENTION: [Column; 4] = [
    ("contention.atomics", "atomics"),
    ("contention.stores", "other writes"),
    ("contention.hottest", "hottest line"),
    ("contention.serial", "serial instructions"),
];
const OF_IDLE: [Column; 4] = [
    ("idle.heap", "heap requested"),
    ("idle.room", "heap reserved"),
    ("idle.resident", "resident"),
    ("idle.resident_over_room", "resident / reserved"),
];

impl ExactTable {
    /// The tables of a report; empty if nothing was weighed or counted.
    pub fn all(report: &Report) -> Vec<ExactTable> {
        let tables = [
            (Subject::Memory, "Memory: bytes and blocks of one connection", false, &OF_CONNECTIONS[..]),
            (Subject::Memory, "Memory: bytes of one more idle connection", true, &OF_IDLE),
            (Subject::Instructions, "Instructions of one connection, write or operation", false, &OF_COUNTS),
            (
                Subject::Contention,
                "Contention of one connection on shared lines and locks",
                false,
                &OF_CONTENTION,
            ),
        ];
        let tables =
            tables.map(|(subject, title, idle, columns)| Self::of(report, subject, title, idle, columns));
        let apart =
            [super::size::table(report), super::open_loop::table(report), super::processors::table(report)];
        apart
            .into_iter()
            .chain(super::defaults::tables(report))
            .chain(tables)
            .chain(super::wire::tables(report))
            .chain(super::kernel::tables(report))
            .filter(|table| !table.groups.is_empty())
            .collect()
    }

    fn of(report: &Report, subject: Subject, title: &'static str, idle: bool, columns: &[Column]) -> Self {
        // A counter that reports no accesses has no columns of them.
        let has = |metric: &str| report.exact.iter().any(|cell| cell.metric == metric);
        let kept: Vec<Column> =
            columns.iter().copied().filter(|(metric, _)| subject == Subject::Memory || has(metric)).collect();
        let columns = &kept[..];
        let titles = columns.iter().flat_map(|(_, title)| Side::BOTH.map(|side| format!("{side} {title}")));
        let apart = subject == Subject::Instructions
            && !is_one_library(report.stacks.iter().map(|stack| &*stack.name))
            && report.run.counter.as_ref().is_some_and(|counter| !counter.native);
        let mut table = Self {
            subject,
            title,
            columns: titles.collect(),
            rows_are: if apart { "scenario" } else { "stack" },
            groups: vec![],
            reasons: vec![],
        };
        let is_here = |scenario: &str| {
            let is_it = |cell: &ExactCell| {
                cell.scenario == scenario && columns.iter().any(|(metric, _)| *metric == cell.metric)
            };
            report.exact.iter().any(is_it)
        };
        let scenarios = report.scenarios.iter().filter(|scenario| (scenario.family == Family::Idle) == idle);
        let scenarios: Vec<&str> =
            scenarios.map(|scenario| scenario.name()).filter(|scenario| is_here(scenario)).collect();
        let stacks: Vec<&str> = report.participants().map(|stack| &*stack.name).collect();
        if scenarios.is_empty() {
            return table;
        }
        if apart {
            for stack in stacks {
                let row = |scenario: &&str| table.row(report, scenario, stack, scenario, columns);
                let rows = scenarios.iter().map(row).collect();
                table.groups.push((clean(stack), rows));
            }
        } else {
            for scenario in scenarios {
                let rows = stacks.iter().map(|stack| table.row(report, scenario, stack, stack, columns));
                let rows = rows.collect();
                table.groups.push((clean(scenario), rows));
            }
        }
        table
    }

    fn row(
        &mut self,
        report: &Report,
        scenario: &str,
        stack: &str,
        name: &str,
        columns: &[Column],
    ) -> ExactRow {
        let mut figures = Vec::new();
        let mut first_hole = None;
        for (metric, _) in columns {
            for side in Side::BOTH {
                let found = cell(report, scenario, stack, side, metric);
                if let Some(hole) = found.and_then(|cell| cell.outcome.hole()) {
                    let hole = self.hole(stack, hole);
                    first_hole.get_or_insert(hole);
                }
                if let Some(cell) = found {
                    self.explain(cell);
                }
                figures.push(found.and_then(figure));
            }
        }
        let content = match first_hole {
            Some(hole) if figures.iter().all(Option::is_none) => Err(hole),
            _ => Ok(figures.into_iter().map(|figure| figure.unwrap_or_else(|| "–".to_owned())).collect()),
        };
        ExactRow { name: clean(name), content }
    }

    /// A stack's hole, whose reason is noted once.
    pub(super) fn hole(&mut self, stack: &str, (kind, reason): (&'static str, &str)) -> Hole {
        let line = format!("{kind}, {}: {}", clean(stack), clean(reason));
        if !self.reasons.contains(&line) {
            self.reasons.push(line);
        }
        Hole { kind, reason: clean(reason) }
    }

    /// Adds the note on a figure, once.
    fn explain(&mut self, cell: &ExactCell) {
        let marked = cell.fidelity.as_ref().map(|mark| match mark.known {
            true => format!(
                "{MARK} {} in {}, {}: {}",
                clean(&cell.stack),
                clean(&cell.scenario),
                cell.side,
                clean(&mark.what)
            ),
            // One line for each stack: it is the same everywhere.
            false => format!("{MARK} {0}: {UNKNOWN} `tlslab fidelity {0}`", clean(&cell.stack)),
        });
        let refused = cell.no_ratio.as_ref().map(|why| format!("no ratio: {}", clean(why)));
        for line in marked.into_iter().chain(refused) {
            if !self.reasons.contains(&line) {
                self.reasons.push(line);
            }
        }
    }
}

/// The note on counts whose fidelity is unknown.
const UNKNOWN: &str =
    "unless stated otherwise, it is unknown whether the counted code runs natively; find out with";
