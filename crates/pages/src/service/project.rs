//! A project: its pull requests, jobs, comparisons, stacks and history, and where all of each are.

use askama::Template;

use super::crumbs::crumbs;
use super::job::{Fact, fact_link};
use super::jobs::{Choice, JobLine};
use super::pulls::{PullLine, table};
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::site::{ComparisonLine, comparison_rows};
use crate::target::{Section, Target};

/// The contents of the page of a project.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ProjectPage {
    /// Its name.
    pub name: String,
    /// Its address, and its settings.
    pub facts: Vec<Fact>,
    /// Links to the project's pages.
    pub all: Vec<Choice>,
    /// The stacks that are built from it.
    pub stacks: Vec<String>,
    /// Its pull requests by their newest measurement.
    pub pulls: Vec<PullLine>,
    /// Its jobs that have not ended.
    pub jobs: Vec<JobLine>,
    /// Its last comparisons.
    pub comparisons: Vec<ComparisonLine>,
}

#[derive(Template)]
#[template(path = "service/project.html")]
struct Body<'m> {
    model: &'m ProjectPage,
    class: &'static str,
    answer: String,
    facts: Vec<(&'m Fact, Link)>,
    stacks: Vec<[Link; 2]>,
    pulls: Html,
    jobs: Vec<(Link, &'m JobLine)>,
    comparisons: Vec<(Link, &'m ComparisonLine)>,
}

/// The page of a project.
#[must_use]
pub fn project(model: &ProjectPage, links: &dyn Links) -> Page {
    let (class, answer) = answer(model);
    let stack = |name: &String| {
        let history = Link::new(links, &Target::HistoryOf(name.clone()), format!("History of {name}"));
        [Link::new(links, &Target::Stack(name.clone()), format!("Results of {name}")), history]
    };
    let job = |line: &JobLine| Link::new(links, &Target::Job(line.id.clone()), &line.title);
    let body = Body {
        class,
        answer,
        facts: model.facts.iter().map(|fact| (fact, fact_link(fact, links))).collect(),
        stacks: model.stacks.iter().map(stack).collect(),
        pulls: table(&model.pulls, links),
        jobs: model.jobs.iter().map(|line| (job(line), line)).collect(),
        comparisons: comparison_rows(&model.comparisons, links),
        model,
    };
    Page {
        title: format!("Project {}", model.name),
        section: Some(Section::PullRequests),
        crumbs: crumbs(links, None, &model.name),
        body: Html::of(&body),
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}

/// Pull requests with regressions come first, then those that failed.
fn answer(model: &ProjectPage) -> (&'static str, String) {
    let count = |class: &str| model.pulls.iter().filter(|pull| pull.class == class).count();
    let name = &model.name;
    match (count("regression"), count("failed"), model.pulls.len()) {
        (0, 0, 0) => ("quiet", format!("{name}: no pull request was measured")),
        (0, 0, _) => ("good", format!("{name}: no pull request listed here has a regression")),
        (0, 1, _) => ("failed", format!("{name}: 1 pull request could not be measured")),
        (0, failed, _) => ("failed", format!("{name}: {failed} pull requests could not be measured")),
        (1, ..) => ("regression", format!("{name}: 1 pull request has regressions")),
        (worse, ..) => ("regression", format!("{name}: {worse} pull requests have regressions")),
    }
}
