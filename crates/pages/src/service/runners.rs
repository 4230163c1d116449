//! Runners: their names, their work and their machines.

use askama::Template;

use super::crumbs::crumbs;
use super::moment::Moment;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::{Section, Target};

/// A runner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RunnerLine {
    /// Its name.
    pub name: String,
    /// The class of its state.
    pub class: &'static str,
    /// Whether it is connected, and if it is, whether it takes jobs.
    pub state: &'static str,
    /// Whether it is connected.
    pub is_connected: bool,
    /// Its labels.
    pub labels: String,
    /// When it called last.
    pub seen: Option<Moment>,
    /// How long ago that was.
    pub since: String,
    /// Facts that it reported: name and text.
    pub facts: Vec<(String, String)>,
    /// Properties of its machine that are unknown.
    pub unknown: Vec<String>,
    /// The identifier and title of the job that it has.
    pub job: Option<(String, String)>,
    /// Of its last jobs, how many were done and how many failed by the runner or the lab.
    pub last_jobs: String,
}

#[derive(Template)]
#[template(path = "service/runners.html")]
struct Body<'m> {
    class: &'static str,
    answer: String,
    evidence: String,
    runners: Vec<(Option<Link>, &'m RunnerLine)>,
}

/// The page of runners.
#[must_use]
pub fn runners(runners: &[RunnerLine], links: &dyn Links) -> Page {
    let job = |runner: &RunnerLine| {
        let (id, title) = runner.job.as_ref()?;
        Some(Link::new(links, &Target::Job(id.clone()), title))
    };
    let (class, answer, evidence) = answer(runners);
    let body = Body {
        class,
        answer,
        evidence,
        runners: runners.iter().map(|runner| (job(runner), runner)).collect(),
    };
    Page {
        title: "Runners".to_owned(),
        section: Some(Section::Runners),
        crumbs: crumbs(links, None, "Runners"),
        body: Html::of(&body),
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}

fn answer(runners: &[RunnerLine]) -> (&'static str, String, String) {
    if runners.is_empty() {
        let evidence = "Jobs wait until one is registered; the configuration names runners.".to_owned();
        return ("warning", "No runner is registered".to_owned(), evidence);
    }
    let connected: Vec<&RunnerLine> = runners.iter().filter(|runner| runner.is_connected).collect();
    let busy = connected.iter().filter(|runner| runner.job.is_some()).count();
    let answer = format!("{} of {} connected, {busy} measuring", connected.len(), runners.len());
    let marked = |is_connected: bool| {
        let marked =
            runners.iter().filter(|runner| runner.class == "warning" && runner.is_connected == is_connected);
        let marked: Vec<String> =
            marked.map(|runner| format!("{} ({})", runner.name, runner.state)).collect();
        marked.join(", ")
    };
    let (resting, silent) = (marked(true), marked(false));
    let some = |what: &str, names: String| (!names.is_empty()).then(|| format!("{what}: {names}."));
    let evidence: Vec<String> =
        [some("Without new jobs", resting), some("Not heard of", silent)].into_iter().flatten().collect();
    match (connected.is_empty(), evidence.is_empty()) {
        (true, _) => ("warning", answer, "No job starts until a runner connects.".to_owned()),
        (_, false) => ("warning", answer, evidence.join(" ")),
        _ => ("good", answer, String::new()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runner(name: &str, class: &'static str, state: &'static str, is_connected: bool) -> RunnerLine {
        let job = is_connected.then(|| ("j".to_owned(), "a job".to_owned()));
        RunnerLine { name: name.to_owned(), class, state, is_connected, job, ..RunnerLine::default() }
    }

    #[test]
    fn a_runner_that_rests_is_connected() {
        let works = runner("a", "good", "connected", true);
        let rests = runner("b", "warning", "paused", true);
        let silent = runner("c", "warning", "silent", false);
        let of = |runners: &[RunnerLine]| answer(runners);
        assert_eq!(of(std::slice::from_ref(&works)).1, "1 of 1 connected, 1 measuring");
        let (class, text, evidence) = of(&[works, rests, silent.clone()]);
        assert_eq!((class, &*text), ("warning", "2 of 3 connected, 2 measuring"));
        assert_eq!(evidence, "Without new jobs: b (paused). Not heard of: c (silent).");
        assert_eq!(of(&[silent]).2, "No job starts until a runner connects.");
    }
}
