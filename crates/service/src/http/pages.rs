//! Pages for people. Each is complete without a script.

use std::sync::Arc;

use askama::Template;
use axum::Router;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{Html, IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::Value;
use tlslab_queue::{Filter, JobRow, Phase, Queue, QueueError, Runner, Scope, Transition};

use super::api::ApiError;
use super::guard::{authorise, protect};
use crate::render::command::engine_job;
use crate::render::job::{JobView, Parts, Repository};
use crate::render::jobs::{JobLine, Outlook, RunnerLine, runner_line};
use crate::render::words::{limited, line, now_unix_ms};
use crate::result::read;
use crate::service::Service;

/// Ended jobs on a page.
const ENDED: u32 = 50;
/// Lines of a log on a page: the last ones.
const LOG: usize = 1_000;
/// Events that are asked for at once, and of one attempt at most.
const AT_ONCE: u32 = 500;
const MOST_EVENTS: usize = 25_000;

/// The routes.
pub fn routes() -> Router<Arc<Service>> {
    let file = |kind: &'static str, text: &'static str| {
        get(move || async move { ([(header::CONTENT_TYPE, kind)], text) })
    };
    let router = Router::new()
        .route("/", get(jobs))
        .route("/jobs", get(jobs))
        .route("/jobs/{id}", get(job))
        .route("/jobs/{id}/job.json", get(job_file))
        .route("/runners", get(runners))
        .route("/static/tokens.css", file("text/css; charset=utf-8", include_str!("../../static/tokens.css")))
        .route("/static/base.css", file("text/css; charset=utf-8", include_str!("../../static/base.css")))
        .route("/static/job.js", file("text/javascript; charset=utf-8", include_str!("../../static/job.js")));
    protect(router)
}

/// An error as a page.
struct PageError(ApiError);

impl From<ApiError> for PageError {
    fn from(error: ApiError) -> Self {
        Self(error)
    }
}

impl From<QueueError> for PageError {
    fn from(error: QueueError) -> Self {
        Self(error.into())
    }
}

#[derive(Template)]
#[template(path = "error.html")]
struct ErrorPage<'a> {
    title: &'a str,
    message: &'a str,
}

impl IntoResponse for PageError {
    fn into_response(self) -> Response {
        let status = self.0.status();
        let title = status.canonical_reason().unwrap_or("Error");
        let page = ErrorPage { title, message: self.0.message() }.render();
        let mut response = self.0.into_response();
        if status == StatusCode::UNAUTHORIZED {
            // A browser asks for it, and sends the token as the password.
            let how = HeaderValue::from_static("Basic realm=\"tlslab: the password is a token\"");
            response.headers_mut().insert(header::WWW_AUTHENTICATE, how);
        }
        if let Ok(text) = page {
            let (mut parts, _) = response.into_parts();
            parts.headers.remove(header::CONTENT_LENGTH);
            parts.headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8"));
            response = Response::from_parts(parts, text.into());
        }
        response
    }
}

fn shown(page: &impl Template) -> Result<Response, PageError> {
    match page.render() {
        Ok(text) => Ok(Html(text).into_response()),
        Err(cause) => Err(PageError(ApiError::failed(format!("the page cannot be made: {cause}")))),
    }
}

#[derive(Deserialize)]
struct JobsQuery {
    project: Option<String>,
    before: Option<i64>,
}

#[derive(Template)]
#[template(path = "jobs.html")]
struct JobsPage {
    project: String,
    project_query: String,
    projects: Vec<String>,
    open: Vec<JobLine>,
    ended: Vec<JobLine>,
    is_first: bool,
    before: Option<i64>,
}

async fn jobs(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    query: Result<Query<JobsQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, PageError> {
    authorise(&service, &headers, Scope::Read).await?;
    let Query(JobsQuery { project, before }) =
        query.map_err(|cause| ApiError::invalid("query", cause.body_text()))?;
    let project = project.filter(|project| !project.is_empty());
    let wanted = project.clone();
    let (open, ended, recent, runners) = service
        .ask(move |queue| {
            let of = |phase, most| Filter { phase, project: wanted.clone(), most, ..Filter::default() };
            let open = if before.is_none() { queue.list(&of(Phase::Open, 0))? } else { Vec::new() };
            let ended = queue.list(&Filter { before, ..of(Phase::Ended, ENDED) })?;
            let recent = queue.list(&Filter { phase: Phase::Ended, most: 200, ..Filter::default() })?;
            Ok((open, ended, recent, queue.runners()?))
        })
        .await?;
    let outlook = Outlook::new(now_unix_ms(), runners, &recent);
    let mut open = open;
    // Those that a runner has, then the queue in its order, then the rest.
    open.sort_by_key(|job| (!job.state.is_leased(), job.position.is_none(), job.position, job.key));
    let names = service.config.projects.iter().map(|project| project.name.get_ref().clone());
    shown(&JobsPage {
        project_query: project.as_deref().map(encoded).unwrap_or_default(),
        project: project.map(|project| limited(&line(&project), 100)).unwrap_or_default(),
        projects: names.collect(),
        before: ended.last().map(|job| job.key).filter(|_| ended.len() == ENDED as usize),
        open: open.iter().map(|job| outlook.open(job)).collect(),
        ended: ended.iter().map(|job| outlook.ended(job)).collect(),
        is_first: before.is_none(),
    })
}

/// A text as a part of a query.
fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let each = text.bytes().take(200).map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    each.collect()
}

