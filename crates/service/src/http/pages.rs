//! Pages for people. Each is complete without a script.

use std::sync::Arc;

use axum::Router;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use serde::Deserialize;
use serde_json::Value;
use tlslab_pages::service::{Choice, JobView, Jobs};
use tlslab_queue::{Canary, Filter, JobRow, Phase, Queue, QueueError, Runner, Scope, State, Transition};

use super::actions::actions_of;
use super::api::ApiError;
use super::guard::{authorise, protect};
use super::session::session_of;
use super::shown::{LINKS, PageError, respond};
use crate::pull_names::PullNames;
use crate::render::command::engine_job;
use crate::render::job::{Parts, Repository, job_view};
use crate::render::job_lists::{Outlook, alerts, runner_line};
use crate::render::words::{limited, line, now_unix_ms};
use crate::service::Service;
use crate::stored_result::{judged_ending, read};

/// Ended jobs on a page.
const ENDED: usize = 50;
/// Ended jobs that are read for it.
const LOOKED_AT: u32 = 500;
/// Lines of a log on a page: the last ones.
const LOG: usize = 1_000;
/// Events per query, and of one attempt at most.
const AT_ONCE: u32 = 500;
const MOST_EVENTS: usize = 25_000;

/// The routes.
pub(crate) fn routes() -> Router<Arc<Service>> {
    let router = Router::new()
        .route("/jobs", get(jobs))
        .route("/jobs/{id}", get(job))
        .route("/jobs/{id}/job.json", get(job_file))
        .route("/runners", get(runners));
    protect(router)
}

#[derive(Deserialize)]
struct JobsQuery {
    project: Option<String>,
    state: Option<String>,
    before: Option<i64>,
}

/// Choices of states: the name in the address, and the label.
const STATES: [(&str, &str); 8] = [
    ("", "all states"),
    ("queued", "queued"),
    ("running", "running"),
    ("waiting", "waiting for approval"),
    ("done", "done"),
    ("failed", "failed"),
    ("cancelled", "cancelled"),
    ("superseded", "superseded"),
];

fn is_of(state: State, wanted: &str) -> bool {
    match wanted {
        "queued" => state == State::Queued,
        "running" => state.is_leased(),
        "waiting" => state == State::WaitingForApproval,
        "done" => state == State::Reported,
        "failed" => state == State::Failed,
        "cancelled" => state == State::Cancelled,
        "superseded" => state == State::Superseded,
        _ => true,
    }
}

async fn jobs(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    query: Result<Query<JobsQuery>, axum::extract::rejection::QueryRejection>,
) -> Result<Response, PageError> {
    let reader = authorise(&service, &headers, Scope::Read).await?;
    let Query(JobsQuery { project, state, before }) =
        query.map_err(|cause| ApiError::invalid("query", cause.body_text()))?;
    let project = project.filter(|project| !project.is_empty());
    let state = state.unwrap_or_default();
    if !STATES.iter().any(|(name, _)| *name == state) {
        return Err(PageError(ApiError::invalid("state", format!("there is no state \"{}\"", line(&state)))));
    }
    let wanted = project.clone();
    let (open, ended, recent, others) = service
        .ask(move |queue| {
            let of = |phase, most| Filter { phase, project: wanted.clone(), most, ..Filter::default() };
            let open = if before.is_none() { queue.list(&of(Phase::Open, 0))? } else { Vec::new() };
            let ended = queue.list(&Filter { before, ..of(Phase::Ended, LOOKED_AT) })?;
            let recent = queue.list(&Filter { phase: Phase::Ended, most: 200, ..Filter::default() })?;
            let names = PullNames::of_jobs(queue, open.iter().chain(&ended))?;
            Ok((open, ended, recent, (queue.runners()?, names)))
        })
        .await?;
    let asked = Asked { project, state, before };
    let model = jobs_model(&service, &asked, (open, ended, &recent), others);
    Ok(respond(&service, reader.as_ref(), tlslab_pages::service::jobs(&model, &LINKS)))
}

