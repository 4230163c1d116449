//! Lists of runs, comparisons, stacks and scenarios.

use askama::Template;
use serde::{Deserialize, Serialize};
use tlslab_text::number::counted;

use super::change_line::ChangeLine;
use super::figure::Figure;
use super::imported::{self, ImportedRunLine};
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::service::Choice;
use crate::target::{Section, Target};

/// The metric of a stack's trend line in a list.
pub const TREND: &str = "instructions of the client per full handshake";

/// A stack in a list.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StackLine {
    /// Its name without a version.
    pub name: String,
    /// Its newest version that was measured.
    pub label: String,
    /// Its library's name.
    pub title: String,
    /// `good`, `failed`, `regression` or `warning`, in a word for people.
    pub state: String,
    /// Why, if it is not good.
    pub why: String,
    /// The class of its mark.
    pub mark: String,
    /// When its newest result was measured, RFC 3339.
    pub measured: String,
    /// The run of that result.
    pub run: String,
    /// How many versions have results.
    pub versions: usize,
    /// The values of the trend, oldest version first.
    pub trend: Vec<f64>,
    /// The metric of these values.
    pub trend_of: String,
    /// The largest change that the newest version brought.
    pub change: Option<ChangeLine>,
    /// How many cells of its newest version have a value, are unsupported, or failed.
    pub cells: [usize; 3],
}

impl StackLine {
    /// The class of its mark.
    #[must_use]
    pub fn class(&self) -> &str {
        if self.mark.is_empty() { "quiet" } else { &self.mark }
    }
}

/// A run in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RunLine {
    /// Its identifier.
    pub id: String,
    /// When it began, RFC 3339.
    pub started: String,
    /// Its suite.
    pub suite: String,
    /// Whether it is complete.
    pub is_complete: bool,
    /// Its stacks.
    pub stacks: Vec<String>,
    /// How many scenarios it has.
    pub scenarios: usize,
    /// Its metrics.
    pub metrics: Vec<String>,
    /// The machine in a few words.
    pub host: String,
    /// How many of its cells failed.
    pub failed: usize,
}

/// A comparison in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ComparisonLine {
    /// The identifier of its job or run.
    pub id: String,
    /// When it ended, RFC 3339.
    pub ended: String,
    /// The compared stacks.
    pub title: String,
    /// Its answer in a sentence.
    pub sentence: String,
    /// The class of its mark.
    pub mark: String,
    /// The word of its verdict.
    pub verdict: String,
}

/// A scenario in a list.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScenarioLine {
    /// Its name.
    pub name: String,
    /// Its family.
    pub family: String,
    /// How many stacks have a value, are unsupported, or failed.
    pub stacks: [usize; 3],
    /// The fastest stack of one run, by side; none if no times are recorded.
    pub least: Vec<Standing>,
}

/// A stack that is first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Standing {
    /// The side.
    pub side: String,
    /// The stack as its run names it.
    pub stack: String,
    /// Its figure.
    pub figure: Figure,
    /// How many stacks have overlapping intervals, so that none of them is first alone.
    pub ties: usize,
}

#[derive(Template)]
#[template(path = "site/runs.html")]
struct Runs<'m> {
    title: String,
    rows: Vec<(Link, &'m RunLine)>,
    imported: Html,
    json: Option<String>,
}

/// The page of all runs, newest first: those of the lab, then imported ones.
#[must_use]
pub fn runs(lines: &[RunLine], imported: &[ImportedRunLine], links: &dyn Links) -> Page {
    let link = |line: &RunLine| Link::new(links, &Target::Run(line.id.clone()), &line.id);
    let title = match imported.len() {
        0 => counted(lines.len(), "run"),
        imported if lines.is_empty() => counted(imported, "imported run"),
        imported => format!("{}, {}", counted(lines.len(), "run"), counted(imported, "imported run")),
    };
    let body = Runs {
        title,
        rows: lines.iter().map(|line| (link(line), line)).collect(),
        imported: imported::runs(imported, links),
        json: json(links, "runs"),
    };
    list("Runs", Section::Runs, links, Html::of(&body))
}

