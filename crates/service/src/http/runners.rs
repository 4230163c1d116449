//! What runners ask. A runner is known by its key; its name and its labels are the service's, never what it says.

use std::sync::Arc;
use std::time::{Duration, Instant};

use axum::body::{Body, to_bytes};
use axum::extract::{DefaultBodyLimit, FromRequestParts, Query, State};
use axum::http::StatusCode;
use axum::http::request::Parts;
use axum::response::{IntoResponse, Response};
use axum::routing::{post, put};
use axum::{Json, Router};
use serde::Deserialize;
use serde_json::json;
use tlslab_queue::{Finish, Hold, QueueError, Renewed, Runner, Taker, hash_key};
use tlslab_runner::Work;
use tlslab_runner::wire::{self, Events, Finished, Hello, Renew, Renewal, Take, Welcome};

use crate::announce::summary;
use crate::http::answer::{database_problem, problem};
use crate::log::log;
use crate::result::{comparison, pack};
use crate::service::Service;

/// A result of a comparison of many cells has a few megabytes.
const LARGEST: usize = 128 << 20;
/// The runs of one job.
const LARGEST_RUNS: usize = 1 << 30;
/// The longest that a runner is let wait for a job.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// `/runner/v1/…`.
pub fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/runner/v1/hello", post(hello))
        .route("/runner/v1/take", post(take))
        .route("/runner/v1/renew", post(renew))
        .route("/runner/v1/events", post(events))
        .route("/runner/v1/finish", post(finish))
        .route("/runner/v1/runs", put(runs))
        .layer(DefaultBodyLimit::max(LARGEST))
}

/// The runner whose key the request has. Its key is looked at before anything of the body is read.
struct Known(Runner);

impl FromRequestParts<Arc<Service>> for Known {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, Response> {
        let key = parts.headers.get("authorization").and_then(|value| value.to_str().ok());
        let key = key.and_then(|text| text.strip_prefix("Bearer ")).map(hash_key);
        let unknown = || problem(StatusCode::UNAUTHORIZED, "this is no key of a runner");
        let key = key.ok_or_else(unknown)?;
        let found = service.ask(move |queue| queue.runner_of_key(&key)).await;
        found.map_err(|error| database_problem(&error))?.map(Self).ok_or_else(unknown)
    }
}

/// The answer, or the refusal.
fn answered(done: Result<Response, Response>) -> Response {
    done.unwrap_or_else(|refusal| refusal)
}

fn json_of<T: serde::Serialize>(done: Result<T, QueueError>) -> Response {
    match done {
        Ok(answer) => Json(answer).into_response(),
        Err(error) => database_problem(&error),
    }
}

async fn hello(
    State(service): State<Arc<Service>>,
    Known(known): Known,
    Json(hello): Json<Hello>,
) -> Response {
    let done = async {
        let Runner { name, .. } = known;
        let facts = json!({"version": hello.version, "host": hello.host, "no_sandbox": hello.no_sandbox});
        let lease_ms = service.pool.lease().as_millis() as u64;
        log(&format!("runner {name} has started"));
        let seen = name.clone();
        let done = service.ask(move |queue| queue.runner_seen(&seen, &hello.boot, Some(&facts))).await;
        Ok(json_of(done.map(|()| Welcome { name, lease_ms })))
    };
    answered(done.await)
}

async fn take(State(service): State<Arc<Service>>, Known(known): Known, Json(take): Json<Take>) -> Response {
    let done = async {
        let Runner { name, labels, .. } = known;
        let until = Instant::now() + Duration::from_secs(take.wait_s.into()).min(LONGEST_WAIT);
        let (boot, has_sandbox) = (take.boot, take.has_sandbox);
        let taker = Taker { name: name.clone(), boot: boot.clone(), labels, has_sandbox };
        let seen = service.ask(move |queue| queue.runner_seen(&name, &boot, None)).await;
        seen.map_err(|error| database_problem(&error))?;
        loop {
            let asks = taker.clone();
            match service.ask(move |queue| queue.take(&asks)).await {
                Ok(Some(leased)) => {
                    log(&format!("job {} is taken by runner {}", leased.job, taker.name));
                    service.changed.notify_waiters();
                    return Ok(Json(leased).into_response());
                }
                Ok(None) if Instant::now() < until && !service.stops() => {
                    let changed = service.changed.notified();
                    // What another service enqueues is seen by looking.
                    let _ = tokio::time::timeout(Duration::from_secs(1), changed).await;
                }
                Ok(None) => return Ok(StatusCode::NO_CONTENT.into_response()),
                Err(error) => return Err(database_problem(&error)),
            }
        }
    };
    answered(done.await)
}