/// The parameters of the list of jobs.
struct Asked {
    project: Option<String>,
    state: String,
    before: Option<i64>,
}

impl Asked {
    fn address(project: Option<&str>, state: &str, before: Option<i64>) -> String {
        let before = before.map(|before| before.to_string());
        jobs_address(&[("before", before.as_deref()), ("project", project), ("state", Some(state))])
    }

    /// Whether a job is listed: of all states those that a newer commit replaced are not.
    fn has(&self, job: &JobRow) -> bool {
        is_of(job.state, &self.state) && (job.state != State::Superseded || self.state == "superseded")
    }

    fn shows(&self, names: &[&str]) -> bool {
        self.state.is_empty() || names.contains(&self.state.as_str())
    }

    /// The choices of projects, and those of states.
    fn choices(&self, service: &Service) -> (Vec<Choice>, Vec<Choice>) {
        let chosen = self.project.as_deref();
        let names = service.config.projects.iter().map(|project| project.name.get_ref().as_str());
        let projects = [None].into_iter().chain(names.map(Some)).map(|name| Choice {
            text: name.unwrap_or("all projects").to_owned(),
            href: Self::address(name, &self.state, None),
            is_current: name == chosen,
        });
        let states = STATES.iter().map(|(name, text)| Choice {
            text: (*text).to_owned(),
            href: Self::address(chosen, name, None),
            is_current: *name == self.state,
        });
        (projects.collect(), states.collect())
    }
}

fn jobs_model(
    service: &Service,
    asked: &Asked,
    (mut open, ended, recent): (Vec<JobRow>, Vec<JobRow>, &[JobRow]),
    (runners, names): (Vec<Runner>, PullNames),
) -> Jobs {
    let outlook = Outlook::new(now_unix_ms(), runners, recent, names);
    // Those that a runner has, then the queue in its order, then the rest.
    open.sort_by_key(|job| (!job.state.is_leased(), job.position.is_none(), job.position, job.key));
    let count = |name: &str| open.iter().filter(|job| is_of(job.state, name)).count();
    let counts = ["queued", "running", "waiting"].map(count);
    let is_first = asked.before.is_none();
    let looked_at = ended.len();
    let last_key = ended.last().map(|job| job.key).filter(|_| looked_at == LOOKED_AT as usize);
    let (mut ended, left_out): (Vec<JobRow>, Vec<JobRow>) = ended.into_iter().partition(|job| asked.has(job));
    let next = if ended.len() > ENDED { Some(ended[ENDED - 1].key) } else { last_key };
    ended.truncate(ENDED);
    let is_here = |job: &&JobRow| job.state == State::Superseded && next.is_none_or(|next| job.key > next);
    let superseded = if asked.state.is_empty() { left_out.iter().filter(is_here).count() } else { 0 };
    let their_address = || Asked::address(asked.project.as_deref(), "superseded", asked.before);
    let (projects, states) = asked.choices(service);
    let lines = open.iter().filter(|job| asked.has(job)).map(|job| outlook.open(job));
    Jobs {
        project: asked.project.as_deref().map(|project| limited(&line(project), 100)).unwrap_or_default(),
        projects,
        states,
        counts,
        alerts: if is_first { alerts(&open, recent) } else { Vec::new() },
        open: (is_first && asked.shows(&["queued", "running", "waiting"])).then(|| lines.collect()),
        ended: asked
            .shows(&["done", "failed", "cancelled", "superseded"])
            .then(|| ended.iter().map(|job| outlook.ended(job)).collect()),
        superseded: (superseded > 0).then(|| (superseded, their_address())),
        is_first,
        earlier: next.map(|before| Asked::address(asked.project.as_deref(), &asked.state, Some(before))),
    }
}

