//! Events of a job as they happen: server-sent events.

use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::extract::{Path, Query, State as Shared};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use futures_core::Stream;
use serde::Deserialize;
use serde_json::json;
use tlslab_queue::{JobRow, Scope};
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{Receiver, Sender, channel};

use super::api::{ApiError, events_after};
use super::guard::{authorise, protect};
use crate::render::event_line::event_line;
use crate::render::failure::without_folders;
use crate::render::words::state_words;
use crate::service::Service;

/// How often the database is queried without a notification.
const EVERY: Duration = Duration::from_secs(1);
/// How often a stream without events sends a sign of life.
const KEEP_ALIVE: Duration = Duration::from_secs(15);
/// After how long a browser connects again.
const RETRY: Duration = Duration::from_secs(3);
/// Events that a slow reader may be behind.
const AHEAD: usize = 64;
/// Concurrent streams: each queries the database every second.
const MOST_STREAMS: usize = 256;

static STREAMS: Semaphore = Semaphore::const_new(MOST_STREAMS);

/// The routes.
pub(crate) fn routes() -> Router<Arc<Service>> {
    protect(Router::new().route("/jobs/{id}/live", get(live)))
}

async fn live(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(id): Path<String>,
    Query(After { after }): Query<After>,
) -> Result<Response, ApiError> {
    authorise(&service, &headers, Scope::Read).await?;
    let asked = id.clone();
    if service.ask(move |queue| queue.job(&asked)).await?.is_none() {
        return Err(ApiError::no_job(&id));
    }
    let Ok(permit) = STREAMS.try_acquire() else {
        return Err(ApiError::unavailable(format!("{MOST_STREAMS} readers follow jobs already"), RETRY));
    };
    // A browser that connects again knows better than the page that it has.
    let last = headers.get("last-event-id").and_then(|last| last.to_str().ok()).or(after.as_deref());
    let place = last.and_then(Place::read);
    let (sender, receiver) = channel(AHEAD);
    tokio::spawn(async move {
        follow(&service, &id, place.unwrap_or_default(), &sender).await;
        drop(permit);
    });
    let stream = Sse::new(Events(receiver)).keep_alive(KeepAlive::new().interval(KEEP_ALIVE));
    // A proxy passes it on as it comes.
    let unbuffered = [(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"))];
    Ok((unbuffered, stream).into_response())
}

#[derive(Deserialize)]
struct After {
    /// The last event that a page has.
    after: Option<String>,
}

/// The last event that a reader has.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
struct Place {
    token: Option<u64>,
    number: u64,
}

impl Place {
    /// `TOKEN.NUMBER`.
    fn read(text: &str) -> Option<Self> {
        let (token, number) = text.trim().split_once('.')?;
        Some(Self { token: Some(token.parse().ok()?), number: number.parse().ok()? })
    }
}

/// Sends new events until the job has ended, the reader has gone or the service stops.
async fn follow(service: &Arc<Service>, id: &str, mut place: Place, sender: &Sender<Event>) {
    let mut said = None;
    if sender.send(Event::default().retry(RETRY)).await.is_err() {
        return;
    }
    while !service.stops() && !sender.is_closed() {
        // Changes during the query are not missed.
        let (changed, progressed) = (service.changed.notified(), service.progressed.notified());
        let asked = id.to_owned();
        let Place { token, number } = place;
        let found = service.ask(move |queue| events_after(queue, &asked, token, number)).await;
        // A database that is away comes back.
        if let Ok(found) = found {
            let Some((job, token, events)) = found else { return };
            let has_more = !events.is_empty();
            for (number, body) in events {
                place = Place { token: Some(token), number };
                let Some(line) = event_line(&body) else { continue };
                let data = json!({ "time": line.time, "kind": line.kind, "text": line.text }).to_string();
                let event = Event::default().event("log").id(format!("{token}.{number}")).data(data);
                if sender.send(event).await.is_err() {
                    return;
                }
            }
            if !tell_state(&job, &mut said, sender).await {
                return;
            }
            if job.state.is_ended() && !has_more {
                let _ = sender.send(Event::default().event("end").data(job.state.name())).await;
                return;
            }
            if has_more {
                continue;
            }
        }
        tokio::select! {
            () = changed => {}
            () = progressed => {}
            () = tokio::time::sleep(EVERY) => {}
            () = sender.closed() => return,
        }
    }
}

/// Sends the job's state if it has changed; returns whether the reader is there.
async fn tell_state(job: &JobRow, said: &mut Option<(String, String)>, sender: &Sender<Event>) -> bool {
    let now = (job.state.name().to_owned(), job.reason.clone());
    if said.as_ref() == Some(&now) {
        return true;
    }
    let first = job.reason.lines().next().unwrap_or_default();
    let reason = without_folders(&tlslab_text::clean(first));
    let data = json!({ "state": now.0, "words": state_words(job), "reason": reason }).to_string();
    *said = Some(now);
    sender.send(Event::default().event("state").data(data)).await.is_ok()
}

/// The events of a stream.
struct Events(Receiver<Event>);

impl Stream for Events {
    type Item = Result<Event, std::convert::Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_is_a_token_and_a_number() {
        assert_eq!(Place::read("3.17"), Some(Place { token: Some(3), number: 17 }));
        for wrong in ["", "3", "3.", ".1", "-1.2", "3.1.2", "99999999999999999999.1"] {
            assert_eq!(Place::read(wrong), None, "{wrong}");
        }
    }
}