impl RunLine {
    /// When it began, to the minute.
    fn date(&self) -> String {
        self.started.get(..16).unwrap_or(&self.started).replace('T', " ")
    }
}

#[derive(Template)]
#[template(path = "site/comparisons.html")]
struct Comparisons<'m> {
    title: String,
    projects: &'m [Choice],
    rows: Vec<(Link, &'m ComparisonLine)>,
    json: Option<String>,
}

/// The page of all comparisons, newest first; a service has choices of projects.
#[must_use]
pub fn comparisons(lines: &[ComparisonLine], projects: &[Choice], links: &dyn Links) -> Page {
    let title = counted(lines.len(), "comparison");
    let chosen = projects.iter().skip(1).find(|choice| choice.is_current);
    let title = match chosen {
        Some(project) => format!("{title} of {}", project.text),
        None => title,
    };
    let body = Comparisons {
        title,
        projects,
        rows: comparison_rows(lines, links),
        json: json(links, "comparisons"),
    };
    list("Comparisons", Section::Comparisons, links, Html::of(&body))
}

/// Comparisons with where each is.
pub(crate) fn comparison_rows<'m>(
    lines: &'m [ComparisonLine],
    links: &dyn Links,
) -> Vec<(Link, &'m ComparisonLine)> {
    let link = |line: &ComparisonLine| Link::new(links, &Target::Comparison(line.id.clone()), &line.title);
    lines.iter().map(|line| (link(line), line)).collect()
}

#[derive(Template)]
#[template(path = "site/stacks.html")]
struct Stacks<'m> {
    rows: Vec<(Link, Link, &'m StackLine)>,
    capabilities: Link,
    defaults: Link,
    json: Option<String>,
}

/// The page of all stacks.
#[must_use]
pub fn stacks(lines: &[StackLine], links: &dyn Links) -> Page {
    let stack = |line: &StackLine| Link::new(links, &Target::Stack(line.name.clone()), &line.name);
    let history =
        |line: &StackLine| Link::new(links, &Target::HistoryOf(line.name.clone()), line.versions.to_string());
    let rows = lines.iter().map(|line| (stack(line), history(line), line)).collect();
    let capabilities = Link::new(links, &Target::Capabilities, super::capabilities::TITLE);
    let defaults = Link::new(links, &Target::Defaults, super::defaults::TITLE);
    let body = Stacks { rows, capabilities, defaults, json: json(links, "stacks") };
    list("Stacks", Section::Stacks, links, Html::of(&body))
}

#[derive(Template)]
#[template(path = "site/scenarios.html")]
struct Scenarios<'m> {
    families: Vec<(&'m str, Vec<(Link, &'m ScenarioLine)>)>,
    json: Option<String>,
}

/// The page of all scenarios, by family.
#[must_use]
pub fn scenarios(lines: &[ScenarioLine], links: &dyn Links) -> Page {
    let mut families: Vec<(&str, Vec<(Link, &ScenarioLine)>)> = Vec::new();
    for line in lines {
        let row = (Link::new(links, &Target::Scenario(line.name.clone()), &line.name), line);
        match families.iter_mut().find(|(family, _)| *family == line.family) {
            Some((_, rows)) => rows.push(row),
            None => families.push((&line.family, vec![row])),
        }
    }
    let body = Scenarios { families, json: json(links, "scenarios") };
    list("Scenarios", Section::Scenarios, links, Html::of(&body))
}

fn json(links: &dyn Links, name: &str) -> Option<String> {
    links.to(&Target::File(format!("data/{name}.json")))
}

fn list(title: &str, section: Section, links: &dyn Links, body: Html) -> Page {
    Page {
        title: title.to_owned(),
        section: Some(section),
        crumbs: vec![Link::new(links, &Target::Overview, "Overview"), Link::none(title)],
        body,
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}
