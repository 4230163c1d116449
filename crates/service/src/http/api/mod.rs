//! The JSON API. [`TABLE`] has every route once: the router and the description are made from it.

mod error;
mod read;
mod samples;
mod views;
mod write;

use std::sync::Arc;

use axum::Router;
use axum::routing::{MethodRouter, get, post};
use schemars::{Schema, SchemaGenerator};
use tlslab_queue::Scope;

use crate::http::guard;
use crate::service::Service;

pub(crate) use error::ApiError;
pub(crate) use read::events_after;
pub(crate) use views::STATES;

/// A route.
pub(crate) struct Route {
    /// `get` or `post`.
    pub method: &'static str,
    /// Its path below [`PREFIX`].
    pub path: &'static str,
    /// Its name in generated programs.
    pub name: &'static str,
    /// Its summary.
    pub summary: &'static str,
    /// The scope that a token needs; none if no token is needed.
    pub scope: Option<Scope>,
    /// Its parameters in the query.
    pub query: &'static [Parameter],
    /// The schema of the request.
    pub body: Option<SchemaOf>,
    /// The schema of the answer.
    pub answer: SchemaOf,
    /// Statuses of its errors, besides those of all routes.
    pub errors: &'static [u16],
    handler: fn() -> MethodRouter<Arc<Service>>,
}

/// The schema of something that is sent or answered.
pub(crate) type SchemaOf = fn(&mut SchemaGenerator) -> Schema;

/// A parameter in a query.
pub(crate) struct Parameter {
    /// Its name.
    pub name: &'static str,
    /// Its summary.
    pub summary: &'static str,
    /// Its schema, as JSON.
    pub schema: &'static str,
    /// Whether it must be there.
    pub is_required: bool,
}

/// The prefix of all paths.
pub(crate) const PREFIX: &str = "/api/v1";

const fn parameter(name: &'static str, summary: &'static str, schema: &'static str) -> Parameter {
    Parameter { name, summary, schema, is_required: false }
}

const fn required(name: &'static str, summary: &'static str, schema: &'static str) -> Parameter {
    Parameter { name, summary, schema, is_required: true }
}

