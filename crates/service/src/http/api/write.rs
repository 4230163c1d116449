//! Requests that change jobs. Each needs a token.

use std::sync::Arc;

use axum::Json;
use axum::body::{Body, to_bytes};
use axum::extract::{Path, State as Shared};
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tlslab_job::{Job, Request};
use tlslab_lab::Trust;
use tlslab_queue::{Access, Applied, Approval, Change, Duty, Fault, JobRow, NewJob, Scope, State};
use tlslab_runner::{Cache, Step, Work};

use super::error::ApiError;
use super::views::{JobView, RunnerView};
use crate::actions::{self, By};
use crate::config::{LABEL_HELP, is_label};
use crate::http::guard::authorise_named;
use crate::limits::why_not;
use crate::new_jobs::step_is_timed;
use crate::render::command::command;
use crate::render::words::limited;
use crate::service::Service;
use crate::subject::Subject;

/// Longer requests are refused, bytes.
pub(super) const LONGEST_BODY: usize = 1 << 20;
/// Submitted jobs go before schedules and after pull requests.
const PRIORITY: i64 = 40;
const MOST_ATTEMPTS: u32 = 3;
/// The project of a job without one.
pub(super) const NO_PROJECT: &str = "submitted";
const LONGEST_TITLE: usize = 200;
const LONGEST_CAUSE: usize = 500;
const MOST_LABELS: usize = 16;

/// A job to be run.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Submission {
    /// A job of the engine, as job.schema.json describes it. Trust `owner` needs the scope `administer`.
    #[schemars(with = "Job")]
    job: Value,
    /// Its project; by default none of the configuration.
    #[serde(default)]
    project: Option<String>,
    /// The labels that a runner must have, in addition to the project's.
    #[serde(default)]
    labels: Vec<String>,
    /// A title in a few words.
    #[serde(default)]
    title: Option<String>,
}

/// Why something is done to a job.
#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Why {
    /// The reason, in a sentence.
    #[serde(default)]
    reason: Option<String>,
}

