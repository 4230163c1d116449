//! A run: the fastest stack and its margin, every figure with its samples, its proof and its command, and the
//! disturbances.
//!
//! Everything is in tables; scripts add plots, sorting and filters from the same results.

mod anomalies;
mod axis;
mod cards;
mod cells;
mod colour;
mod cross;
mod facts;
mod results;
mod scenarios;
mod stacks;
mod verdict;

use askama::Template;
use tlslab_estimate::Report;
use tlslab_report::tables::{ExactTable, Subject, cold, leaves, shares, together};
use tlslab_text::clean;
use tlslab_text::number::{counted, percent, significant};

use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Data, Page, Part};
use crate::target::{Section, Target};
use anomalies::AnomalyList;
use results::Results;
pub use scenarios::has_proof_pages;
use verdict::Verdict;

pub(crate) const ASSETS: [Asset; 11] = [
    Asset { name: "run.css", text: include_str!("../../assets/run.css") },
    Asset { name: "run-plots.css", text: include_str!("../../assets/run-plots.css") },
    Asset { name: "run-data.js", text: include_str!("../../assets/run-data.js") },
    Asset { name: "run-marks.js", text: include_str!("../../assets/run-marks.js") },
    Asset { name: "run-cells.js", text: include_str!("../../assets/run-cells.js") },
    Asset { name: "run-bars.js", text: include_str!("../../assets/run-bars.js") },
    Asset { name: "run-phases.js", text: include_str!("../../assets/run-phases.js") },
    Asset { name: "run-distribution.js", text: include_str!("../../assets/run-distribution.js") },
    Asset { name: "run-latency.js", text: include_str!("../../assets/run-latency.js") },
    Asset { name: "run-plots.js", text: include_str!("../../assets/run-plots.js") },
    Asset { name: "run-cross.js", text: include_str!("../../assets/run-cross.js") },
];

#[derive(Template)]
#[template(path = "run/body.html")]
struct Body<'r> {
    report: &'r Report,
    verdict: Verdict,
    reference: Link,
    measured: String,
    host_line: String,
    files: Vec<Link>,
    stacks: Vec<stacks::StackDetails>,
    cards: Vec<cards::Card>,
    tables: Vec<Results>,
    sides: Vec<SidesTable>,
    together: Vec<together::Lines>,
    together_title: &'static str,
    together_note: &'static str,
    memory: Vec<ExactTable>,
    counts: Vec<ExactTable>,
    contention: Vec<ExactTable>,
    defaults: Vec<ExactTable>,
    wire: Vec<ExactTable>,
    kernel: Vec<ExactTable>,
    size: Vec<ExactTable>,
    processors: Vec<ExactTable>,
    arrivals: Vec<ExactTable>,
    cross: Vec<cross::CrossMap>,
    causes: Vec<Cause>,
    anomalies: AnomalyList,
    cells: Vec<cells::CellRow>,
    notes: Vec<String>,
    scenarios: Vec<scenarios::ScenarioDetails>,
    host: Vec<(String, String)>,
    slice: String,
    harness: String,
    turns: String,
    command: String,
}

/// A figure of each side in words, per scenario and stack.
struct SidesTable {
    title: &'static str,
    note: String,
    lines: Vec<(String, Vec<shares::Row>)>,
}

/// Warnings of one cause.
struct Cause {
    summary: String,
    cells: Vec<String>,
    can_change_headline: bool,
}

/// The page of a run.
#[must_use]
pub fn run(report: &Report, links: &dyn Links) -> Page {
    let title = title(report);
    let body = Body::of(report, &title, links);
    let run = &report.run;
    let parts = parts(&body);
    let id = clean(&run.id);
    Page {
        title: format!("{title}: run {id}"),
        section: Some(Section::Runs),
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Runs, "Runs"),
            Link::none(id.clone()),
        ],
        parts,
        body: Html::of(&body),
        data: vec![Data::new("results-data", report), Data::new("distributions-data", &report.distributions)],
        assets: ASSETS.to_vec(),
        foot: vec![Html::text(&format!("tlslab {}, run {id}.", clean(&run.lab_version)))],
        feed: None,
        signed_in: None,
    }
}

#[derive(Template)]
#[template(path = "run/proof_page.html")]
struct Proof {
    scenario: scenarios::ScenarioDetails,
}

/// The introduction of the section of proofs.
const PROOF: &str = "Before any measurement each stack makes one connection per scenario: what the libraries report, what crosses \
                     the wire, and whether faults are detected. Facts in which stacks differ are marked. The commands measure a cell \
                     again, or connect to its driver by hand.";

/// The page of the proof of one scenario of a run; none if the run does not have it.
#[must_use]
pub fn proof(report: &Report, scenario: &str, links: &dyn Links) -> Option<Page> {
    let found = scenarios::one(report, scenario, links)?;
    let id = clean(&report.run.id);
    let title = format!("Proof of equal work: {}", clean(scenario));
    let body = Html::of(&Proof { scenario: found });
    Some(Page {
        title: format!("{title}: run {id}"),
        section: Some(Section::Runs),
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Runs, "Runs"),
            Link::new(links, &Target::Run(report.run.id.clone()), id.clone()),
            Link::none(clean(scenario)),
        ],
        parts: Vec::new(),
        body,
        data: Vec::new(),
        assets: ASSETS.iter().filter(|asset| asset.name == "run.css").copied().collect(),
        foot: vec![Html::text(&format!("tlslab {}, run {id}.", clean(&report.run.lab_version)))],
        feed: None,
        signed_in: None,
    })
}

