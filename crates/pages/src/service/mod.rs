//! Pages of a service: its jobs, its runners, the pull requests that it measures, and what cannot be shown.
//!
//! Their models are plain data, in words and shortened already; text from outside is escaped here.

mod comparison;
mod error;
mod job;
mod jobs;
mod pulls;
mod runners;

use crate::asset::Asset;
use crate::links::{Link, Links};
use crate::target::Target;

pub use comparison::{ComparisonView, PairView, Row, Table};
pub use error::error;
pub use job::{ErrorView, Fact, JobView, LogLine, OutcomeView, StepView, job};
pub use jobs::{Choice, JobLine, Jobs, jobs};
pub use pulls::{Measurement, PullLine, PullPage, pull, pulls};
pub use runners::{RunnerLine, runners};

/// What a job's page appends to its log while the job is carried out.
pub(crate) const SCRIPT: Asset = Asset { name: "job.js", text: include_str!("../../assets/job.js") };

/// A moment, for programs and for people.
#[derive(Clone, Debug, PartialEq)]
pub struct Moment {
    /// `2026-11-25T03:00:00Z`.
    pub iso: String,
    /// `2026-11-25 03:00:00 UTC`.
    pub text: String,
}

fn crumbs(links: &dyn Links, between: Option<(Target, &str)>, own: &str) -> Vec<Link> {
    let mut crumbs = vec![Link::new(links, &Target::Overview, "Overview")];
    crumbs.extend(between.map(|(target, text)| Link::new(links, &target, text)));
    crumbs.push(Link::none(own));
    crumbs
}