pub(super) async fn submit(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, ApiError> {
    let access = authorise_named(&service, &headers, Scope::Submit).await?;
    let submission: Submission = read_body(body).await?;
    let text = serde_json::to_vec(&submission.job).unwrap_or_default();
    let job = Job::read(&text).map_err(|problem| ApiError::of_job(&problem))?;
    let job = new_job(&service, &access, submission, &job)?;
    let (limits, project, sent) = (service.config.limits.clone(), job.project.clone(), job.id.clone());
    let refused = service.ask(move |queue| match queue.job(&sent)? {
        // It exists already, and is returned.
        Some(_) => Ok(None),
        None => why_not(queue, &limits, &project, ""),
    });
    if let Some(why) = refused.await? {
        return Err(ApiError::over_limit(why));
    }
    let added = service
        .ask(move |queue| {
            let applied = queue.apply(&[Change::Enqueue(Box::new(job.clone()))])?;
            let is_new = matches!(applied[..], [Applied::Added(_)]);
            Ok((is_new, queue.job(&job.id)?, job))
        })
        .await?;
    let (is_new, row, job) = added;
    let row = row.ok_or_else(|| ApiError::failed("the job was not added"))?;
    if !is_new && !is_same(&row, &job) {
        return Err(ApiError::conflict(format!(
            "job {} exists with another request; send another identifier",
            row.id
        )));
    }
    service.changed.notify_waiters();
    let place = HeaderValue::from_str(&format!("/api/v1/jobs/{}", row.id));
    let status = if is_new { StatusCode::CREATED } else { StatusCode::OK };
    let mut response = (status, Json(JobView::from(row))).into_response();
    if let Ok(place) = place {
        response.headers_mut().insert(header::LOCATION, place);
    }
    Ok(response)
}

fn new_job(
    service: &Service,
    access: &Access,
    submission: Submission,
    job: &Job,
) -> Result<NewJob, ApiError> {
    if job.trust == Trust::Owner && !access.may(Scope::Administer) {
        return Err(ApiError::forbidden(format!(
            "the token of {} has no scope \"administer\", which trust \"owner\" needs; send trust \"reviewed\" or \"candidate\"",
            access.name
        )));
    }
    let mut labels = submission.labels;
    let project = match submission.project {
        None => NO_PROJECT.to_owned(),
        Some(name) => {
            let known = service.config.project(&name).ok_or_else(|| {
                let names = service.config.projects.iter().map(|project| project.name.get_ref().as_str());
                let names: Vec<&str> = names.collect();
                ApiError::invalid("project", format!("unknown name; known are: {}", names.join(", ")))
            })?;
            labels.extend(known.labels.iter().cloned());
            name
        }
    };
    check_labels(&labels)?;
    check_identifier(service, job.id.as_str())?;
    let title = match submission.title.as_deref().map(str::trim).filter(|title| !title.is_empty()) {
        Some(title) if title.chars().count() > LONGEST_TITLE => {
            return Err(ApiError::invalid("title", format!("write at most {LONGEST_TITLE} characters")));
        }
        Some(title) => tlslab_text::clean(title),
        None => title(&job.request),
    };
    let is_candidate = job.trust == Trust::Candidate;
    let step = Step {
        job: serde_json::to_value(job).map_err(|cause| ApiError::invalid("job", cause.to_string()))?,
        cache: if is_candidate { Cache::Own } else { Cache::Shared },
        state: State::BuildingCandidate,
        fault: Fault::Lab,
        is_canary: false,
    };
    let work_is_timed = step_is_timed(&step.job);
    let work = Work { keeps_runs: !is_candidate, ..Work::of(vec![step]) };
    let subject = Subject::Submitted { by: access.name.clone(), title };
    let as_value = |value: Result<Value, serde_json::Error>| {
        value.map_err(|cause| ApiError::failed(format!("the job cannot be kept: {cause}")))
    };
    Ok(NewJob {
        id: job.id.to_string(),
        project,
        subject: as_value(serde_json::to_value(subject))?,
        body: as_value(serde_json::to_value(work))?,
        labels,
        needs_sandbox: job.trust != Trust::Owner,
        is_timed: work_is_timed,
        only_runner: None,
        priority: PRIORITY,
        dedup: None,
        supersedes: None,
        approval: Approval::NotNeeded,
        head: None,
        most_attempts: MOST_ATTEMPTS,
        delay_ms: 0,
        is_answered: false,
        cause: format!("submitted by {}", access.name),
    })
}

/// The measurement, in the words of the command.
fn title(request: &Request) -> String {
    let command = command(request).unwrap_or_else(|| request.kind().to_owned());
    limited(command.strip_prefix("tlslab ").unwrap_or(&command), LONGEST_TITLE)
}

/// Identifiers that the service makes begin with a project's name or with one of its own words; no client may
/// use these.
fn check_identifier(service: &Service, id: &str) -> Result<(), ApiError> {
    let projects = service.config.projects.iter().map(|project| project.name.get_ref().as_str());
    let is_taken = |start: &str| id.strip_prefix(start).is_some_and(|rest| rest.starts_with('-'));
    match projects.chain(OWN_STARTS).find(|start| is_taken(start)) {
        None => Ok(()),
        Some(start) => Err(ApiError::invalid(
            "job.id",
            format!("identifiers that begin with {start}- are the service's own; send another one"),
        )),
    }
}

/// The prefixes of the service's own identifiers.
const OWN_STARTS: [&str; 3] = ["at", "check", "canary"];

/// A label is part of a list in a column.
fn check_labels(labels: &[String]) -> Result<(), ApiError> {
    match labels.len() <= MOST_LABELS && labels.iter().all(|label| is_label(label)) {
        true => Ok(()),
        false => {
            Err(ApiError::invalid("labels", format!("write at most {MOST_LABELS}; for each, {LABEL_HELP}")))
        }
    }
}

/// Whether the same person requested the same job.
fn is_same(row: &JobRow, job: &NewJob) -> bool {
    let by = |subject: &Value| subject.get("by").cloned();
    row.body == job.body && row.project == job.project && by(&row.subject) == by(&job.subject)
}

/// The body as JSON.
async fn read_body<T: DeserializeOwned>(body: Body) -> Result<T, ApiError> {
    let bytes = to_bytes(body, LONGEST_BODY).await.map_err(|_| ApiError::too_large(LONGEST_BODY))?;
    serde_json::from_slice(&bytes).map_err(|cause| ApiError::invalid("body", cause.to_string()))
}

/// The same of a body that may be empty.
async fn read_why(body: Body) -> Result<Option<String>, ApiError> {
    let bytes = to_bytes(body, LONGEST_BODY).await.map_err(|_| ApiError::too_large(LONGEST_BODY))?;
    if bytes.is_empty() {
        return Ok(None);
    }
    let why: Why =
        serde_json::from_slice(&bytes).map_err(|cause| ApiError::invalid("body", cause.to_string()))?;
    let shorten = |text: String| tlslab_text::clean(&text).chars().take(LONGEST_CAUSE).collect::<String>();
    Ok(why.reason.map(shorten).filter(|text| !text.is_empty()))
}

pub(super) async fn cancel(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let access = authorise_named(&service, &headers, Scope::Submit).await?;
    let why = read_why(body).await?;
    let job = actions::cancel(&service, &id, By { access: &access, why }).await?;
    Ok(Json(JobView::from(job)).into_response())
}

pub(super) async fn approve(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let access = authorise_named(&service, &headers, Scope::Administer).await?;
    let why = read_why(body).await?;
    let job = actions::approve(&service, &id, None, By { access: &access, why }).await?;
    Ok(Json(JobView::from(job)).into_response())
}

pub(super) async fn again(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let access = authorise_named(&service, &headers, Scope::Submit).await?;
    let why = read_why(body).await?;
    let job = actions::again(&service, &id, By { access: &access, why }).await?;
    Ok(Json(JobView::from(job)).into_response())
}

/// The duty of a runner.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DutyChange {
    /// `works`, `drains` or `paused`.
    duty: AskedDuty,
    /// Why.
    #[serde(default)]
    reason: Option<String>,
    /// With `works`: the machine has changed, as after a new kernel, and earlier canaries are discarded as
    /// reference.
    #[serde(default)]
    discard_reference: bool,
}

/// The duties that may be requested.
#[derive(Clone, Copy, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
enum AskedDuty {
    Works,
    Drains,
    Paused,
}

pub(super) async fn duty(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(name): Path<String>,
    body: Body,
) -> Result<Response, ApiError> {
    let access = authorise_named(&service, &headers, Scope::Administer).await?;
    let DutyChange { duty, reason, discard_reference } = read_body(body).await?;
    let reason = reason.map(|text| tlslab_text::clean(&text).chars().take(LONGEST_CAUSE).collect::<String>());
    let cause = match reason.filter(|text| !text.is_empty()) {
        Some(why) => format!("{why} (by {})", access.name),
        None => format!("by {}", access.name),
    };
    let duty = match duty {
        AskedDuty::Works => Duty::Works,
        AskedDuty::Drains => Duty::Drains,
        AskedDuty::Paused => Duty::Paused,
    };
    let asked = name.clone();
    let changed = service.ask(move |queue| queue.set_duty(&asked, duty, &cause, discard_reference)).await?;
    service.changed.notify_waiters();
    let none = || ApiError::not_found(format!("there is no runner \"{}\"", tlslab_text::clean(&name)));
    changed.map(|runner| Json(RunnerView::from(runner)).into_response()).ok_or_else(none)
}