fn title(report: &Report) -> String {
    let stacks = counted(report.stacks.len(), "stack");
    let scenarios = counted(report.scenarios.len(), "scenario");
    match report.stacks.len() {
        // Sizes are of no scenario.
        _ if report.scenarios.is_empty() && !report.sizes.is_empty() => format!("size of {stacks}"),
        0 | 1 => format!("{stacks} on {scenarios}"),
        _ => format!("{stacks} compared on {scenarios}"),
    }
}

fn parts(body: &Body<'_>) -> Vec<Part> {
    let has_cells = !body.report.cells.is_empty();
    let all = [
        ("results", "Results", has_cells),
        ("arrivals", "Open loop", !body.arrivals.is_empty()),
        ("together", "Together", !body.together.is_empty()),
        ("memory", "Memory", !body.memory.is_empty()),
        ("counts", "Instructions", !body.counts.is_empty()),
        ("contention", "Contention", !body.contention.is_empty()),
        ("defaults", "Defaults", !body.defaults.is_empty()),
        ("wire", "On the wire", !body.wire.is_empty()),
        ("kernel", "Kernel", !body.kernel.is_empty()),
        ("size", "Size", !body.size.is_empty()),
        ("processors", "Processors", !body.processors.is_empty()),
        ("cross", "Clients by servers", !body.cross.is_empty()),
        ("warnings", "Warnings", !body.causes.is_empty()),
        ("anomalies", "Anomalies", !body.anomalies.lines.is_empty()),
        ("plots", "Plots", has_cells),
        ("cells", "Cells", has_cells),
        ("proof", "Proof", true),
        ("stacks", "Stacks", true),
        ("method", "Method", true),
        ("repeat", "Repeat", true),
    ];
    let present = all.into_iter().filter(|(_, _, is_here)| *is_here);
    present.map(|(id, title, _)| Part { id, title, needs_script: id == "plots" }).collect()
}

impl<'r> Body<'r> {
    fn of(report: &'r Report, title: &str, links: &dyn Links) -> Self {
        let run = &report.run;
        let of = |subject| ExactTable::all(report).into_iter().filter(move |table| table.subject == subject);
        let [memory, counts, arrivals, contention, defaults, wire, kernel, size, processors] = [
            Subject::Memory,
            Subject::Instructions,
            Subject::Arrivals,
            Subject::Contention,
            Subject::Defaults,
            Subject::Wire,
            Subject::Kernel,
            Subject::Size,
            Subject::Processors,
        ]
        .map(|subject| of(subject).collect::<Vec<_>>());
        let harness = &report.overheads.summary;
        let tables = Results::all(report, links);
        let cause = |cause: &tlslab_estimate::Cause| Cause {
            summary: clean(&cause.summary),
            cells: cause.cells.iter().map(|cell| clean(cell)).collect(),
            can_change_headline: cause.can_change_headline,
        };
        let single = |warning: &String| Cause {
            summary: clean(warning),
            cells: Vec::new(),
            can_change_headline: false,
        };
        Self {
            verdict: Verdict::of(report, title),
            reference: Link::new(links, &Target::Stack(run.baseline.clone()), clean(&run.baseline)),
            measured: measured(report),
            host_line: clean(&report.host.summary()),
            files: files(&run.id, links),
            stacks: stacks::all(report, links),
            cards: cards::all(report, links),
            sides: sides_tables(report),
            together: together::lines(report),
            together_title: together::TITLE,
            together_note: together::NOTE,
            memory,
            counts,
            contention,
            defaults,
            wire,
            kernel,
            size,
            processors,
            arrivals,
            cross: cross::all(report),
            // Reports of earlier versions have single warnings alone.
            causes: match report.causes.is_empty() {
                true => report.warnings.iter().map(single).collect(),
                false => report.causes.iter().map(cause).collect(),
            },
            anomalies: AnomalyList::of(report),
            cells: cells::all(report),
            notes: tables.first().map(|table| table.notes.clone()).unwrap_or_default(),
            tables,
            scenarios: scenarios::all(report, links),
            host: leaves(&serde_json::to_value(&report.host).unwrap_or_default()),
            slice: format!("{} ms", significant(run.slice_ns as f64 / 1e6, 3)),
            harness: clean(harness.strip_prefix("harness: ").unwrap_or(harness)),
            turns: report.turns.as_ref().map(|turns| clean(&turns.summary)).unwrap_or_default(),
            command: run
                .command
                .iter()
                .map(|word| tlslab_text::shell_word(word))
                .collect::<Vec<_>>()
                .join(" "),
            report,
        }
    }

    fn has_samples(&self) -> bool {
        !self.report.distributions.is_empty()
    }
}

fn measured(report: &Report) -> String {
    let run = &report.run;
    if run.samples == 0 {
        return format!("{}, nothing timed", clean(&run.started));
    }
    format!(
        "{}, {}, {} s, {}, {} intervals",
        clean(&run.started),
        counted(run.rounds, "round"),
        significant(run.measuring_s, 3),
        counted(run.samples, "sample"),
        percent(run.policy.confidence)
    )
}

fn files(id: &str, links: &dyn Links) -> Vec<Link> {
    let file = |ending: &str, title: &str| {
        Link::new(links, &Target::File(format!("runs/{id}.{ending}")), title.to_owned())
    };
    let all = [file("json", "JSON"), file("csv", "CSV")];
    all.into_iter().filter(|link| link.href.is_some()).collect()
}

fn sides_tables(report: &Report) -> Vec<SidesTable> {
    let all = [
        SidesTable { title: shares::TITLE, note: shares::NOTE.to_owned(), lines: shares::lines(report) },
        SidesTable { title: cold::TITLE, note: cold::note(report), lines: cold::lines(report) },
    ];
    all.into_iter().filter(|table| !table.lines.is_empty()).collect()
}
