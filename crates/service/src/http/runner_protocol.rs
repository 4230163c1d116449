//! The protocol of runners. A runner is identified by its key; its name and its labels are the service's,
//! never its own claim.

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
use tlslab_comparison::Summary;
use tlslab_queue::{
    Duty, Finish, Hold, JobRow, Leased, QueueError, Renewed, Runner, Settled, Taken, Taker, hash_key,
};
use tlslab_runner::Work;
use tlslab_runner::wire::{self, Events, Finished, Hello, Received, Renew, Renewal, Take, WIRE, Welcome};

use crate::canary::{GOOD_ONES, MOST, TRUSTED, judge, readings};
use crate::http::answer::{database_problem, problem};
use crate::log::log;
use crate::new_jobs::with_canary;
use crate::received::{is_kept, keep};
use crate::render::words::limited;
use crate::runners::labels_of;
use crate::service::Service;
use crate::starting;
use crate::stored_result::{comparison, pack};

/// A result of a comparison of many cells has a few megabytes.
const LARGEST: usize = 128 << 20;
/// Characters of a reason that are kept.
const LONGEST_REASON: usize = 16 << 10;
/// The runs of one job.
const LARGEST_RUNS: u64 = 1 << 30;
/// They come in pieces of at most this.
const LARGEST_PIECE: usize = 16 << 20;
/// The longest that a runner is let wait for a job.
const LONGEST_WAIT: Duration = Duration::from_secs(30);

/// `/runner/v1/…`.
pub(super) fn routes() -> Router<Arc<Service>> {
    Router::new()
        .route("/runner/v1/hello", post(hello))
        .route("/runner/v1/take", post(take))
        .route("/runner/v1/renew", post(renew))
        .route("/runner/v1/events", post(events))
        .route("/runner/v1/finish", post(finish))
        .route("/runner/v1/credential", post(super::credential::answer))
        .route("/runner/v1/runs", put(runs).get(runs_so_far))
        .layer(DefaultBodyLimit::max(LARGEST))
}

/// The runner whose key the request has. Its key is checked before the body is read.
pub(super) struct Known(pub(super) Runner);

impl FromRequestParts<Arc<Service>> for Known {
    type Rejection = Response;

    async fn from_request_parts(parts: &mut Parts, service: &Arc<Service>) -> Result<Self, Response> {
        let key = parts.headers.get("authorization").and_then(|value| value.to_str().ok());
        let key = key.and_then(|text| text.strip_prefix("Bearer ")).map(hash_key);
        let unknown = || problem(StatusCode::UNAUTHORIZED, "this is not a runner's key");
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
        if hello.wire != WIRE {
            return Err(another_version(&name, hello.wire, &hello.facts.version));
        }
        let facts = serde_json::to_value(&hello.facts).unwrap_or_default();
        let lease_ms = service.pool.lease().as_millis() as u64;
        log(&format!("runner {name} has started"));
        let seen = name.clone();
        let done = service.ask(move |queue| queue.runner_seen(&seen, &hello.boot, Some(&facts))).await;
        let version = env!("CARGO_PKG_VERSION").to_owned();
        Ok(json_of(done.map(|()| Welcome { name, lease_ms, wire: WIRE, version })))
    };
    answered(done.await)
}

/// The reply to a runner that would not understand this service.
fn another_version(runner: &str, wire: u32, version: &str) -> Response {
    let message = format!(
        "runner {runner} speaks version {wire} of the runner protocol (tlslab {version}), this service version {WIRE} (tlslab {}); \
         upgrade the older one",
        env!("CARGO_PKG_VERSION")
    );
    log(&message);
    problem(StatusCode::CONFLICT, &message)
}

