//! Requests that only read.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use serde::Deserialize;
use tlslab_queue::{Filter, JobRow, Phase, Queue, QueueError, Scope};

use super::error::ApiError;
use super::views::{EventList, JobDetail, JobList, JobView, NumberedEvent, RunnerList};
use crate::http::guard::authorise;
use crate::service::Service;
use crate::stored_result::unpack;

/// Jobs that are listed at once.
pub(super) const MOST_JOBS: u32 = 200;
/// Jobs in a list by default.
const USUAL_JOBS: u32 = 50;
/// Events that are answered at once.
const MOST_EVENTS: u32 = 500;

/// The parameters of a list of jobs.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListQuery {
    project: Option<String>,
    runner: Option<String>,
    phase: Option<AskedPhase>,
    before: Option<i64>,
    limit: Option<u32>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum AskedPhase {
    Open,
    Ended,
}

impl ListQuery {
    fn filter(self) -> Result<Filter, ApiError> {
        let most = self.limit.unwrap_or(USUAL_JOBS);
        if !(1..=MOST_JOBS).contains(&most) {
            return Err(ApiError::invalid("limit", format!("write 1 to {MOST_JOBS}")));
        }
        let phase = self.phase.map_or(Phase::Any, |phase| match phase {
            AskedPhase::Open => Phase::Open,
            AskedPhase::Ended => Phase::Ended,
        });
        let (project, runner, before) = (self.project, self.runner, self.before);
        Ok(Filter { phase, project, runner, before, most, ..Filter::default() })
    }
}

/// The parameters of a query.
pub(super) type Parameters<T> = Result<Query<T>, axum::extract::rejection::QueryRejection>;

/// The parameters, or an error.
pub(super) fn parameters<T>(query: Parameters<T>) -> Result<T, ApiError> {
    query.map(|Query(query)| query).map_err(|cause| ApiError::invalid("query", cause.body_text()))
}

pub(super) async fn list(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    query: Parameters<ListQuery>,
) -> Result<Response, ApiError> {
    authorise(&service, &headers, Scope::Read).await?;
    let filter = parameters(query)?.filter()?;
    let most = filter.most as usize;
    let jobs = service.ask(move |queue| queue.list(&filter)).await?;
    let before = jobs.last().map(|job| job.key).filter(|_| jobs.len() == most);
    Ok(Json(JobList { jobs: jobs.into_iter().map(JobView::from).collect(), before }).into_response())
}

pub(super) async fn job(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    authorise(&service, &headers, Scope::Read).await?;
    let found = service
        .ask({
            let id = id.clone();
            move |queue| Ok(queue.job(&id)?.map(|job| Ok::<_, QueueError>((job, queue.transitions(&id)?))))
        })
        .await?;
    let (job, transitions) = found.ok_or_else(|| ApiError::no_job(&id))??;
    let work = job.body.clone();
    let transitions = transitions.into_iter().map(Into::into).collect();
    Ok(Json(JobDetail { job: job.into(), work, transitions }).into_response())
}

/// From where events are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct EventsQuery {
    #[serde(default)]
    after: u64,
    token: Option<u64>,
}

pub(super) async fn events(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    query: Parameters<EventsQuery>,
) -> Result<Response, ApiError> {
    authorise(&service, &headers, Scope::Read).await?;
    let EventsQuery { after, token } = parameters(query)?;
    let asked = id.clone();
    let found = service.ask(move |queue| events_after(queue, &asked, token, after)).await?;
    let (job, token, events) = found.ok_or_else(|| ApiError::no_job(&id))?;
    let has_more = events.len() == MOST_EVENTS as usize;
    let events = events.into_iter().map(|(number, event)| NumberedEvent { number, event }).collect();
    let (state, is_ended) = (job.state, job.state.is_ended());
    Ok(Json(EventList { token, events, state, is_ended, has_more }).into_response())
}

/// A job's events after a given one: the job before they were read, the token of their attempt, and the
/// events.
pub(super) type Events = (JobRow, u64, Vec<(u64, serde_json::Value)>);

/// The events of a job after one; all of them if that one is of another attempt.
pub(crate) fn events_after(
    queue: &dyn Queue,
    id: &str,
    token: Option<u64>,
    after: u64,
) -> Result<Option<Events>, QueueError> {
    // The job first: if it has ended, its events are complete.
    let Some(job) = queue.job(id)? else { return Ok(None) };
    let (newest, events) = queue.events(id, after, MOST_EVENTS)?;
    if after > 0 && token.is_some_and(|token| token != newest) {
        let (newest, events) = queue.events(id, 0, MOST_EVENTS)?;
        return Ok(Some((job, newest, events)));
    }
    Ok(Some((job, newest, events)))
}

pub(super) async fn result(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
) -> Result<Response, ApiError> {
    authorise(&service, &headers, Scope::Read).await?;
    let asked = id.clone();
    let found = service
        .ask(move |queue| {
            let Some(job) = queue.job(&asked)? else { return Ok(None) };
            Ok(Some((job.state, queue.result(&asked)?.map(|packed| unpack(&packed)))))
        })
        .await?;
    let (state, result) = found.ok_or_else(|| ApiError::no_job(&id))?;
    match result {
        Some(Ok(text)) if !text.is_empty() => {
            Ok(([(header::CONTENT_TYPE, "application/json")], text).into_response())
        }
        Some(Err(cause)) => Err(ApiError::failed(format!("the result of job {id} cannot be read: {cause}"))),
        _ => Err(ApiError::not_found(format!("job {id} has no result; it is {state}"))),
    }
}

pub(super) async fn runners(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    authorise(&service, &headers, Scope::Read).await?;
    let runners = service.ask(|queue| queue.runners()).await?;
    Ok(Json(RunnerList { runners: runners.into_iter().map(Into::into).collect() }).into_response())
}