#[derive(Template)]
#[template(path = "job.html")]
struct JobPage {
    job: JobView,
}

/// What the database has of a job.
struct Found {
    job: JobRow,
    transitions: Vec<Transition>,
    token: u64,
    events: Vec<(u64, Value)>,
    is_cut: bool,
    ending: Option<Value>,
}

fn find(queue: &dyn Queue, id: &str) -> Result<Option<Found>, QueueError> {
    let Some(job) = queue.job(id)? else { return Ok(None) };
    let (token, events, is_cut) = log(queue, id)?;
    let ending = queue.result(id)?.and_then(|packed| read(&packed));
    Ok(Some(Found { job, transitions: queue.transitions(id)?, token, events, is_cut, ending }))
}

/// The token of an attempt, its last events, and whether there are earlier ones.
type Log = (u64, Vec<(u64, Value)>, bool);

fn log(queue: &dyn Queue, id: &str) -> Result<Log, QueueError> {
    let (mut newest, mut all, mut after) = (0, Vec::new(), 0);
    let mut read = 0;
    let mut is_cut = false;
    loop {
        let (token, events) = queue.events(id, after, AT_ONCE)?;
        if token != newest {
            all.clear();
            newest = token;
        }
        let Some((last, _)) = events.last() else { break };
        after = *last;
        read += events.len();
        let is_full = events.len() == AT_ONCE as usize;
        all.extend(events);
        if all.len() > LOG {
            all.drain(..all.len() - LOG);
            is_cut = true;
        }
        if !is_full || read >= MOST_EVENTS {
            break;
        }
    }
    Ok((newest, all, is_cut))
}

async fn job(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    authorise(&service, &headers, Scope::Read).await?;
    let asked = id.clone();
    let found = service.ask(move |queue| find(queue, &asked)).await?;
    let found = found.ok_or_else(|| ApiError::no_job(&id))?;
    let repository = repository(&service, &found.job.project);
    // A large comparison takes a while to lay out.
    let page = tokio::task::spawn_blocking(move || {
        let Found { job, transitions, token, events, is_cut, ending } = &found;
        let (token, is_cut, ending, now_unix_ms) = (*token, *is_cut, ending.as_ref(), now_unix_ms());
        JobPage {
            job: JobView::of(&Parts {
                job,
                transitions,
                token,
                events,
                is_cut,
                ending,
                repository,
                now_unix_ms,
            }),
        }
    });
    let page = page.await.map_err(|cause| ApiError::failed(format!("the page cannot be made: {cause}")))?;
    shown(&page)
}

fn repository(service: &Service, project: &str) -> Option<Repository> {
    let project = service.config.project(project)?;
    let forge = service.config.forges.iter().find(|forge| forge.name.get_ref() == project.forge.get_ref())?;
    Repository::new(forge.kind, &forge.api, project.repository.get_ref())
}

/// What `tlslab work` reads to do the same.
async fn job_file(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, PageError> {
    authorise(&service, &headers, Scope::Read).await?;
    let asked = id.clone();
    let job = service.ask(move |queue| queue.job(&asked)).await?.ok_or_else(|| ApiError::no_job(&id))?;
    let Some(job) = engine_job(&job.body) else {
        return Err(PageError(ApiError::not_found(format!("job {id} has no job of the engine"))));
    };
    Ok((StatusCode::OK, [(header::CONTENT_TYPE, "application/json")], format!("{job:#}\n")).into_response())
}

#[derive(Template)]
#[template(path = "runners.html")]
struct RunnersPage {
    runners: Vec<RunnerLine>,
}

async fn runners(Shared(service): Shared<Arc<Service>>, headers: HeaderMap) -> Result<Response, PageError> {
    authorise(&service, &headers, Scope::Read).await?;
    let (runners, open): (Vec<Runner>, Vec<JobRow>) = service
        .ask(|queue| Ok((queue.runners()?, queue.list(&Filter { phase: Phase::Open, ..Filter::default() })?)))
        .await?;
    let now = now_unix_ms();
    shown(&RunnersPage { runners: runners.iter().map(|runner| runner_line(runner, now, &open)).collect() })
}
