//! The lines and pages of stacks.

use std::collections::BTreeMap;

use serde_json::Value;
use tlslab_lab::LabelOrder;
use tlslab_pages::site::{ChangeLine, StackCell, StackLine, StackPage, VersionLine, metric_words};
use tlslab_protocol::Scenario;
use tlslab_record::{StackRecord, StackState};
use tlslab_report::timeline::{Timeline, advise_on, sentence};
use tlslab_scenario::capabilities::StackCapabilities;
use tlslab_text::number::counted;

use crate::catalogue::{Catalogue, StackEntry, Version, show_figure};
use crate::trends::{changes, trend};

/// The pages of all stacks, by name.
pub(crate) fn stacks(
    catalogue: &Catalogue,
    timelines: &BTreeMap<String, Vec<&Timeline>>,
    labels: &LabelOrder,
) -> BTreeMap<String, StackPage> {
    let scenarios: Vec<Scenario> = catalogue.scenarios.values().cloned().collect();
    let none = Vec::new();
    let page = |(name, entry): (&String, &StackEntry)| {
        let timelines = timelines.get(name).unwrap_or(&none);
        let changes = changes(timelines, labels);
        (name.clone(), stack(catalogue, (name, entry), timelines, changes, &scenarios))
    };
    catalogue.stacks.iter().map(page).collect()
}

fn stack(
    catalogue: &Catalogue,
    (name, entry): (&str, &StackEntry),
    timelines: &[&Timeline],
    changes: Vec<ChangeLine>,
    scenarios: &[Scenario],
) -> StackPage {
    StackPage {
        line: line(catalogue, name, entry, timelines, &changes),
        advice: advice(name, timelines),
        cells: cells(catalogue, name, entry.newest()),
        build: build(&entry.record),
        capabilities: capabilities(&entry.record, scenarios),
        versions: entry.versions.iter().rev().map(|version| version_line(catalogue, name, version)).collect(),
        changes,
    }
}

/// Which release to skip and which to move to; empty with fewer than two releases.
fn advice(name: &str, timelines: &[&Timeline]) -> String {
    let advice = advise_on(name, timelines);
    if advice.releases.len() > 1 { sentence(&advice) } else { String::new() }
}

fn line(
    catalogue: &Catalogue,
    name: &str,
    entry: &StackEntry,
    timelines: &[&Timeline],
    changes: &[ChangeLine],
) -> StackLine {
    let newest = entry.newest();
    let cells = catalogue.cells(name, newest);
    let of_newest: Vec<&ChangeLine> = changes.iter().filter(|change| change.label == newest.label).collect();
    let (state, mark, why) = state(entry, cells, &of_newest);
    let (trend, trend_of) = trend(timelines);
    let run = &catalogue.runs[newest.newest_run()].line;
    StackLine {
        name: name.to_owned(),
        label: newest.label.clone(),
        title: entry.record.title.clone(),
        state: state.to_owned(),
        mark: mark.to_owned(),
        why,
        measured: run.started.clone(),
        run: run.id.clone(),
        versions: entry.versions.len(),
        trend,
        trend_of,
        change: of_newest.first().map(|change| (*change).clone()),
        cells,
    }
}

/// A word, its mark, and why.
fn state(
    entry: &StackEntry,
    cells: [usize; 3],
    newest: &[&ChangeLine],
) -> (&'static str, &'static str, String) {
    if let Some(reason) = entry.failure() {
        let first = reason.lines().next().unwrap_or_default();
        return ("failed", "failed", first.to_owned());
    }
    let regressions: Vec<_> = newest.iter().filter(|change| change.class() == "regression").collect();
    let unnoted = regressions.iter().filter(|change| change.note.is_empty()).count();
    match (cells, unnoted, regressions.first()) {
        ([0, 0, 0], ..) => ("not measured", "quiet", String::new()),
        ([0, _, failed], ..) if failed > 0 => {
            ("failed", "failed", format!("none of its cells has a value, {failed} failed"))
        }
        (_, 1.., Some(largest)) => {
            let why = format!(
                "{} without a note, the largest {} in {}",
                counted(unnoted, "regression"),
                largest.text(),
                metric_words(&largest.metric)
            );
            ("regression", "regression", why)
        }
        ([_, _, failed], ..) if failed > 0 => {
            ("cells failed", "warning", format!("{} failed", counted(failed, "cell")))
        }
        (_, 0, Some(_)) => ("reviewed", "good", "its regressions have notes".to_owned()),
        _ if newest.iter().any(|change| change.is_without_verdict()) => {
            ("changed", "quiet", "which values are better is unknown".to_owned())
        }
        _ => ("clear", "good", String::new()),
    }
}

