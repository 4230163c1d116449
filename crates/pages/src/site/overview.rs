//! The overview: what is wrong, what changed, what is new, what is running, what is missing.

use askama::Template;
use serde::{Deserialize, Serialize};

use super::figure::signed;
use super::lists::StackLine;
use super::marks::spark;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::{Page, Part};
use crate::target::{Section, Target};

/// What an overview shows. A site without a service has no work, pull requests or runners.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Overview {
    /// When the newest result was measured, RFC 3339; empty without any.
    pub newest: String,
    /// What needs somebody: worst first.
    pub alerts: Vec<Alert>,
    /// The stacks, those that need somebody first.
    pub stacks: Vec<StackLine>,
    /// What the newest versions changed, the largest first.
    pub changes: Vec<ChangeLine>,
    /// How many more there are.
    pub further_changes: usize,
    /// What has no value, and why.
    pub gaps: Vec<Gap>,
    /// How many more there are.
    pub further_gaps: usize,
    /// Pull requests with what was found.
    pub pulls: Vec<Work>,
    /// Jobs that run or wait.
    pub jobs: Vec<Work>,
    /// Runners.
    pub runners: Vec<Work>,
    /// Whether there is a service, which has the last three.
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

/// Something that needs somebody.
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

/// A change of a series.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChangeLine {
    /// The stack without its version.
    pub stack: String,
    /// The version from which on it holds.
    pub label: String,
    /// The scenario.
    pub scenario: String,
    /// `client`, `server` or `both`.
    pub side: String,
    /// What was measured.
    pub metric: String,
    /// After over before.
    pub ratio: f64,
    /// The run that showed it.
    pub run: String,
    /// When that began, RFC 3339.
    pub at: String,
    /// Whether it is below the negligible effect size.
    pub is_negligible: bool,
    /// What somebody noted about it.
    pub note: String,
}

impl ChangeLine {
    /// The class of its mark. More time, instructions or bytes is worse; more throughput is better.
    #[must_use]
    pub fn class(&self) -> &'static str {
        let is_up = self.ratio > 1.0;
        let is_worse = is_up != (self.metric.contains("throughput") || self.metric.contains("rate"));
        match (self.is_negligible, is_up, is_worse) {
            (true, true, _) => "tiny up",
            (true, false, _) => "tiny down",
            (false, _, true) => "regression",
            (false, _, false) => "improvement",
        }
    }

    /// As a signed share.
    #[must_use]
    pub fn text(&self) -> String {
        signed(self.ratio)
    }
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
    /// What it is.
    pub title: String,
    /// More of it.
    pub detail: String,
    /// The class of its mark.
    pub class: String,
    /// The word beside the mark.
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
    changes: Vec<ChangeRow<'m>>,
    gaps: Vec<(Link, &'m Gap)>,
    work: Vec<WorkCard<'m>>,
    all_stacks: Link,
}

/// Its title, what it says when it is empty, and its lines.
struct WorkCard<'m> {
    title: &'static str,
    none: &'static str,
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
    let card =
        |title, none, works: &'m [Work]| WorkCard { title, none, lines: works.iter().map(link).collect() };
    vec![
        card("Pull requests", "No pull request waits for an answer.", &model.pulls),
        card("Running and waiting", "No job runs or waits.", &model.jobs),
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
    let say = |number: usize, one: &str, many: &str| match number {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{number} {many}")),
    };
    let parts: Vec<String> = [
        say(count(Level::Regression), "regression", "regressions"),
        say(count(Level::Failed), "failure", "failures"),
        say(count(Level::Warning), "thing to look at", "things to look at"),
    ]
    .into_iter()
    .flatten()
    .collect();
    match (model.alerts.first(), parts.as_slice()) {
        (Some(alert), _) if model.alerts.len() == 1 => (alert.level.class(), alert.text.clone()),
        (Some(alert), parts) => (alert.level.class(), parts.join(", ")),
        (None, _) => ("good", "No regression and no failure in the newest results".to_owned()),
    }
}

fn evidence(model: &Overview) -> String {
    if model.newest.is_empty() {
        return "The first run fills this page.".to_owned();
    }
    let oldest =
        model.stacks.iter().filter(|line| !line.measured.is_empty()).min_by_key(|line| &line.measured);
    let oldest = oldest.map(|line| {
        format!("; the oldest of a stack is of {} ({})", super::figure::day(&line.measured), line.name)
    });
    format!("The newest result is of {}{}.", super::figure::day(&model.newest), oldest.unwrap_or_default())
}
