//! The list of jobs: the state of each, its cause, who requested it, and when it starts.

use askama::Template;

use super::crumbs::crumbs;
use super::moment::Moment;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::{Section, Target};

/// A job of the list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobLine {
    /// Its identifier.
    pub id: String,
    /// Its subject.
    pub title: String,
    /// A detail that distinguishes it from others of the same title: a branch and a commit; may be empty.
    pub detail: String,
    /// Its project.
    pub project: String,
    /// The class of its state.
    pub class: &'static str,
    /// Its state.
    pub state: String,
    /// The cause of its state.
    pub why: String,
    /// Its place in the queue.
    pub position: String,
    /// When it starts, if that is known.
    pub starts: String,
    /// Who has it, or had it last.
    pub runner: String,
    /// When it was added, or when it ended.
    pub at: Option<Moment>,
    /// Its age, or how long it took.
    pub age: String,
    /// Who requested it; empty if the service did.
    pub asked_by: String,
    /// Its priority: a larger number is first.
    pub priority: i64,
    /// How many attempts have failed; empty if none has.
    pub retries: String,
}

/// A choice of jobs, and the address that shows it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice {
    /// Its label.
    pub text: String,
    /// Its address.
    pub href: String,
    /// Whether it is shown now.
    pub is_current: bool,
}

/// The contents of the page of jobs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Jobs {
    /// The project that is chosen; empty for all.
    pub project: String,
    /// The choices of projects.
    pub projects: Vec<Choice>,
    /// The choices of states.
    pub states: Vec<Choice>,
    /// How many are queued, running, waiting for approval.
    pub counts: [usize; 3],
    /// Jobs that fail again and again, or were given up by their runner.
    pub alerts: Vec<String>,
    /// Jobs that have not ended; none if they were not requested.
    pub open: Option<Vec<JobLine>>,
    /// Jobs that have ended; none if they were not requested.
    pub ended: Option<Vec<JobLine>>,
    /// The number of superseded jobs that are not listed, and the address that lists them.
    pub superseded: Option<(usize, String)>,
    /// Whether this is the newest page of ended jobs.
    pub is_first: bool,
    /// The address of earlier jobs.
    pub earlier: Option<String>,
}

#[derive(Template)]
#[template(path = "service/jobs.html")]
struct Body<'m> {
    model: &'m Jobs,
    class: &'static str,
    answer: String,
    evidence: String,
    open: Vec<(Link, Link, &'m JobLine)>,
    ended: Vec<(Link, Link, &'m JobLine)>,
}

/// The page of jobs.
#[must_use]
pub fn jobs(model: &Jobs, links: &dyn Links) -> Page {
    let title = match model.project.as_str() {
        "" => "Jobs".to_owned(),
        project => format!("Jobs of {project}"),
    };
    let (class, answer) = answer(model);
    let body = Body {
        class,
        answer,
        evidence: evidence(model),
        open: linked(&model.open, links),
        ended: linked(&model.ended, links),
        model,
    };
    Page {
        crumbs: crumbs(links, None, &title),
        title,
        section: Some(Section::Jobs),
        body: Html::of(&body),
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}

fn linked<'m>(lines: &'m Option<Vec<JobLine>>, links: &dyn Links) -> Vec<(Link, Link, &'m JobLine)> {
    let link = |line: &'m JobLine| {
        let job = Link::new(links, &Target::Job(line.id.clone()), &line.title);
        (job, project_link(&line.project, links), line)
    };
    lines.iter().flatten().map(link).collect()
}

/// The name of a project with a link to its page.
pub(super) fn project_link(project: &str, links: &dyn Links) -> Link {
    match project {
        "" => Link::none(""),
        project => Link::new(links, &Target::Project(project.to_owned()), project),
    }
}

fn answer(model: &Jobs) -> (&'static str, String) {
    let [queued, running, waiting] = model.counts;
    let say = |count: usize, what: &str| (count > 0).then(|| format!("{count} {what}"));
    let parts: Vec<String> =
        [say(running, "running"), say(queued, "queued"), say(waiting, "waiting for approval")]
            .into_iter()
            .flatten()
            .collect();
    let of = if model.project.is_empty() { String::new() } else { format!(" of {}", model.project) };
    match parts.is_empty() {
        true => ("quiet", format!("No job{of} is waiting or running")),
        false if running == 0 && waiting == 0 => ("quiet", format!("Jobs{of}: {}", parts.join(", "))),
        false => ("running", format!("Jobs{of}: {}", parts.join(", "))),
    }
}

fn evidence(model: &Jobs) -> String {
    let next = model.open.iter().flatten().find(|job| !job.starts.is_empty());
    match next {
        Some(next) => format!("Next: {}; it starts {}: {}.", next.title, when(&next.starts), next.why),
        None => String::new(),
    }
}

fn when(starts: &str) -> &str {
    if starts == "next" { "as soon as a runner is free" } else { starts }
}
