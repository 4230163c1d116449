//! The data of the API.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;
use tlslab_queue::{JobRow, Runner, State, Transition};

use crate::runners::labels_of;

/// Jobs, the newest first.
#[derive(Serialize, JsonSchema)]
pub(super) struct JobList {
    /// The jobs.
    pub jobs: Vec<JobView>,
    /// The value of `before` for the next page; none if this is the last one.
    pub before: Option<i64>,
}

/// A job in its present state.
#[derive(Serialize, JsonSchema)]
pub(super) struct JobView {
    /// Its number, which grows; `before` of a list.
    pub number: i64,
    /// Its identifier.
    pub id: String,
    /// Its project.
    pub project: String,
    /// Its subject, by `kind`: `pull`, `push`, `range`, `schedule` or `submitted`.
    pub subject: Value,
    /// A title of a few words.
    pub title: String,
    /// Its state.
    #[schemars(schema_with = "state_schema")]
    pub state: State,
    /// Whether it has ended.
    pub is_ended: bool,
    /// The cause of its state, in a sentence.
    pub reason: String,
    /// Who caused the failure, if it failed: `candidate`, `baseline`, `lab` or `runner`.
    pub fault: Option<&'static str>,
    /// The labels that a runner must have.
    pub labels: Vec<String>,
    /// Whether it only runs in a sandbox.
    pub needs_sandbox: bool,
    /// Jobs of a larger number go first.
    pub priority: i64,
    /// Its place in the queue, from 1, if it is queued.
    pub position: Option<u64>,
    /// When it was added, milliseconds since 1970.
    pub created_unix_ms: u64,
    /// No runner gets it before.
    pub not_before_unix_ms: u64,
    /// When a runner last took it.
    pub leased_unix_ms: Option<u64>,
    /// When it ended.
    pub ended_unix_ms: Option<u64>,
    /// How many attempts failed by the lab or a runner.
    pub attempts: u32,
    /// How many may.
    pub most_attempts: u32,
    /// Its runner, or its last one.
    pub runner: Option<String>,
    /// Why it is to be cancelled, if it is.
    pub cancel: Option<String>,
    /// The job that takes its place.
    pub superseded_by: Option<String>,
}

impl From<JobRow> for JobView {
    fn from(job: JobRow) -> Self {
        let time = |unix_ms: u64| (unix_ms > 0).then_some(unix_ms);
        Self {
            title: crate::render::words::title(&job),
            number: job.key,
            id: job.id,
            project: job.project,
            subject: job.subject,
            state: job.state,
            is_ended: job.state.is_ended(),
            reason: job.reason,
            fault: job.fault.map(|fault| fault.name()),
            labels: job.labels,
            needs_sandbox: job.needs_sandbox,
            priority: job.priority,
            position: job.position,
            created_unix_ms: job.created_unix_ms,
            not_before_unix_ms: job.not_before_unix_ms,
            leased_unix_ms: time(job.leased_unix_ms),
            ended_unix_ms: time(job.ended_unix_ms),
            attempts: job.attempts,
            most_attempts: job.most_attempts,
            runner: job.runner,
            cancel: job.cancel,
            superseded_by: job.superseded_by,
        }
    }
}

/// A job with its history.
#[derive(Serialize, JsonSchema)]
pub(super) struct JobDetail {
    /// The job.
    #[serde(flatten)]
    pub job: JobView,
    /// The work for a runner: jobs of the engine, one after the other.
    pub work: Value,
    /// Its steps, in order.
    pub transitions: Vec<TransitionView>,
}

/// A step of a job.
#[derive(Serialize, JsonSchema)]
pub(super) struct TransitionView {
    /// When, milliseconds since 1970.
    pub at_unix_ms: u64,
    /// From which state; none for the first.
    #[schemars(schema_with = "optional_state_schema")]
    pub from: Option<State>,
    /// To which.
    #[schemars(schema_with = "state_schema")]
    pub to: State,
    /// Why.
    pub cause: String,
    /// The number of the lease at that time.
    pub token: u64,
}

impl From<Transition> for TransitionView {
    fn from(step: Transition) -> Self {
        let Transition { at_unix_ms, from, to, cause, token, .. } = step;
        Self { at_unix_ms, from, to, cause, token }
    }
}

/// Events of a job's newest attempt that has some.
#[derive(Serialize, JsonSchema)]
pub(super) struct EventList {
    /// The number of the attempt's lease. Numbers of events start again with each attempt.
    pub token: u64,
    /// The events in their order.
    pub events: Vec<NumberedEvent>,
    /// The job's state.
    #[schemars(schema_with = "state_schema")]
    pub state: State,
    /// Whether the job has ended; there may be more events after these nevertheless.
    pub is_ended: bool,
    /// Whether there are more events already.
    pub has_more: bool,
}

/// An event.
#[derive(Serialize, JsonSchema)]
pub(super) struct NumberedEvent {
    /// Its number within the attempt; `after` of the next request.
    pub number: u64,
    /// The line of `tlslab work`, as event.schema.json describes it.
    pub event: Value,
}

/// Machines that take jobs.
#[derive(Serialize, JsonSchema)]
pub(super) struct RunnerList {
    /// The runners by name.
    pub runners: Vec<RunnerView>,
}

/// A machine that takes jobs.
#[derive(Serialize, JsonSchema)]
pub(super) struct RunnerView {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// When it was heard of last, milliseconds since 1970.
    pub seen_unix_ms: Option<u64>,
    /// Facts that it reported.
    pub facts: Value,
    /// Its duty: `works`, `drains`, `paused` or `quarantined`.
    pub duty: &'static str,
    /// Why.
    pub duty_cause: String,
    /// Since when, milliseconds since 1970; none if it was never changed.
    pub duty_unix_ms: Option<u64>,
    /// Hours in which it takes no job, in UTC.
    pub quiet: String,
}

impl From<Runner> for RunnerView {
    fn from(runner: Runner) -> Self {
        let time = |unix_ms: u64| (unix_ms > 0).then_some(unix_ms);
        Self {
            labels: labels_of(&runner),
            seen_unix_ms: time(runner.seen_unix_ms),
            duty: runner.duty.name(),
            duty_cause: runner.duty_cause,
            duty_unix_ms: time(runner.duty_unix_ms),
            quiet: runner.quiet,
            name: runner.name,
            facts: runner.facts,
        }
    }
}

/// Every state of a job.
pub(crate) const STATES: [State; 13] = [
    State::WaitingForApproval,
    State::Queued,
    State::Fetching,
    State::BuildingBaseline,
    State::BuildingCandidate,
    State::Proving,
    State::Measuring,
    State::Confirming,
    State::Explaining,
    State::Reported,
    State::Cancelled,
    State::Superseded,
    State::Failed,
];

fn state_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": "string", "enum": STATES.map(State::name) })
}

fn optional_state_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "type": ["string", "null"], "enum": STATES.map(|state| Some(state.name())).into_iter().chain([None]).collect::<Vec<_>>() })
}
