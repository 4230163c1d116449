//! Pull requests: whether each may be merged, its regressions, and all its measurements.

use askama::Template;

use super::account::Actions;
use super::comparison::ComparisonView;
use super::crumbs::crumbs;
use super::job::{Fact, fact_link};
use super::jobs::{Choice, project_link};
use super::moment::Moment;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::{Section, Target};

/// A pull request in a list: its newest measurement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PullLine {
    /// The project.
    pub project: String,
    /// The number.
    pub number: u64,
    /// The title; empty if it is unknown.
    pub title: String,
    /// The branch that it comes from; empty if it is unknown.
    pub branch: String,
    /// The class of the newest measurement's state.
    pub class: &'static str,
    /// That state.
    pub state: String,
    /// The reason for its state, or its outcome.
    pub why: String,
    /// Who opened the pull request.
    pub author: String,
    /// The commit that was measured.
    pub head: String,
    /// When the newest measurement was requested.
    pub at: Option<Moment>,
}

/// A measurement of a pull request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Measurement {
    /// The identifier of its job.
    pub job: String,
    /// The class of its state.
    pub class: &'static str,
    /// Its state.
    pub state: String,
    /// The reason for its state, or its outcome.
    pub why: String,
    /// The commit that is measured, and the one that it is compared with.
    pub commits: [String; 2],
    /// The runner.
    pub runner: String,
    /// When it was requested.
    pub at: Option<Moment>,
    /// Whether it came to a comparison.
    pub has_comparison: bool,
    /// Whether it changes nothing that is measured.
    pub is_unchanged: bool,
}

/// The contents of the page of a pull request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PullPage {
    /// The project.
    pub project: String,
    /// The number.
    pub number: u64,
    /// The title; empty if it is unknown.
    pub title: String,
    /// The branch that it comes from; empty if it is unknown.
    pub branch: String,
    /// Requirements of the command that repeats the measurement.
    pub needs: String,
    /// Author, commits and their addresses.
    pub facts: Vec<Fact>,
    /// The newest comparison, and the place of its measurement in the list.
    pub comparison: Option<(usize, ComparisonView)>,
    /// Actions on the newest measurement for those who are signed in.
    pub actions: Actions,
    /// The command that repeats the newest measurement.
    pub command: Option<String>,
    /// All measurements, newest first.
    pub measurements: Vec<Measurement>,
}

#[derive(Template)]
#[template(path = "service/pulls.html")]
struct List<'m> {
    title: &'m str,
    projects: &'m [Choice],
    table: Html,
}

/// The rows of pull requests.
#[derive(Template)]
#[template(path = "service/pull_rows.html")]
struct Rows<'m> {
    rows: Vec<(Link, Link, &'m PullLine)>,
}

/// Pull requests as a table.
pub(super) fn table(lines: &[PullLine], links: &dyn Links) -> Html {
    let link = |line: &PullLine| {
        let target = Target::PullRequest(line.project.clone(), line.number);
        Link::new(links, &target, format!("#{} {}", line.number, line.title).trim_end())
    };
    let rows = lines.iter().map(|line| (link(line), project_link(&line.project, links), line)).collect();
    Html::of(&Rows { rows })
}

/// The page of all pull requests that were measured, with choices of projects.
#[must_use]
pub fn pulls(lines: &[PullLine], projects: &[Choice], links: &dyn Links) -> Page {
    let chosen = projects.iter().skip(1).find(|choice| choice.is_current);
    let title = match chosen {
        Some(project) => format!("Pull requests of {}", project.text),
        None => "Pull requests".to_owned(),
    };
    let body = List { title: &title, projects, table: table(lines, links) };
    Page {
        section: Some(Section::PullRequests),
        crumbs: crumbs(links, None, &title),
        body: Html::of(&body),
        foot: vec![Html::text("All times are UTC.")],
        title,
        ..Page::default()
    }
}

#[derive(Template)]
#[template(path = "service/pull.html")]
struct Body<'m> {
    project: Link,
    model: &'m PullPage,
    class: &'static str,
    answer: String,
    evidence: Vec<String>,
    actions: Vec<Link>,
    facts: Vec<(&'m Fact, Link)>,
    rows: Vec<(Link, Option<Link>, &'m Measurement)>,
}

/// The page of a pull request.
#[must_use]
pub fn pull(model: &PullPage, links: &dyn Links) -> Page {
    let comparison = |measured: &Measurement| Target::Comparison(measured.job.clone());
    let rows = model.measurements.iter().map(|measured| {
        let job = Link::new(links, &Target::Job(measured.job.clone()), &measured.state);
        let whole = measured.has_comparison.then(|| Link::new(links, &comparison(measured), "comparison"));
        (job, whole, measured)
    });
    let compared = model.comparison.as_ref().and_then(|(at, _)| model.measurements.get(*at));
    let actions = [
        compared.map(|measured| Link::new(links, &comparison(measured), "Every cell")),
        model
            .measurements
            .first()
            .map(|newest| Link::new(links, &Target::Job(newest.job.clone()), "Newest job")),
    ];
    let (class, answer, evidence) = answer(model);
    let body = Body {
        project: project_link(&model.project, links),
        class,
        answer,
        evidence,
        actions: actions.into_iter().flatten().filter(|link| link.href.is_some()).collect(),
        facts: model.facts.iter().map(|fact| (fact, fact_link(fact, links))).collect(),
        rows: rows.collect(),
        model,
    };
    let title = format!("{} #{}", model.project, model.number);
    Page {
        section: Some(Section::PullRequests),
        crumbs: crumbs(links, Some((Target::PullRequests, "Pull requests")), &title),
        title: format!("Pull request {title} {}", model.title).trim_end().to_owned(),
        body: Html::of(&body),
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}

/// The class, the answer and the evidence: the newest comparison decides, and a newer measurement makes it
/// preliminary.
fn answer(model: &PullPage) -> (&'static str, String, Vec<String>) {
    let Some(newest) = model.measurements.first() else {
        return ("quiet", "This pull request was not measured".to_owned(), Vec::new());
    };
    match &model.comparison {
        None if newest.is_unchanged => {
            ("unchanged", "Safe to merge: nothing that is measured changed".to_owned(), Vec::new())
        }
        None => {
            let answer = format!("Not known yet whether it is safe to merge: {}", newest.state);
            (newest.class, answer, vec![newest.why.clone()])
        }
        Some((0, comparison)) => (comparison.class, safe(comparison), vec![comparison.sentence.clone()]),
        Some((at, comparison)) => {
            let older = model.measurements.get(*at).map_or("", |measured| measured.commits[0].as_str());
            let newer = format!(
                "The newest measurement, of {}, is {}: {}",
                newest.commits[0], newest.state, newest.why
            );
            let answer =
                format!("Not known yet for {}; for {older}: {}", newest.commits[0], safe(comparison));
            (newest.class, answer, vec![newer, comparison.sentence.clone()])
        }
    }
}

fn safe(comparison: &ComparisonView) -> String {
    match comparison.class {
        "regression" => format!("Not safe to merge: {}", comparison.title),
        "improvement" | "unchanged" => format!("Safe to merge. {}", comparison.advice),
        _ => comparison.advice.clone(),
    }
}
