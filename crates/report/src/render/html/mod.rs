//! The report as one self-contained HTML page: text, style, script and data.
//!
//! Everything is on the page as text and tables; the script adds plots, sorting and filters from the same results.

mod cards;
mod cells;
mod colour;
mod cross;
mod facts;
mod scenarios;
mod stacks;

use askama::Template;
use serde::Serialize;
use tlslab_estimate::Report;
use tlslab_estimate::digits::{percent, significant, whole};
use tlslab_text::clean;

use super::exact::{ExactTable, Subject};
use super::host;
use super::table::{Table, Tone};
use super::{cold, shares};

/// The report as one page of HTML that works offline.
pub fn html(report: &Report) -> String {
    // Writing to a string fails only when a template's own filter does, and none here can.
    Page::of(report).render().expect("the page renders")
}

#[derive(Template)]
#[template(path = "report.html")]
struct Page<'r> {
    report: &'r Report,
    title: String,
    measured: String,
    host_line: String,
    host: Vec<(String, String)>,
    slice: String,
    harness: String,
    turns: String,
    notes: Vec<String>,
    command: String,
    cards: Vec<cards::Card>,
    tables: Vec<Table>,
    memory: Vec<ExactTable>,
    counts: Vec<ExactTable>,
    /// Per handshake, its title and the stacks with each side's share of cryptography.
    sides: Vec<SidesTable>,
    cells: Vec<cells::CellRow>,
    cross: Vec<cross::CrossMap>,
    scenarios: Vec<scenarios::ScenarioDetails>,
    stacks: Vec<stacks::StackDetails>,
    style: &'static str,
    script: String,
    results: String,
    distributions: String,
}

impl<'r> Page<'r> {
    fn of(report: &'r Report) -> Self {
        let run = &report.run;
        let count = |number: usize, noun: &str| {
            if number == 1 { format!("1 {noun}") } else { format!("{} {noun}s", whole(number)) }
        };
        let stacks = count(report.stacks.len(), "stack");
        let scenarios = count(report.scenarios.len(), "scenario");
        let title = match report.stacks.len() {
            0 | 1 => format!("{stacks} on {scenarios}"),
            _ => format!("{stacks} compared on {scenarios}"),
        };
        let confidence = percent(run.policy.confidence);
        let measured = format!(
            "{}, {} s of measuring, {}, {confidence} % intervals",
            count(run.rounds as usize, "round"),
            significant(run.measuring_s, 3),
            count(run.samples, "sample"),
        );
        let tables = Table::all(report);
        let (memory, counts) =
            ExactTable::all(report).into_iter().partition(|table| table.subject == Subject::Memory);
        let harness = &report.overheads.summary;
        Self {
            slice: format!("{} ms", significant(run.slice_ns as f64 / 1e6, 3)),
            turns: report.turns.as_ref().map(|turns| clean(&turns.summary)).unwrap_or_default(),
            harness: clean(harness.strip_prefix("harness: ").unwrap_or(harness)),
            report,
            title,
            measured,
            host_line: clean(&report.host.summary()),
            host: host::leaves(&serde_json::to_value(&report.host).unwrap_or_default()),
            command: run
                .command
                .iter()
                .map(|word| tlslab_text::shell_word(word))
                .collect::<Vec<_>>()
                .join(" "),
            cards: cards::all(report),
            notes: tables.first().map(|table| table.notes.clone()).unwrap_or_default(),
            tables,
            memory,
            counts,
            sides: sides_tables(report),
            cells: cells::all(report),
            cross: cross::all(report),
            scenarios: scenarios::all(report),
            stacks: stacks::all(report),
            style: include_str!("../../../assets/page.css"),
            script: [
                include_str!("../../../assets/dom.js"),
                include_str!("../../../assets/page.js"),
                include_str!("../../../assets/table.js"),
                include_str!("../../../assets/bars.js"),
                include_str!("../../../assets/distribution.js"),
                include_str!("../../../assets/latency.js"),
                include_str!("../../../assets/plots.js"),
                include_str!("../../../assets/cross.js"),
            ]
            .join("\n"),
            results: embedded(report),
            distributions: embedded(&report.distributions),
        }
    }

    fn distribution_count(&self) -> usize {
        self.report.distributions.len()
    }
}

/// JSON inside a script element: nothing in it can end that element.
fn embedded(value: &impl Serialize) -> String {
    // As in `json`: nothing here can fail.
    let text = serde_json::to_string(value).expect("a report serialises");
    text.replace('<', "\\u003c").replace('>', "\\u003e").replace('&', "\\u0026")
}

/// A class for a ratio's tone.
fn tone_class(tone: &Tone) -> &'static str {
    match tone {
        Tone::Plain => "",
        Tone::Faster => "faster",
        Tone::Slower => "slower",
    }
}

/// A figure of each side in words, per scenario and stack.
struct SidesTable {
    title: &'static str,
    note: String,
    lines: Vec<(String, Vec<shares::Row>)>,
}

fn sides_tables(report: &Report) -> Vec<SidesTable> {
    let all = [
        SidesTable { title: shares::TITLE, note: shares::NOTE.to_owned(), lines: shares::lines(report) },
        SidesTable { title: cold::TITLE, note: cold::note(report), lines: cold::lines(report) },
    ];
    all.into_iter().filter(|table| !table.lines.is_empty()).collect()
}
