//! Pages of a service: its jobs, its runners, its pull requests, and errors.
//!
//! Their models are plain data, in words and shortened already; text from outside is escaped here.

mod account;
mod comparison;
mod crumbs;
mod error;
mod job;
mod jobs;
mod moment;
mod project;
mod pulls;
mod runners;

pub use account::{Action, Actions, SignIn, sign_in};
pub use comparison::{ComparisonView, PairView, Row, Table};
pub use error::error;
pub(crate) use job::SCRIPT;
pub use job::{ErrorView, Fact, JobView, LogLine, OutcomeView, StepView, job};
pub use jobs::{Choice, JobLine, Jobs, jobs};
pub use moment::Moment;
pub use project::{ProjectPage, project};
pub use pulls::{Measurement, PullLine, PullPage, pull, pulls};
pub use runners::{RunnerLine, runners};