const LIST: &[Parameter] = &[
    parameter("project", "Only jobs of this project.", r#"{"type":"string"}"#),
    parameter("runner", "Only jobs that this runner has or had last.", r#"{"type":"string"}"#),
    parameter(
        "phase",
        "Only jobs that have not ended, or that have.",
        r#"{"type":"string","enum":["open","ended"]}"#,
    ),
    parameter("before", "Only jobs with a number below this one.", r#"{"type":"integer"}"#),
    parameter("limit", "Maximum number.", r#"{"type":"integer","minimum":1,"maximum":200,"default":50}"#),
];

const EVENTS: &[Parameter] = &[
    parameter("after", "Only events with a larger number.", r#"{"type":"integer","minimum":0,"default":0}"#),
    parameter(
        "token",
        "The attempt that `after` refers to. If it is not the newest, all events of the newest are returned.",
        r#"{"type":"integer","minimum":0}"#,
    ),
];

const SAMPLES: &[Parameter] = &[
    required("scenario", "The scenario.", r#"{"type":"string"}"#),
    required("stack", "The stack, as the run names it.", r#"{"type":"string"}"#),
    required("side", "The side.", r#"{"type":"string","enum":["client","server"]}"#),
    parameter("from", "The first sample, counted from 0.", r#"{"type":"integer","minimum":0,"default":0}"#),
    parameter("to", "The sample after the last one.", r#"{"type":"integer","minimum":0}"#),
    parameter(
        "points",
        "Maximum number of points. If there are more samples, groups of consecutive ones become one point each.",
        r#"{"type":"integer","minimum":1,"maximum":10000,"default":1000}"#,
    ),
];

/// Every route.
pub(crate) const TABLE: &[Route] = &[
    Route {
        method: "get",
        path: "/jobs",
        name: "listJobs",
        summary: "Lists jobs, the newest first.",
        scope: Some(Scope::Read),
        query: LIST,
        body: None,
        answer: |schemas| schemas.subschema_for::<views::JobList>(),
        errors: &[400],
        handler: || get(read::list),
    },
    Route {
        method: "post",
        path: "/jobs",
        name: "submitJob",
        summary: "Submits a job. Submitting the same job again changes nothing and returns status 200.",
        scope: Some(Scope::Submit),
        query: &[],
        body: Some(|schemas| schemas.subschema_for::<write::Submission>()),
        answer: |schemas| schemas.subschema_for::<views::JobView>(),
        errors: &[400, 409, 413],
        handler: || post(write::submit),
    },
    Route {
        method: "get",
        path: "/jobs/{id}",
        name: "getJob",
        summary: "Reads a job with its transitions.",
        scope: Some(Scope::Read),
        query: &[],
        body: None,
        answer: |schemas| schemas.subschema_for::<views::JobDetail>(),
        errors: &[404],
        handler: || get(read::job),
    },
    Route {
        method: "get",
        path: "/jobs/{id}/events",
        name: "listEvents",
        summary: "Reads the events of a job.",
        scope: Some(Scope::Read),
        query: EVENTS,
        body: None,
        answer: |schemas| schemas.subschema_for::<views::EventList>(),
        errors: &[400, 404],
        handler: || get(read::events),
    },
    Route {
        method: "get",
        path: "/jobs/{id}/result",
        name: "getResult",
        summary: "Reads the result of a job; status 404 until it has one.",
        scope: Some(Scope::Read),
        query: &[],
        body: None,
        answer: |schemas| schemas.subschema_for::<tlslab_job::Ending>(),
        errors: &[404],
        handler: || get(read::result),
    },
    Route {
        method: "post",
        path: "/jobs/{id}/cancel",
        name: "cancelJob",
        summary: "Cancels a job. The scope `submit` is enough for the token's own jobs. A job that has ended does not change.",
        scope: Some(Scope::Submit),
        query: &[],
        body: Some(|schemas| schemas.subschema_for::<write::Why>()),
        answer: |schemas| schemas.subschema_for::<views::JobView>(),
        errors: &[400, 404, 413],
        handler: || post(write::cancel),
    },
    Route {
        method: "post",
        path: "/jobs/{id}/approve",
        name: "approveJob",
        summary: "Approves a job that waits for approval.",
        scope: Some(Scope::Administer),
        query: &[],
        body: Some(|schemas| schemas.subschema_for::<write::Why>()),
        answer: |schemas| schemas.subschema_for::<views::JobView>(),
        errors: &[400, 404, 409, 413],
        handler: || post(write::approve),
    },
    Route {
        method: "post",
        path: "/jobs/{id}/again",
        name: "runAgain",
        summary: "Runs an ended job again, as a new job, and returns that job. The scope `submit` is enough for the \
                  token's own jobs. A pull request's job must be of its current head.",
        scope: Some(Scope::Submit),
        query: &[],
        body: Some(|schemas| schemas.subschema_for::<write::Why>()),
        answer: |schemas| schemas.subschema_for::<views::JobView>(),
        errors: &[400, 404, 409, 413],
        handler: || post(write::again),
    },
    Route {
        method: "get",
        path: "/runners",
        name: "listRunners",
        summary: "Lists the machines that take jobs.",
        scope: Some(Scope::Read),
        query: &[],
        body: None,
        answer: |schemas| schemas.subschema_for::<views::RunnerList>(),
        errors: &[],
        handler: || get(read::runners),
    },
    Route {
        method: "post",
        path: "/runners/{name}/duty",
        name: "setDuty",
        summary: "Lets a runner take jobs again (`works`), end its job and take no other (`drains`), or give its job back and take no other \
                  (`paused`).",
        scope: Some(Scope::Administer),
        query: &[],
        body: Some(|schemas| schemas.subschema_for::<write::DutyChange>()),
        answer: |schemas| schemas.subschema_for::<views::RunnerView>(),
        errors: &[400, 404, 413],
        handler: || post(write::duty),
    },
    Route {
        method: "get",
        path: "/runs/{run}/samples",
        name: "listSamples",
        summary: "Reads a stack's samples of a scenario: all, or reduced to a number of points.",
        scope: Some(Scope::Read),
        query: SAMPLES,
        body: None,
        answer: |schemas| schemas.subschema_for::<samples::SampleList>(),
        errors: &[400, 404],
        handler: || get(samples::of_run),
    },
    Route {
        method: "get",
        path: "/openapi.json",
        name: "getDescription",
        summary: "Reads this description.",
        scope: None,
        query: &[],
        body: None,
        answer: |_| schemars::json_schema!({ "type": "object" }),
        errors: &[],
        handler: || get(super::openapi::answer),
    },
];

/// The routes of the API.
pub(crate) fn routes() -> Router<Arc<Service>> {
    let add = |router: Router<Arc<Service>>, route: &Route| {
        router.route(&format!("{PREFIX}{}", route.path), (route.handler)())
    };
    let router = TABLE.iter().fold(Router::new(), add);
    guard::protect(guard::limit(router.method_not_allowed_fallback(wrong_method)))
}

async fn wrong_method() -> ApiError {
    ApiError::wrong_method()
}
