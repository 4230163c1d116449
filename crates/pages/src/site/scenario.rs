//! The page of a scenario: what it asks for, and what each stack takes.

use askama::Template;
use serde::{Deserialize, Serialize};

use super::figure::Figure;
use super::marks::bar;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{Section, Target};

/// Everything about a scenario.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ScenarioPage {
    /// Its name.
    pub name: String,
    /// Its family.
    pub family: String,
    /// What it asks for, as names and texts.
    pub parameters: Vec<(String, String)>,
    /// Per side and metric, the stacks from the least to the most.
    pub tables: Vec<ScenarioTable>,
    /// Stacks that cannot do it or failed: stack, kind, reason.
    pub holes: Vec<(String, String, String)>,
}

/// What stacks take of one metric on one side, in one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioTable {
    /// The side.
    pub side: String,
    /// The metric.
    pub metric: String,
    /// Whether more is better.
    pub more_is_better: bool,
    /// The stacks, the best first.
    pub rows: Vec<ScenarioRow>,
}

/// What a stack takes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioRow {
    /// The stack as its run names it.
    pub stack: String,
    /// The run.
    pub run: String,
    /// When that began, RFC 3339.
    pub measured: String,
    /// The machine's class.
    pub class: String,
    /// What it takes.
    pub figure: Figure,
}

#[derive(Template)]
#[template(path = "site/scenario.html")]
struct Body<'m> {
    model: &'m ScenarioPage,
    answer: String,
    evidence: String,
    tables: Vec<Table<'m>>,
    holes: Vec<(Link, &'m str, &'m str)>,
    command: String,
    json: Option<String>,
}

struct Table<'m> {
    table: &'m ScenarioTable,
    rows: Vec<Row<'m>>,
}

struct Row<'m> {
    row: &'m ScenarioRow,
    stack: Link,
    run: Link,
    bar: Html,
}

/// The page.
#[must_use]
pub fn scenario(model: &ScenarioPage, links: &dyn Links) -> Page {
    let (answer, evidence) = answer(model);
    let body = Body {
        answer,
        evidence,
        tables: model.tables.iter().map(|table| laid_out(table, links)).collect(),
        holes: model
            .holes
            .iter()
            .map(|(stack, kind, why)| {
                (Link::new(links, &Target::Stack(stack.clone()), stack), kind.as_str(), why.as_str())
            })
            .collect(),
        command: format!("tlslab run --scenario {}", tlslab_text::shell_word(&model.name)),
        json: links.to(&Target::File(format!("data/scenarios/{}.json", crate::target::slug(&model.name)))),
        model,
    };
    let part = |id, title| Part { id, title, needs_script: false };
    Page {
        title: model.name.clone(),
        section: Some(Section::Scenarios),
        crumbs: vec![
            Link::new(links, &Target::Overview, "Overview"),
            Link::new(links, &Target::Scenarios, "Scenarios"),
            Link::none(&model.name),
        ],
        parts: vec![part("results", "Results"), part("parameters", "Parameters"), part("repeat", "Repeat")],
        body: Html::of(&body),
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}

fn laid_out<'m>(table: &'m ScenarioTable, links: &dyn Links) -> Table<'m> {
    let end = |row: &ScenarioRow| row.figure.upper.unwrap_or(row.figure.value).max(row.figure.value);
    let longest = table.rows.iter().map(end).fold(0.0, f64::max);
    let row = |row: &'m ScenarioRow| Row {
        stack: Link::new(links, &Target::Stack(row.stack.clone()), &row.stack),
        run: Link::new(links, &Target::Run(row.run.clone()), super::figure::day(&row.measured)),
        bar: bar(row.figure.value, row.figure.lower.zip(row.figure.upper), longest),
        row,
    };
    Table { table, rows: table.rows.iter().map(row).collect() }
}

/// Who is first in the first table, if anybody is by more than the intervals.
fn answer(model: &ScenarioPage) -> (String, String) {
    let measured: std::collections::BTreeSet<&str> =
        model.tables.iter().flat_map(|table| &table.rows).map(|row| row.stack.as_str()).collect();
    let evidence = format!(
        "{} stacks have a value, {} have none. Figures of different runs or machines are not a comparison; each row names its run.",
        measured.len(),
        model.holes.len()
    );
    let answer = model.tables.first().and_then(|table| {
        let (first, second) = (table.rows.first()?, table.rows.get(1)?);
        let is_clear = match table.more_is_better {
            false => first.figure.upper.zip(second.figure.lower).is_some_and(|(upper, lower)| upper < lower),
            true => first.figure.lower.zip(second.figure.upper).is_some_and(|(lower, upper)| lower > upper),
        };
        let what = format!("{}, {}", super::figure::metric_words(&table.metric), table.side);
        Some(match (is_clear && first.run == second.run, first.run == second.run) {
            (true, _) => format!("{} is first ({what}): {}", first.stack, first.figure.text()),
            (false, true) => format!("No stack is first alone ({what}): the best intervals overlap"),
            (false, false) => format!("Not measured together ({what}): no stack is first"),
        })
    });
    (answer.unwrap_or_else(|| format!("{}: {}", model.family, model.name)), evidence)
}
