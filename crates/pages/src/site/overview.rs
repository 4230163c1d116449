//! The overview: problems, changes, new results, running jobs, missing values.

use askama::Template;
use serde::{Deserialize, Serialize};
use tlslab_text::number::counted;

use super::change_line::ChangeLine;
use super::imported::{self, ImportedLine};
use super::lists::StackLine;
use super::marks::spark;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{Section, Target};

/// The contents of an overview. A site without a service has no work, pull requests or runners.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// When the newest result was measured, RFC 3339; empty without any.
    pub newest: String,
    /// Problems, worst first.
    pub alerts: Vec<Alert>,
    /// The stacks, those with problems first.
    pub stacks: Vec<StackLine>,
    /// Stacks that have imported series alone.
    #[serde(default)]
    pub imported: Vec<ImportedLine>,
    /// Changes in the newest versions, the largest first.
    pub changes: Vec<ChangeLine>,
    /// How many more there are.
    pub further_changes: usize,
    /// Cells without a value, and why.
    pub gaps: Vec<Gap>,
    /// How many more there are.
    pub further_gaps: usize,
    /// Pull requests with their results.
    pub pulls: Vec<Work>,
    /// Jobs that run or wait.
    pub jobs: Vec<Work>,
    /// How long the oldest job has waited, and for what; empty if none waits.
    #[serde(default)]
    pub waits: String,
    /// Runners.
    pub runners: Vec<Work>,
    /// Whether a service provides the last three.
    pub is_served: bool,
}

/// How much something matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    /// It failed.
    Failed,
    /// It got worse.
    Regression,
    /// It needs a look.
    Warning,
}

impl Level {
    fn class(self) -> &'static str {
        match self {
            Self::Failed => "failed",
            Self::Regression => "regression",
            Self::Warning => "warning",
        }
    }
}

/// A problem that needs attention.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alert {
    /// How much it matters.
    pub level: Level,
    /// A sentence without its full stop.
    pub text: String,
    /// Where to look.
    #[serde(skip)]
    pub target: Option<Target>,
}

/// Something that has no value.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Gap {
    /// What.
    pub what: String,
    /// `unsupported`, `failed` or `not measured`.
    pub kind: String,
    /// Why.
    pub why: String,
    /// Where to look.
    #[serde(skip)]
    pub target: Option<Target>,
}

/// A pull request, a job or a runner in a line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Work {
    /// Its title.
    pub title: String,
    /// More of it.
    pub detail: String,
    /// The class of its mark.
    pub class: String,
    /// The word next to the mark.
    pub state: String,
    /// Where to look.
    #[serde(skip)]
    pub target: Option<Target>,
}

#[derive(Template)]
#[template(path = "site/overview.html")]
struct Body<'m> {
    model: &'m Overview,
    class: &'static str,
    answer: String,
    evidence: String,
    alerts: Vec<(&'static str, Link)>,
    stacks: Vec<StackRow<'m>>,
    imported: Html,
    changes: Vec<ChangeRow<'m>>,
    gaps: Vec<(Link, &'m Gap)>,
    work: Vec<WorkCard<'m>>,
    all_stacks: Link,
    defaults: Link,
}

/// Its title, its text when it is empty, and its lines.
struct WorkCard<'m> {
    title: &'static str,
    none: &'static str,
    note: &'m str,
    lines: Vec<(Link, &'m Work)>,
}

struct StackRow<'m> {
    line: &'m StackLine,
    name: Link,
    run: Link,
    history: Option<String>,
    spark: Html,
}

struct ChangeRow<'m> {
    line: &'m ChangeLine,
    scenario: Link,
    stack: Link,
}

/// The page.
#[must_use]
pub fn overview(model: &Overview, links: &dyn Links) -> Page {
    let linked = |target: &Option<Target>, text: &str| match target {
        Some(target) => Link::new(links, target, text),
        None => Link::none(text),
    };
    let (class, answer) = answer(model);
    let body = Body {
        model,
        class,
        answer,
        evidence: evidence(model),
        alerts: model
            .alerts
            .iter()
            .map(|alert| (alert.level.class(), linked(&alert.target, &alert.text)))
            .collect(),
        stacks: model.stacks.iter().map(|line| stack_row(line, links)).collect(),
        imported: imported::section(&model.imported, links),
        changes: model
            .changes
            .iter()
            .map(|line| ChangeRow {
                line,
                scenario: Link::new(links, &Target::Scenario(line.scenario.clone()), &line.scenario),
                stack: Link::new(links, &Target::HistoryOf(line.stack.clone()), &line.stack),
            })
            .collect(),
        gaps: model.gaps.iter().map(|gap| (linked(&gap.target, &gap.what), gap)).collect(),
        work: work_of(model, links),
        all_stacks: Link::new(links, &Target::Stacks, "All stacks"),
        defaults: Link::new(links, &Target::Defaults, super::defaults::TITLE),
    };
    Page {
        title: "Overview".to_owned(),
        section: Some(Section::Overview),
        crumbs: vec![Link::none("Overview")],
        parts: vec![
            Part { id: "stacks", title: "Stacks", needs_script: false },
            Part { id: "changes", title: "Changes", needs_script: false },
            Part { id: "gaps", title: "Gaps", needs_script: false },
        ],
        body: Html::of(&body),
        feed: links.to(&Target::File("feed.atom".to_owned())),
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}

fn work_of<'m>(model: &'m Overview, links: &dyn Links) -> Vec<WorkCard<'m>> {
    if !model.is_served {
        return Vec::new();
    }
    let link = |work: &'m Work| match &work.target {
        Some(target) => (Link::new(links, target, &work.title), work),
        None => (Link::none(&work.title), work),
    };
    let card = |title, none, works: &'m [Work]| {
        let lines = works.iter().map(link).collect();
        WorkCard { title, none, note: "", lines }
    };
    vec![
        card("Pull requests", "No pull request waits for an answer.", &model.pulls),
        WorkCard { note: &model.waits, ..card("Running and waiting", "No job runs or waits.", &model.jobs) },
        card("Runners", "No runner has called.", &model.runners),
    ]
}