fn cells(catalogue: &Catalogue, name: &str, version: &Version) -> Vec<StackCell> {
    // A cell that several runs have is a row for each.
    let mut cells: BTreeMap<(&str, &str, usize), StackCell> = BTreeMap::new();
    for (run, figure) in catalogue.figures_of(name, version) {
        let series = &figure.series;
        let cell = cells.entry((&series.scenario, &series.side, run)).or_insert_with(|| StackCell {
            scenario: series.scenario.clone(),
            side: series.side.clone(),
            run: catalogue.runs[run].line.id.clone(),
            figures: Vec::new(),
            hole: None,
        });
        match (show_figure(figure), figure.outcome.hole()) {
            (Some(value), _) => cell.figures.push((series.metric.clone(), value)),
            (None, Some((kind, why))) => cell.hole = Some((kind.to_owned(), why.to_owned())),
            (None, None) => {}
        }
    }
    // A missing metric of a cell with other values leaves its field empty.
    let mut cells: Vec<StackCell> = cells.into_values().collect();
    cells.iter_mut().filter(|cell| !cell.figures.is_empty()).for_each(|cell| cell.hole = None);
    cells
}

fn version_line(catalogue: &Catalogue, name: &str, version: &Version) -> VersionLine {
    let run = &catalogue.runs[version.newest_run()].line;
    VersionLine {
        label: version.label.clone(),
        run: run.id.clone(),
        measured: run.started.clone(),
        cells: catalogue.cells(name, version),
    }
}

fn build(record: &StackRecord) -> Vec<(String, String)> {
    let Some(identity) = &record.identity else { return Vec::new() };
    let mut facts = vec![
        ("Recipe", identity.recipe.clone()),
        ("Source", identity.source.clone()),
        ("Licence", identity.licence.clone()),
        ("Compiler", identity.compiler.clone()),
        ("rustc", identity.rustc.clone()),
        ("Profile", identity.profile.clone()),
    ];
    facts.extend(identity.flags.iter().map(|flag| ("Command or flags", flag.clone())));
    facts.extend(identity.notes().into_iter().map(|note| ("Note", note)));
    facts.push(("Harness digest", identity.harness_digest.clone()));
    facts.push(("Driver digest", record.driver_digest.clone()));
    let known = facts.into_iter().filter(|(_, text)| !text.is_empty());
    known.map(|(name, text)| (name.to_owned(), text)).collect()
}

fn capabilities(record: &StackRecord, scenarios: &[Scenario]) -> Option<StackCapabilities> {
    let StackState::Ready(description) = &record.state else { return None };
    Some(StackCapabilities::of(description, scenarios))
}

/// The parameters of a scenario as names and texts.
pub(crate) fn parameters(scenario: &Scenario) -> Vec<(String, String)> {
    // A scenario is plain data with text keys.
    let Ok(Value::Object(fields)) = serde_json::to_value(scenario) else { return Vec::new() };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Object(fields) => {
            let parts = fields.iter().map(|(name, value)| format!("{name} {}", plain(value)));
            parts.collect::<Vec<_>>().join(", ")
        }
        value => plain(value),
    };
    let fields = fields.iter().filter(|(name, value)| *name != "name" && !value.is_null());
    fields.map(|(name, value)| (name.replace('_', " "), text(value))).collect()
}

fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        value => value.to_string(),
    }
}