async fn take(State(service): State<Arc<Service>>, Known(known): Known, Json(take): Json<Take>) -> Response {
    let done = async {
        if take.wire != WIRE {
            return Err(another_version(&known.name, take.wire, "of before"));
        }
        let until = Instant::now() + Duration::from_secs(take.wait_s.into()).min(LONGEST_WAIT);
        let labels = labels_of(&known);
        let Runner { name, mut facts, .. } = known;
        let Take { boot, has_sandbox, slot, free_bytes, .. } = take;
        if let Some(facts) = facts.as_object_mut() {
            facts.insert("free_bytes".to_owned(), json!(free_bytes));
        }
        let mut taker = Taker { name, boot, labels, has_sandbox, slot, facts: Some(facts) };
        loop {
            // Jobs enqueued during the query are not missed.
            let mut changed = std::pin::pin!(service.changed.notified());
            changed.as_mut().enable();
            let (asks, asking) = (taker.clone(), service.clone());
            taker.facts = None;
            let taken = tokio::task::spawn_blocking(move || starting::take(&asking, &asks)).await;
            let taken = taken.unwrap_or_else(|cause| {
                let place = "this service".to_owned();
                Err(QueueError::Damaged { place, cause: cause.to_string() })
            });
            match taken.map_err(|error| database_problem(&error))? {
                (Taken::Job(leased), job) => {
                    log(&format!("job {} is taken by runner {}", leased.job, taker.name));
                    service.progressed.notify_waiters();
                    let lease = Some(with_its_canary(&service, *leased, job.as_ref()));
                    return Ok(Json(wire::Taken { wire: WIRE, lease, rests: None }).into_response());
                }
                (taken, _) if Instant::now() >= until || service.stops() => {
                    let rests = if let Taken::Rest(why) = taken { Some(why) } else { None };
                    return Ok(Json(wire::Taken { wire: WIRE, lease: None, rests }).into_response());
                }
                (Taken::Nothing | Taken::Rest(_), _) => {
                    let left = until.saturating_duration_since(Instant::now());
                    let _ = tokio::time::timeout(service.looks_again_after().min(left), changed).await;
                }
            }
        }
    };
    answered(done.await)
}

/// A job that measures time also times the canary of its runner.
fn with_its_canary(service: &Service, leased: Leased, job: Option<&JobRow>) -> Leased {
    if !service.config.canary.enabled || !job.is_some_and(|job| job.is_timed) {
        return leased;
    }
    let body = with_canary(&leased.job, leased.token, leased.body, &service.config.canary);
    Leased { body, ..leased }
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
        service.progressed.notify_waiters();
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
        service.progressed.notify_waiters();
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
        let Runner { name, duty, duty_unix_ms, .. } = known;
        let job = finish.job.clone();
        let hold = Hold { job: finish.job, token: finish.token, runner: name.clone() };
        let judged = match finish.canary {
            Some(ending) => {
                let earlier = service.ask(move |queue| {
                    let newest = queue.canaries(&name, GOOD_ONES as u32, &[])?;
                    Ok((queue.canaries(&name, MOST, &TRUSTED)?, newest))
                });
                let (trusted, newest) = earlier.await.map_err(|error| database_problem(&error))?;
                let since = (duty == Duty::Quarantined).then_some(duty_unix_ms);
                Some(judge(readings(&ending), (&trusted, &newest), since))
            }
            None => None,
        };
        let (canary, duty) = judged.map_or((None, None), |judged| (Some(judged.canary), judged.duty));
        if let Some((duty, cause)) = &duty {
            log(&format!("runner {}: {}: {cause}", hold.runner, duty.name()));
        }
        let (state, fault, reason) = (finish.state, finish.fault, finish.reason);
        let ending = finish.ending.unwrap_or_default();
        let reason = match comparison(&ending) {
            Some(comparison) if state == tlslab_queue::State::Reported => Summary::of(&comparison).title,
            _ => limited(&reason, LONGEST_REASON),
        };
        let packed = tokio::task::spawn_blocking(move || pack(&ending)).await;
        let body = packed.map_err(anyhow::Error::from).and_then(|packed| packed);
        let body = body.map_err(|cause| problem(StatusCode::BAD_REQUEST, &cause.to_string()))?;
        let finish = Finish { state, fault, reason, body, canary, duty };
        let done = service.ask(move |queue| queue.finish(&hold, &finish)).await;
        service.progressed.notify_waiters();
        if state != tlslab_queue::State::Reported {
            // It may wait for another runner now.
            service.changed.notify_waiters();
        }
        // A rejected request is no end, and its name may be forged.
        if matches!(done, Ok(Settled::Accepted)) {
            log(&format!("job {job} ended: {state}"));
        }
        Ok(json_of(done.map(|answer| Finished { answer })))
    };
    answered(done.await)
}