fn stack_row<'m>(line: &'m StackLine, links: &dyn Links) -> StackRow<'m> {
    StackRow {
        line,
        name: Link::new(links, &Target::Stack(line.name.clone()), &line.name),
        run: Link::new(links, &Target::Run(line.run.clone()), super::figure::day(&line.measured)),
        history: links.to(&Target::HistoryOf(line.name.clone())),
        spark: spark(&line.trend, &line.trend_of),
    }
}

fn answer(model: &Overview) -> (&'static str, String) {
    if model.newest.is_empty() {
        return ("quiet", "Nothing has been measured yet".to_owned());
    }
    let count = |level| model.alerts.iter().filter(|alert| alert.level == level).count();
    let say = |number: usize, noun: &str, which: &str| {
        (number > 0).then(|| format!("{} {which}", counted(number, noun)))
    };
    // Regressions and failures are one alert per stack, whose own lines count its cells.
    let parts: Vec<String> = [
        say(count(Level::Regression), "stack", "with regressions"),
        say(count(Level::Failed), "stack", "that failed"),
        say(count(Level::Warning), "thing", "to look at"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match (model.alerts.first(), parts.as_slice()) {
        (Some(alert), _) if model.alerts.len() == 1 => (alert.level.class(), alert.text.clone()),
        (Some(alert), parts) => (alert.level.class(), parts.join(", ")),
        (None, _) if !has_imported_alone(model) => {
            ("good", "No regression and no failure in the newest results".to_owned())
        }
        (None, _) => answer_of_imported(model),
    }
}

fn has_imported_alone(model: &Overview) -> bool {
    model.stacks.is_empty() && !model.imported.is_empty()
}

/// The answer if there are only imported results, without a regression.
fn answer_of_imported(model: &Overview) -> (&'static str, String) {
    let is_judged = |line: &&ImportedLine| line.mark != "quiet";
    match model.imported.iter().filter(is_judged).count() {
        0 => ("quiet", "Imported results alone, without a verdict".to_owned()),
        judged if judged == model.imported.len() => {
            ("good", "No regression in the newest imported results".to_owned())
        }
        judged => {
            let all = model.imported.len();
            ("good", format!("No regression in the newest imported results of {judged} of {all} names"))
        }
    }
}

fn evidence(model: &Overview) -> String {
    if model.newest.is_empty() {
        return "The first run fills this page.".to_owned();
    }
    if has_imported_alone(model) {
        let newest = super::figure::day(&model.newest);
        return format!("Newest result: {newest}. The lab itself has measured nothing here yet.");
    }
    let oldest =
        model.stacks.iter().filter(|line| !line.measured.is_empty()).min_by_key(|line| &line.measured);
    let oldest = oldest
        .map(|line| format!(" Longest without one: {}, {}.", line.name, super::figure::day(&line.measured)));
    format!("Newest result: {}.{}", super::figure::day(&model.newest), oldest.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_heading_says_that_it_counts_stacks() {
        let alert = |level, text: &str| Alert { level, text: text.to_owned(), target: None };
        let worse =
            [alert(Level::Regression, "a 2: 11 regressions"), alert(Level::Regression, "b 3: 7 regressions")];
        let failed = [alert(Level::Failed, "c 1: not built")];
        let model = Overview {
            newest: "2026-11-27T00:00:00Z".to_owned(),
            alerts: [&worse[..], &failed[..]].concat(),
            ..Overview::default()
        };
        assert_eq!(answer(&model).1, "2 stacks with regressions, 1 stack that failed");
        let one = Overview { alerts: worse[..1].to_vec(), ..model };
        assert_eq!(answer(&one).1, "a 2: 11 regressions");
    }
}
