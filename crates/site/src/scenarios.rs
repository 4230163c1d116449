//! The lines and pages of scenarios.

use std::collections::BTreeMap;

use tlslab_estimate::Family;
use tlslab_lab::AskedRatio;
use tlslab_pages::site::{ScenarioLine, ScenarioPage, ScenarioRow, ScenarioTable, Standing};
use tlslab_protocol::Side;
use tlslab_record::Figure;

use crate::catalogue::{Catalogue, show_figure};
use crate::source::Source;
use crate::stacks::parameters;

/// The metrics that a page shows, and whether more is better.
const SHOWN: [(&str, bool); 5] =
    [("time", false), ("throughput", true), ("heap.peak", false), ("idle.heap", false), (COUNT, false)];

/// The metric that does not rank libraries.
const COUNT: &str = "count.instructions";

/// The pages of all scenarios, by name.
///
/// # Errors
/// Fails if the database cannot be read.
pub(crate) fn scenarios(
    catalogue: &Catalogue,
    source: &Source,
) -> anyhow::Result<BTreeMap<String, ScenarioPage>> {
    let mut newest = newest_figures(catalogue);
    let page = |(name, scenario): (&String, &tlslab_protocol::Scenario)| {
        let figures = newest.remove(name.as_str()).unwrap_or_default();
        let page = ScenarioPage {
            name: name.clone(),
            family: Family::of(scenario).title().to_owned(),
            parameters: parameters(scenario),
            tables: tables(catalogue, &figures),
            holes: holes(&figures),
        };
        (name.clone(), page)
    };
    let mut pages = catalogue.scenarios.iter().map(page).collect();
    add_ratios(&mut pages, source)?;
    Ok(pages)
}

/// Adds the ratios of the fastest stack to the others of its run.
fn add_ratios(pages: &mut BTreeMap<String, ScenarioPage>, source: &Source) -> anyhow::Result<()> {
    let (mut asked, mut rows) = (Vec::new(), Vec::new());
    for page in pages.values_mut() {
        for table in page.tables.iter_mut().filter(|table| table.metric == "time") {
            let Some(side) = Side::BOTH.into_iter().find(|side| side.name() == table.side) else { continue };
            let [first, others @ ..] = &mut table.rows[..] else { continue };
            for row in others.iter_mut().filter(|row| row.run == first.run) {
                let [run, scenario, stack, over] =
                    [&first.run, &page.name, &first.stack, &row.stack].map(Clone::clone);
                asked.push(AskedRatio { run, scenario, side, stack, over });
                rows.push(row);
            }
        }
    }
    for (row, ratio) in rows.into_iter().zip(source.ratios(&asked)?) {
        row.first_over = ratio;
    }
    Ok(())
}

/// A figure with the place of its run.
type Found<'c> = (usize, &'c Figure);

/// Per scenario the figures of the newest version of each stack.
fn newest_figures(catalogue: &Catalogue) -> BTreeMap<&str, Vec<Found<'_>>> {
    let mut all: BTreeMap<&str, Vec<Found<'_>>> = BTreeMap::new();
    for (name, entry) in &catalogue.stacks {
        for (run, figure) in catalogue.figures_of(name, entry.newest()) {
            all.entry(&figure.series.scenario).or_default().push((run, figure));
        }
    }
    all
}

fn tables(catalogue: &Catalogue, figures: &[Found<'_>]) -> Vec<ScenarioTable> {
    let mut tables = Vec::new();
    for (metric, more_is_better) in SHOWN {
        for side in ["client", "server", "both"] {
            let of_it = figures
                .iter()
                .filter(|(_, figure)| figure.series.metric == metric && figure.series.side == side);
            let mut rows: Vec<ScenarioRow> = of_it
                .filter_map(|(run, figure)| {
                    let line = &catalogue.runs[*run].line;
                    Some(ScenarioRow {
                        stack: figure.stack.clone(),
                        run: line.id.clone(),
                        measured: line.started.clone(),
                        class: figure.series.class.clone(),
                        figure: show_figure(figure)?,
                        first_over: None,
                        unranked: catalogue.protects_nothing(&figure.series.stack),
                    })
                })
                .collect();
            let is_ranked = metric != COUNT;
            match is_ranked {
                true => rows.sort_by(|one, other| one.figure.value.total_cmp(&other.figure.value)),
                false => rows.sort_by(|one, other| one.stack.cmp(&other.stack)),
            }
            if more_is_better {
                rows.reverse();
            }
            if is_ranked {
                rows.sort_by_key(|row| row.unranked);
            }
            if !rows.is_empty() {
                let (side, metric) = (side.to_owned(), metric.to_owned());
                tables.push(ScenarioTable { side, metric, is_ranked, more_is_better, rows });
            }
        }
    }
    tables
}

/// Stacks without any value: stack, kind, reason.
fn holes(figures: &[Found<'_>]) -> Vec<(String, String, String)> {
    let mut holes: BTreeMap<&str, Option<(&str, &str)>> = BTreeMap::new();
    for (_, figure) in figures {
        let hole = figure.outcome.hole();
        let entry = holes.entry(&figure.stack).or_insert(hole);
        if hole.is_none() {
            *entry = None;
        }
    }
    let hole = |(stack, hole): (&str, Option<(&str, &str)>)| {
        hole.map(|(kind, why)| (stack.to_owned(), kind.to_owned(), why.to_owned()))
    };
    holes.into_iter().filter_map(hole).collect()
}

/// A page as a line of the list, in the order of families.
pub(crate) fn lines(pages: &BTreeMap<String, ScenarioPage>) -> Vec<ScenarioLine> {
    let mut lines: Vec<ScenarioLine> = pages.values().map(line).collect();
    let order = |line: &ScenarioLine| Family::TIMED.iter().position(|family| family.title() == line.family);
    lines.sort_by_key(|line| (order(line).unwrap_or(usize::MAX), line.name.clone()));
    lines
}

fn line(page: &ScenarioPage) -> ScenarioLine {
    let with_value: std::collections::BTreeSet<&str> =
        page.tables.iter().flat_map(|table| &table.rows).map(|row| row.stack.as_str()).collect();
    let of_kind = |kind: &str| page.holes.iter().filter(|(_, found, _)| found == kind).count();
    ScenarioLine {
        name: page.name.clone(),
        family: page.family.clone(),
        stacks: [with_value.len(), of_kind("unsupported"), of_kind("failed")],
        least: ["client", "server"].iter().filter_map(|side| fastest(page, side)).collect(),
    }
}

/// The stack with the least time among those that were measured in one run with it. Counts of instructions do
/// not rank libraries.
fn fastest(page: &ScenarioPage, side: &str) -> Option<Standing> {
    let table = page.tables.iter().find(|table| table.metric == "time" && table.side == side)?;
    let ranked = || table.rows.iter().filter(|row| !row.unranked);
    let first = ranked().next()?;
    let together: Vec<_> = ranked().filter(|row| row.run == first.run).collect();
    if together.len() < 2 {
        return None;
    }
    let end = first.figure.upper.unwrap_or(first.figure.value);
    let is_level = |row: &&&ScenarioRow| match &row.first_over {
        Some(ratio) => !ratio.is_less(),
        None => row.figure.lower.unwrap_or(row.figure.value) <= end,
    };
    Some(Standing {
        side: side.to_owned(),
        stack: first.stack.clone(),
        figure: first.figure.clone(),
        ties: together.iter().skip(1).filter(is_level).count(),
    })
}