/// The lease with which runs are sent, and which piece of them comes.
#[derive(Deserialize)]
struct RunsOf {
    job: String,
    token: u64,
    #[serde(default)]
    from: u64,
    #[serde(default)]
    length: u64,
}

/// How much has come.
async fn runs_so_far(
    State(service): State<Arc<Service>>,
    Known(known): Known,
    Query(of): Query<RunsOf>,
) -> Response {
    let done = async {
        let hold = held(&service, known, &of).await?;
        let bytes = service.ask(move |queue| queue.received(&hold)).await;
        let bytes = bytes.map_err(|error| database_problem(&error))?;
        let asked = service.clone();
        // Whether the answer to the last piece was lost.
        let is_kept = match bytes {
            0 => tokio::task::spawn_blocking(move || is_kept(&asked, &of.job)).await.unwrap_or_default(),
            _ => false,
        };
        Ok(Json(Received { bytes, is_kept }).into_response())
    };
    answered(done.await)
}

/// The runs of a job become part of the service's history, if the job requests it. Each piece renews the
/// lease.
async fn runs(
    State(service): State<Arc<Service>>,
    Known(known): Known,
    Query(of): Query<RunsOf>,
    body: Body,
) -> Response {
    let done = async {
        let hold = held(&service, known, &of).await?;
        let too_large = || problem(StatusCode::PAYLOAD_TOO_LARGE, "the runs are too large");
        if of.length > LARGEST_RUNS {
            return Err(too_large());
        }
        let piece = to_bytes(body, LARGEST_PIECE).await.map_err(|_| too_large())?;
        if of.from.saturating_add(piece.len() as u64) > of.length {
            return Err(problem(StatusCode::BAD_REQUEST, "a piece extends beyond the end of its runs"));
        }
        let (adding, from) = (hold.clone(), of.from);
        let added = service.ask(move |queue| queue.add_piece(&adding, from, &piece)).await;
        let bytes = added.map_err(|error| database_problem(&error))?;
        if bytes < of.length || of.length == 0 {
            return Ok(Json(Received { bytes, is_kept: false }).into_response());
        }
        let copying = service.clone();
        let copied = tokio::task::spawn_blocking(move || keep(&copying, &hold)).await;
        let copied = copied.map_err(anyhow::Error::from).and_then(|copied| copied);
        copied
            .map(|()| Json(Received { bytes, is_kept: true }).into_response())
            .map_err(|cause| unkept(&cause))
    };
    answered(done.await)
}

/// Runs are accepted from the holder of the lease of a job that keeps them.
async fn held(service: &Arc<Service>, known: Runner, of: &RunsOf) -> Result<Hold, Response> {
    let hold = Hold { job: of.job.clone(), token: of.token, runner: known.name };
    let asked = hold.clone();
    let held = service.ask(move |queue| Ok((queue.renew(&asked, None)?, queue.job(&asked.job)?))).await;
    let (answer, job) = held.map_err(|error| database_problem(&error))?;
    let work = job.and_then(|job| serde_json::from_value::<Work>(job.body).ok());
    match answer == Renewed::Lost || !work.is_some_and(|work| work.keeps_runs) {
        true => Err(problem(
            StatusCode::CONFLICT,
            "the job is not leased to this runner, or its runs are not kept",
        )),
        false => Ok(hold),
    }
}

fn unkept(cause: &anyhow::Error) -> Response {
    log(&format!("runs were not kept: {cause:#}"));
    problem(StatusCode::SERVICE_UNAVAILABLE, "the runs could not be kept; send them again")
}
