//! One job: its state and the cause, its subject, steps, log and result.

use askama::Template;

use super::account::Actions;
use super::comparison::ComparisonView;
use super::crumbs::crumbs;
use super::moment::Moment;
use crate::asset::Asset;
use crate::embed::Html;
use crate::links::{Link, Links};
use crate::page::Page;
use crate::target::{Section, Target};

/// Appends events to a job's log while the job runs.
pub(crate) const SCRIPT: Asset = Asset { name: "job.js", text: include_str!("../../assets/job.js") };

/// A job for its page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobView {
    /// Its identifier.
    pub id: String,
    /// Its subject.
    pub title: String,
    /// The class of its state.
    pub class: &'static str,
    /// Its state.
    pub state: String,
    /// Whether it has ended.
    pub is_ended: bool,
    /// The cause of its state.
    pub reason: String,
    /// The lines after the first of that: the end of a log.
    pub last_lines: String,
    /// Who caused a failure.
    pub fault: &'static str,
    /// Its subject: names, texts, and addresses if there are any.
    pub facts: Vec<Fact>,
    /// Its steps.
    pub steps: Vec<StepView>,
    /// How far it is, if a runner has it: its stage, how much of it is done, how much time is left.
    pub progress: String,
    /// Failures and disturbances in the log that are not shown above; each once.
    pub problems: Vec<LogLine>,
    /// Pages about its result, and the pull request that it belongs to.
    pub related: Vec<(String, Target)>,
    /// Its log.
    pub log: Vec<LogLine>,
    /// The last event of that log, `TOKEN.NUMBER`.
    pub log_end: String,
    /// Whether earlier lines are not shown.
    pub is_log_cut: bool,
    /// Its outcome.
    pub outcome: OutcomeView,
    /// Actions of those who are signed in.
    pub actions: Actions,
    /// The same measurement as a command.
    pub command: Option<String>,
    /// Requirements of that command.
    pub needs: String,
    /// Whether the engine's job can be read.
    pub has_engine_job: bool,
    /// Whether it has a result.
    pub has_result: bool,
}

/// Something to know of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    /// Its name.
    pub name: &'static str,
    /// The text.
    pub text: String,
    /// Where more is, on a code host.
    pub address: Option<String>,
    /// Where more is, here.
    pub target: Option<Target>,
}

/// A step of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepView {
    /// When.
    pub at: Option<Moment>,
    /// To which state.
    pub to: String,
    /// Why.
    pub cause: String,
    /// How long it stood there.
    pub took: String,
}

/// A line of a log.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LogLine {
    /// When, `03:00:00`; empty if that is not known.
    pub time: String,
    /// `note`, `step`, `warning` or `error`.
    pub kind: &'static str,
    /// The event. Only the end of a build's log has several lines.
    pub text: String,
}

/// The outcome of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutcomeView {
    /// A comparison, if it is one.
    pub comparison: Option<ComparisonView>,
    /// Other outcomes, in a few sentences.
    pub summary: Vec<String>,
    /// The error, with the last lines of the log.
    pub error: Option<ErrorView>,
}

/// The reason for a missing outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorView {
    /// The thing and the cause.
    pub cause: String,
    /// The next step; may be empty.
    pub next_step: String,
}

#[derive(Template)]
#[template(path = "service/job.html")]
struct Body<'m> {
    job: &'m JobView,
    related: Vec<Link>,
    facts: Vec<(&'m Fact, Link)>,
}

/// The page of a job. While the job runs, its script appends to the log; the page is complete without it.
#[must_use]
pub fn job(model: &JobView, links: &dyn Links) -> Page {
    let related = model.related.iter().map(|(text, target)| Link::new(links, target, text));
    let body = Body {
        job: model,
        related: related.filter(|link| link.href.is_some()).collect(),
        facts: model.facts.iter().map(|fact| (fact, fact_link(fact, links))).collect(),
    };
    Page {
        title: format!("{}: {}", model.title, model.state),
        section: Some(Section::Jobs),
        crumbs: crumbs(links, Some((Target::Jobs, "Jobs")), &model.id),
        body: Html::of(&body),
        assets: if model.is_ended { Vec::new() } else { vec![SCRIPT] },
        foot: vec![Html::text("All times are UTC.")],
        ..Page::default()
    }
}

pub(super) fn fact_link(fact: &Fact, links: &dyn Links) -> Link {
    match &fact.target {
        Some(target) => Link::new(links, target, &fact.text),
        None => Link { text: fact.text.clone(), href: fact.address.clone() },
    }
}
