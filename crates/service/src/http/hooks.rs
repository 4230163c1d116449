//! Webhooks: verified over the raw body, stored, answered. Everything else happens later.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use axum::Router;
use axum::body::Body;
use axum::extract::{Path, State};
use axum::http::{Extensions, HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures_core::Stream;
use serde_json::json;
use tlslab_forge::Kind;
use tlslab_forge::webhook::verify;
use tokio::sync::Semaphore;

use crate::http::answer::problem;
use crate::http::guard::peer_of;
use crate::log::log;
use crate::secret::Secret;
use crate::service::{Counters, Service};

/// The largest body that a code host sends.
const LARGEST: usize = 25 << 20;
/// How long a body may take.
const WITHIN: Duration = Duration::from_secs(10);
/// Bodies up to this size are read without waiting for others, so that slow ones hold up no delivery of usual
/// size.
const SMALL: usize = 1 << 20;
/// Larger bodies that are read at once, so that they cannot fill the memory.
static READING: Semaphore = Semaphore::const_new(16);

/// Of these, those of one peer.
const OF_ONE_PEER: usize = 4;
/// Peers with remembered places.
const MOST_PEERS: usize = 1_000;
/// The places of each peer.
static PLACES: Mutex<BTreeMap<IpAddr, Arc<Semaphore>>> = Mutex::new(BTreeMap::new());
/// A message about the database is repeated after this time at the earliest.
const SELDOM: Duration = Duration::from_secs(60);

/// The places of a peer. Those that nobody uses are forgotten.
fn places_of(peer: IpAddr) -> Arc<Semaphore> {
    let mut places = PLACES.lock().unwrap_or_else(PoisonError::into_inner);
    if places.len() > MOST_PEERS {
        places.retain(|_, places| Arc::strong_count(places) > 1);
    }
    places.entry(peer).or_insert_with(|| Arc::new(Semaphore::new(OF_ONE_PEER))).clone()
}

/// Says something to the journal, at most once in a while.
fn log_seldom(text: &str) {
    static LAST: Mutex<Option<Instant>> = Mutex::new(None);
    let mut last = LAST.lock().unwrap_or_else(PoisonError::into_inner);
    if last.is_none_or(|last| last.elapsed() > SELDOM) {
        *last = Some(Instant::now());
        log(text);
    }
}

/// `POST /hooks/{forge}`.
pub(super) fn routes() -> Router<Arc<Service>> {
    Router::new().route("/hooks/{forge}", post(receive))
}

async fn receive(
    State(service): State<Arc<Service>>,
    Path(forge): Path<String>,
    extensions: Extensions,
    headers: HeaderMap,
    body: Body,
) -> Response {
    let peer = peer_of(&extensions);
    let Some(access) = service.forges.get(&forge) else {
        return problem(StatusCode::NOT_FOUND, "there is no forge of this name in the configuration");
    };
    let header = |name: &str| headers.get(name)?.to_str().ok().map(str::to_owned);
    if !may_be_signed(access.kind, &header) {
        Counters::add(&service.counters.refused);
        return problem(
            StatusCode::UNAUTHORIZED,
            "the delivery is not signed; configure the webhook's secret",
        );
    }
    let length = header("content-length").and_then(|text| text.parse::<usize>().ok());
    if length.is_some_and(|length| length > LARGEST) {
        return problem(StatusCode::PAYLOAD_TOO_LARGE, "a delivery has at most 25 MiB");
    }
    let body = {
        let places = places_of(peer);
        let read = async {
            let is_small = length.is_some_and(|length| length <= SMALL);
            // The peer's own place first: a peer that fills its places takes none from others.
            let _own = if is_small { None } else { Some(places.acquire().await) };
            let _turn = if is_small { None } else { Some(READING.acquire().await) };
            read_body(body, length.unwrap_or_default()).await
        };
        match tokio::time::timeout(WITHIN, read).await {
            Ok(Some(body)) => body,
            Ok(None) => {
                return problem(StatusCode::PAYLOAD_TOO_LARGE, "the body ended early or is too large");
            }
            Err(_) => return problem(StatusCode::REQUEST_TIMEOUT, "the body took longer than 10 s"),
        }
    };
    let signed = |secret: &Secret| verify(access.kind, secret.reveal().as_bytes(), &header, &body);
    let former = || access.former_webhook_secret.as_ref().and_then(|secret| signed(secret).ok());
    let delivery = match signed(&access.webhook_secret).or_else(|refused| former().ok_or(refused)) {
        Ok(delivery) => delivery,
        Err(refused) => {
            Counters::add(&service.counters.refused);
            return problem(StatusCode::UNAUTHORIZED, &refused.to_string());
        }
    };
    let kept = service.ask(move |queue| queue.receive(&forge, &delivery.id, &delivery.event, &body)).await;
    match kept {
        Ok(true) => {
            Counters::add(&service.counters.deliveries);
            service.changed.notify_waiters();
            (StatusCode::ACCEPTED, axum::Json(json!({"status": "accepted"}))).into_response()
        }
        Ok(false) => {
            Counters::add(&service.counters.repeated);
            (StatusCode::OK, axum::Json(json!({"status": "received before"}))).into_response()
        }
        Err(error) => {
            log_seldom(&format!("a delivery was not kept: {error}"));
            problem(StatusCode::SERVICE_UNAVAILABLE, "the database is unavailable; deliver it again later")
        }
    }
}

/// The body, piece by piece into one buffer; none if it ended early or is too large.
async fn read_body(body: Body, length: usize) -> Option<Vec<u8>> {
    let mut pieces = body.into_data_stream();
    // The announced length may be wrong.
    let mut read = Vec::with_capacity(length.min(SMALL));
    while let Some(piece) = poll_fn(|context| Pin::new(&mut pieces).poll_next(context)).await {
        let piece = piece.ok()?;
        if read.len() + piece.len() > LARGEST {
            return None;
        }
        read.extend_from_slice(&piece);
    }
    Some(read)
}

/// Whether there is something that could be a signature. A delivery without one is rejected before its body
/// is read.
fn may_be_signed(kind: Kind, header: &dyn Fn(&str) -> Option<String>) -> bool {
    let has_digits = |text: String| {
        let digits = text.strip_prefix("sha256=").unwrap_or(&text);
        digits.len() == 64 && digits.bytes().all(|b| b.is_ascii_hexdigit())
    };
    match kind {
        Kind::Github => header("x-hub-signature-256").is_some_and(has_digits),
        Kind::Gitea => ["x-gitea-signature", "x-hub-signature-256"]
            .iter()
            .any(|name| header(name).is_some_and(has_digits)),
        Kind::Gitlab => header("x-gitlab-token").is_some_and(|token| !token.is_empty()),
    }
}