fn jobs_address(parts: &[(&str, Option<&str>)]) -> String {
    let parts =
        parts.iter().filter_map(|(name, value)| Some((name, value.filter(|value| !value.is_empty())?)));
    let parts: Vec<String> = parts.map(|(name, value)| format!("{name}={}", encoded(value))).collect();
    if parts.is_empty() { "/jobs".to_owned() } else { format!("/jobs?{}", parts.join("&")) }
}

/// A text as a part of a query.
pub(super) fn encoded(text: &str) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    let each = text.bytes().take(200).map(|byte| match is_plain(byte) {
        true => char::from(byte).to_string(),
        false => format!("%{byte:02X}"),
    });
    each.collect()
}

/// The database's data of a job.
struct Found {
    job: JobRow,
    transitions: Vec<Transition>,
    token: u64,
    events: Vec<(u64, Value)>,
    is_cut: bool,
    ending: Option<Value>,
    canary: Option<Canary>,
    names: PullNames,
}

fn find(queue: &dyn Queue, id: &str) -> Result<Option<Found>, QueueError> {
    let Some(job) = queue.job(id)? else { return Ok(None) };
    let (token, events, is_cut) = log(queue, id)?;
    let ending = queue.result(id)?.and_then(|packed| read(&packed));
    let canary = queue.canary_of_job(id)?;
    let names = PullNames::of_jobs(queue, std::iter::once(&job))?;
    Ok(Some(Found { names, job, transitions: queue.transitions(id)?, token, events, is_cut, ending, canary }))
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
    let reader = authorise(&service, &headers, Scope::Read).await?;
    let asked = id.clone();
    let found = service.ask(move |queue| find(queue, &asked)).await?;
    let found = found.ok_or_else(|| ApiError::no_job(&id))?;
    let repository = repository(&service, &found.job.project);
    let session = session_of(&service, &headers).await?;
    let actions = actions_of(session.as_ref(), &found.job, repository.as_ref());
    // A large comparison takes a while to lay out.
    let page = tokio::task::spawn_blocking(move || {
        let mut found = found;
        found.ending = found.ending.map(|ending| judged_ending(&service, ending));
        let Found { job, transitions, token, events, is_cut, ending, canary, names } = &found;
        let (token, is_cut, ending, now_unix_ms) = (*token, *is_cut, ending.as_ref(), now_unix_ms());
        let canary = canary.as_ref();
        let parts =
            Parts { job, transitions, token, events, is_cut, ending, canary, repository, names, now_unix_ms };
        respond(
            &service,
            reader.as_ref(),
            tlslab_pages::service::job(&JobView { actions, ..job_view(&parts) }, &LINKS),
        )
    });
    Ok(page.await.map_err(|cause| ApiError::failed(format!("the page cannot be made: {cause}")))?)
}

/// The repository of a project, if its pages are known.
pub(crate) fn repository(service: &Service, project: &str) -> Option<Repository> {
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

async fn runners(Shared(service): Shared<Arc<Service>>, headers: HeaderMap) -> Result<Response, PageError> {
    let reader = authorise(&service, &headers, Scope::Read).await?;
    let (runners, open, ended) = service
        .ask(|queue| {
            let of = |phase, most| Filter { phase, most, ..Filter::default() };
            let with_canary = |runner: Runner| Ok((queue.canaries(&runner.name, 1, &[])?, runner));
            let runners: Result<Vec<_>, QueueError> = queue.runners()?.into_iter().map(with_canary).collect();
            Ok((runners?, queue.list(&of(Phase::Open, 0))?, queue.list(&of(Phase::Ended, 200))?))
        })
        .await?;
    let now = now_unix_ms();
    let line =
        |(canaries, runner): &(Vec<Canary>, Runner)| runner_line(runner, now, (&open, &ended), canaries);
    let lines: Vec<_> = runners.iter().map(line).collect();
    Ok(respond(&service, reader.as_ref(), tlslab_pages::service::runners(&lines, &LINKS)))
}
