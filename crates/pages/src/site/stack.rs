//! The page of a stack: its results, capabilities, build and versions.

use askama::Template;
use serde::{Deserialize, Serialize};
use tlslab_scenario::capabilities::StackCapabilities;
use tlslab_text::number::counted;

use super::change_line::ChangeLine;
use super::figure::Figure;
use super::lists::StackLine;
use super::marks::spark;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{Section, Target};

/// Everything about a stack.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StackPage {
    /// Its line in a list.
    pub line: StackLine,
    /// Which release to skip and which to move to; empty with fewer than two releases.
    #[serde(default)]
    pub advice: String,
    /// Its cells, each metric from the newest run that has it, in the order of scenarios.
    pub cells: Vec<StackCell>,
    /// How its newest version was built, as names and texts.
    pub build: Vec<(String, String)>,
    /// Its capabilities; none if its driver reports none.
    pub capabilities: Option<StackCapabilities>,
    /// Its changes, newest first.
    pub changes: Vec<ChangeLine>,
    /// Its versions, newest first.
    pub versions: Vec<VersionLine>,
}

/// A scenario in which a stack was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StackCell {
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: String,
    /// The run of these figures.
    pub run: String,
    /// Per metric, the value.
    pub figures: Vec<(String, Figure)>,
    /// `unsupported` or `failed`, and why; empty if there are figures.
    pub hole: Option<(String, String)>,
}

/// A version that was measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct VersionLine {
    /// The version.
    pub label: String,
    /// The newest run of it.
    pub run: String,
    /// When that began, RFC 3339.
    pub measured: String,
    /// How many cells have a value, are unsupported, or failed.
    pub cells: [usize; 3],
}

#[derive(Template)]
#[template(path = "site/stack.html")]
struct Body<'m> {
    model: &'m StackPage,
    class: &'static str,
    answer: String,
    run: Link,
    history: Option<String>,
    of_each: Link,
    json: Option<String>,
    spark: Html,
    columns: Vec<(&'m str, &'m str)>,
    rows: Vec<Row<'m>>,
    kinds: Vec<(&'static str, Vec<(Link, &'m ChangeLine)>)>,
    versions: Vec<(Link, &'m VersionLine)>,
    command: String,
}

struct Row<'m> {
    scenario: Link,
    cell: &'m StackCell,
    figures: Vec<Option<&'m Figure>>,
}

/// The metrics that have a column, and their titles.
const COLUMNS: [(&str, &str); 11] = [
    ("time", "Time"),
    ("throughput", "Throughput"),
    ("latency.p99", "99th percentile (service time, closed loop)"),
    ("response.p99", "99th percentile (response time, open loop)"),
    ("count.instructions", "Instructions"),
    ("heap.peak", "Peak heap"),
    ("idle.heap", "Heap per idle connection"),
    ("contention.atomics", "Contended atomics"),
    ("contention.serial", "Serial instructions"),
    ("wire.flight.1", "First flight"),
    ("kernel.calls", "System calls"),
];

/// The changes: regressions, improvements, and those that are negligible or without a direction.
fn kinds<'m>(model: &'m StackPage, links: &dyn Links) -> Vec<(&'static str, Vec<(Link, &'m ChangeLine)>)> {
    let link = |line: &ChangeLine| Link::new(links, &Target::Scenario(line.scenario.clone()), &line.scenario);
    let kind = |line: &ChangeLine| match line.class() {
        "regression" => "regression",
        "improvement" => "improvement",
        _ => "other change",
    };
    let of = |noun: &'static str| {
        let lines = model.changes.iter().filter(|line| kind(line) == noun);
        (noun, lines.map(|line| (link(line), line)).collect::<Vec<_>>())
    };
    let all = ["regression", "improvement", "other change"].map(of);
    all.into_iter().filter(|(_, lines)| !lines.is_empty()).collect()
}

/// The page.
#[must_use]
pub fn stack(model: &StackPage, links: &dyn Links) -> Page {
    let line = &model.line;
    let has =
        |metric: &str| model.cells.iter().any(|cell| cell.figures.iter().any(|(name, _)| name == metric));
    let columns: Vec<(&str, &str)> = COLUMNS.into_iter().filter(|(metric, _)| has(metric)).collect();
    let rows = model.cells.iter().map(|cell| Row {
        scenario: Link::new(links, &Target::Scenario(cell.scenario.clone()), &cell.scenario),
        cell,
        figures: columns
            .iter()
            .map(|(metric, _)| cell.figures.iter().find(|(name, _)| name == metric).map(|(_, figure)| figure))
            .collect(),
    });
    let [with_value, unsupported, failed] = line.cells;
    let class = if failed > 0 { "failed" } else { "result" };
    let body = Body {
        class,
        answer: format!(
            "{} {}: {} with a value, {unsupported} unsupported, {failed} failed",
            line.name,
            line.label,
            counted(with_value, "cell")
        ),
        run: Link::new(links, &Target::Run(line.run.clone()), &line.run),
        history: links.to(&Target::HistoryOf(line.name.clone())),
        of_each: Link::new(links, &Target::Capabilities, super::capabilities::TITLE),
        json: links.to(&Target::File(format!("data/stacks/{}.json", crate::target::slug(&line.name)))),
        spark: spark(&line.trend, &line.trend_of),
        rows: rows.collect(),
        columns: columns.clone(),
        kinds: kinds(model, links),
        versions: model
            .versions
            .iter()
            .map(|line| (Link::new(links, &Target::Run(line.run.clone()), &line.run), line))
            .collect(),
        command: format!("tlslab run --stack {}", tlslab_text::shell_word(&line.name)),
        model,
    };
    let part = |id, title| Part { id, title, needs_script: false };
    Page {
        title: format!("{} {}", line.name, line.label),
        section: Some(Section::Stacks),
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Stacks, "Stacks"),
            Link::none(&line.name),
        ],
        parts: vec![
            part("results", "Results"),
            part("capabilities", "Capabilities"),
            part("history", "History"),
            part("build", "Build"),
            part("repeat", "Repeat"),
        ],
        body: Html::of(&body),
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}
