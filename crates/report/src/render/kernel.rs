//! The tables of what each side asks of the kernel: its totals, and system calls by name and phase.

use std::collections::BTreeSet;

use tlslab_estimate::{ExactCell, Report};
use tlslab_protocol::Side;
use tlslab_text::clean;

use super::exact_figure::{cell, figure};
use super::table::{ExactRow, ExactTable, Subject};

/// The metrics of a connection, and their titles after the side.
const TOTALS: [(&str, &str); 5] = [
    ("kernel.calls", "calls"),
    ("kernel.faults", "faults"),
    ("kernel.major_faults", "major faults"),
    ("kernel.grown", "bytes asked for"),
    ("kernel.returned", "bytes given back"),
];

/// Figures by phase, in the order of their rows, with their words.
const PARTS: [(&str, &str); 5] = [
    ("kernel.call.", ""),
    ("kernel.faults.", "page faults"),
    ("kernel.major_faults.", "major page faults"),
    ("kernel.grown.", "bytes asked for"),
    ("kernel.returned.", "bytes given back"),
];

/// Both tables; they have no groups if nothing was asked for.
pub(super) fn tables(report: &Report) -> [ExactTable; 2] {
    [totals(report), by_phase(report)]
}

fn empty(title: &'static str, columns: Vec<String>, rows_are: &'static str) -> ExactTable {
    ExactTable { subject: Subject::Kernel, title, columns, rows_are, groups: Vec::new(), reasons: Vec::new() }
}

/// The scenarios with figures or holes.
fn scenarios(report: &Report) -> Vec<&str> {
    let has = |scenario: &&str| {
        report.exact.iter().any(|cell| cell.scenario == *scenario && cell.metric == "kernel.calls")
    };
    report.scenarios.iter().map(|scenario| scenario.name()).filter(has).collect()
}

fn totals(report: &Report) -> ExactTable {
    const TITLE: &str = "Kernel: system calls, page faults and memory of one connection, write or operation";
    // Faults that read from a disk are rare; a side that does nothing has no columns.
    let is_shown = |side: Side, metric: &str| {
        let mut cells = report.exact.iter().filter(|cell| cell.side == side && cell.metric == metric);
        let is_rare = metric == "kernel.major_faults";
        cells.any(|cell| cell.outcome.measured().is_none_or(|value| !is_rare || value.maximum > 0.0))
    };
    let columns: Vec<(Side, &str, &str)> = Side::BOTH
        .into_iter()
        .flat_map(|side| TOTALS.map(|(metric, title)| (side, metric, title)))
        .filter(|(side, metric, _)| is_shown(*side, metric))
        .collect();
    let titles = columns.iter().map(|(side, _, title)| format!("{side} {title}")).collect();
    let mut table = empty(TITLE, titles, "stack");
    for scenario in scenarios(report) {
        let mut rows = Vec::new();
        for stack in report.participants() {
            let found =
                columns.iter().map(|(side, metric, _)| cell(report, scenario, &stack.name, *side, metric));
            let found: Vec<Option<&ExactCell>> = found.collect();
            let hole = found.iter().flatten().find_map(|cell| cell.outcome.hole());
            let content = match hole {
                Some(hole) => Err(table.hole(&stack.name, hole)),
                None => Ok(found.into_iter().map(|cell| text(cell, "–")).collect()),
            };
            rows.push(ExactRow { name: clean(&stack.name), content });
        }
        table.groups.push((clean(scenario), rows));
    }
    table
}

fn text(cell: Option<&ExactCell>, missing: &str) -> String {
    cell.and_then(figure).unwrap_or_else(|| missing.to_owned())
}

/// A row for each system call of each phase that any stack makes, and a column for each stack.
fn by_phase(report: &Report) -> ExactTable {
    let stacks: Vec<&str> = report.participants().map(|stack| &*stack.name).collect();
    let titles = stacks.iter().map(|stack| clean(stack)).collect();
    let mut table = empty("System calls and page faults by phase", titles, "side, phase, call");
    for scenario in scenarios(report) {
        let mut rows = Vec::new();
        for side in Side::BOTH {
            for (phase, words, metric) in parts(report, scenario, side) {
                let of = |stack: &&str| match cell(report, scenario, stack, side, "kernel.calls") {
                    Some(calls) if calls.outcome.measured().is_some() => {
                        text(cell(report, scenario, stack, side, metric), "0")
                    }
                    _ => "–".to_owned(),
                };
                let name = clean(&format!("{side} {} {words}", phase.replace('_', "-")));
                rows.push(ExactRow { name, content: Ok(stacks.iter().map(of).collect()) });
            }
        }
        if !rows.is_empty() {
            table.groups.push((clean(scenario), rows));
        }
    }
    table
}

/// The phase, the words and the metric of each row of one side, in the order of rows.
fn parts<'r>(report: &'r Report, scenario: &str, side: Side) -> Vec<(&'r str, &'r str, &'r str)> {
    let here = report.exact.iter().filter(|cell| cell.scenario == scenario && cell.side == side);
    let parts: BTreeSet<(usize, usize, &str, &str, &str)> = here.filter_map(part).collect();
    parts.into_iter().map(|(.., phase, words, metric)| (phase, words, metric)).collect()
}

/// A row's place by phase, its place within the phase, its phase, words and metric.
fn part(cell: &ExactCell) -> Option<(usize, usize, &str, &str, &str)> {
    let metric = cell.metric.as_str();
    let (order, rest, words) = PARTS
        .iter()
        .enumerate()
        .find_map(|(order, (start, words))| metric.strip_prefix(start).map(|rest| (order, rest, *words)))?;
    let (words, phase) = if order == 0 { rest.split_once('.')? } else { (words, rest) };
    Some((place(phase), order, phase, words, metric))
}

/// Where a phase stands among those of a connection; after all of them if it is a new one.
fn place(phase: &str) -> usize {
    let phases = tlslab_protocol::PhaseTimes::default().named();
    phases.iter().position(|(name, _)| *name == phase).unwrap_or(phases.len())
}

/// The answer: what each stack asks of the kernel, the least first.
pub fn answer(report: &Report) -> Option<String> {
    let [scenario] = scenarios(report)[..] else { return None };
    let of =
        |stack: &str, side: Side, metric: &str| cell(report, scenario, stack, side, metric)?.outcome.value();
    let mut all: Vec<(String, f64, f64)> = Vec::new();
    for stack in report.participants() {
        let name = super::further::with_version(report, &clean(&stack.name));
        let sum = |metric: &str| -> Option<f64> {
            let both = Side::BOTH.map(|side| of(&stack.name, side, metric));
            both.iter().any(Option::is_some).then(|| both.into_iter().flatten().sum())
        };
        let (Some(calls), Some(faults)) = (sum("kernel.calls"), sum("kernel.faults")) else { continue };
        all.push((name, calls, faults));
    }
    all.sort_by(|one, other| one.1.total_cmp(&other.1).then(one.2.total_cmp(&other.2)));
    if all.is_empty() {
        return None;
    }
    let each = all.into_iter().map(|(stack, calls, faults)| {
        let calls = tlslab_text::number::counted(calls as usize, "call");
        let faults = tlslab_text::number::counted(faults as usize, "page fault");
        format!("{stack} {calls}, {faults}")
    });
    Some(format!("Asked of the kernel by both sides together: {}.", each.collect::<Vec<_>>().join("; ")))
}
