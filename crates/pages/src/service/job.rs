//! One job: where it stands and why, what it is about, its steps, its log and its result.

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

/// What a job's page appends to its log while the job is carried out.
pub(crate) const SCRIPT: Asset = Asset { name: "job.js", text: include_str!("../../assets/job.js") };

/// A job for its page.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct JobView {
    /// Its identifier.
    pub id: String,
    /// What it is about.
    pub title: String,
    /// The class of its state.
    pub class: &'static str,
    /// Its state.
    pub state: String,
    /// Whether it has ended.
    pub is_ended: bool,
    /// Why it stands there.
    pub reason: String,
    /// The lines after the first of that: the end of a log.
    pub last_lines: String,
    /// Whose fault a failure is.
    pub fault: &'static str,
    /// What it is about: names, texts, and addresses where there are some.
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
    /// What those who are signed in may do.
    pub actions: Actions,
    /// The same measurement as a command.
    pub command: Option<String>,
    /// What that command needs.
    pub needs: String,
    /// Whether the engine's job can be read.
    pub has_engine_job: bool,
    /// Whether there is a result.
    pub has_result: bool,
}

/// Something to know of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    /// What it is.
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
    /// What happened. Only the end of a build's log has several lines.
    pub text: String,
}

/// The outcome of a job.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct OutcomeView {
    /// A comparison, if it is one.
    pub comparison: Option<ComparisonView>,
    /// What it is otherwise, in a few sentences.
    pub summary: Vec<String>,
    /// The error, with the last lines of the log.
    pub error: Option<ErrorView>,
}

/// Why there is no outcome.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ErrorView {
    /// The thing and the cause.
    pub cause: String,
    /// What to do; may be empty.
    pub next_step: String,
}

#[derive(Template)]
#[template(path = "service/job.html")]
struct Body<'m> {
    job: &'m JobView,
    related: Vec<Link>,
    facts: Vec<(&'m Fact, Link)>,
}

/// The page of a job. While the job is carried out, its script appends to the log; the page is complete
/// without it.
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