async fn renew(
    State(service): State<Arc<Service>>,
    Known(known): Known,
    Json(renew): Json<Renew>,
) -> Response {
    let done = async {
        let Runner { name, .. } = known;
        let hold = Hold { job: renew.job, token: renew.token, runner: name };
        let done = service.ask(move |queue| queue.renew(&hold, renew.state)).await;
        service.changed.notify_waiters();
        Ok(json_of(done.map(|answer| Renewal { answer })))
    };
    answered(done.await)
}

async fn events(
    State(service): State<Arc<Service>>,
    Known(known): Known,
    Json(events): Json<Events>,
) -> Response {
    let done = async {
        let Runner { name, .. } = known;
        let hold = Hold { job: events.job, token: events.token, runner: name };
        let done = service.ask(move |queue| queue.event(&hold, &events.events)).await;
        service.changed.notify_waiters();
        Ok(json_of(done.map(|is_current| json!({"current": is_current}))))
    };
    answered(done.await)
}

async fn finish(
    State(service): State<Arc<Service>>,
    Known(known): Known,
    Json(finish): Json<wire::Finish>,
) -> Response {
    let done = async {
        let Runner { name, .. } = known;
        let job = finish.job.clone();
        let hold = Hold { job: finish.job, token: finish.token, runner: name };
        let (state, fault, reason) = (finish.state, finish.fault, finish.reason);
        let ending = finish.ending.unwrap_or_default();
        let reason = match comparison(&ending) {
            Some(comparison) if state == tlslab_queue::State::Reported => summary(&comparison),
            _ => reason,
        };
        let packed = tokio::task::spawn_blocking(move || pack(&ending)).await;
        let body = packed.map_err(anyhow::Error::from).and_then(|packed| packed);
        let body = body.map_err(|cause| problem(StatusCode::BAD_REQUEST, &cause.to_string()))?;
        let finish = Finish { state, fault, reason, body };
        let done = service.ask(move |queue| queue.finish(&hold, &finish)).await;
        service.changed.notify_waiters();
        log(&format!("job {job} ended: {state}"));
        Ok(json_of(done.map(|answer| Finished { answer })))
    };
    answered(done.await)
}

/// The lease with which runs are sent.
#[derive(Deserialize)]
struct RunsOf {
    job: String,
    token: u64,
}

/// The runs of a job become part of the service's history, if the job says so.
async fn runs(
    State(service): State<Arc<Service>>,
    Known(known): Known,
    Query(of): Query<RunsOf>,
    body: Body,
) -> Response {
    let done = async {
        let Runner { name, .. } = known;
        let (hold, id) = (Hold { job: of.job.clone(), token: of.token, runner: name }, of.job.clone());
        let held = service
            .ask(move |queue| Ok((queue.renew(&hold, None)?, queue.job(&id)?)))
            .await
            .map_err(|error| database_problem(&error))?;
        let (answer, job) = held;
        let work = job.and_then(|job| serde_json::from_value::<Work>(job.body).ok());
        if answer == Renewed::Lost || !work.is_some_and(|work| work.keeps_runs) {
            return Err(problem(
                StatusCode::CONFLICT,
                "the job is not the runner's, or its runs are not kept",
            ));
        }
        let body = to_bytes(body, LARGEST_RUNS).await;
        let body = body.map_err(|_| problem(StatusCode::PAYLOAD_TOO_LARGE, "the runs are too large"))?;
        let copying = service.clone();
        let copied = tokio::task::spawn_blocking(move || copy_runs(&copying, &of.job, &body)).await;
        match copied.map_err(anyhow::Error::from).and_then(|copied| copied) {
            Ok(()) => Ok(Json(json!({"status": "kept"})).into_response()),
            Err(cause) => {
                log(&format!("runs were not kept: {cause:#}"));
                Err(problem(StatusCode::SERVICE_UNAVAILABLE, "the runs could not be kept; send them again"))
            }
        }
    };
    answered(done.await)
}

/// Copies the job's run into the store. A run that is there already stays as it is.
fn copy_runs(service: &Service, job: &str, database: &[u8]) -> anyhow::Result<()> {
    use tlslab_store::{Address, open, open_existing};
    let folder = service.config.folder.join("received");
    std::fs::create_dir_all(&folder)?;
    let file = tempfile::Builder::new().suffix(".sqlite").tempfile_in(&folder)?;
    std::fs::write(file.path(), database)?;
    let from = open_existing(&Address::Sqlite(file.path().to_owned()))?;
    let mut to = open(service.pool.address())?;
    tlslab_lab::copy(&*from, &mut *to, &[job.to_owned()], tlslab_lab::Extent::Everything)?;
    Ok(())
}
