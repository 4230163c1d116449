//! Whether the service is well, for supervisors and for Prometheus.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::State as Shared;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use serde_json::json;
use tlslab_queue::{Duty, Runner, Scope, State};
use tlslab_runner::free_bytes;

use super::api::{ApiError, STATES};
use super::guard::{authorise, protect};
use crate::render::words::now_unix_ms;
use crate::service::Service;

/// How long the database may take to answer.
const PATIENCE: Duration = Duration::from_secs(5);

/// The routes.
pub(crate) fn routes() -> Router<Arc<Service>> {
    protect(Router::new().route("/health", get(health)).route("/metrics", get(metrics)))
}

async fn health(Shared(service): Shared<Arc<Service>>) -> Response {
    let mut wrong = Vec::new();
    let asked = tokio::time::timeout(PATIENCE, service.ask(|queue| queue.undelivered())).await;
    match asked {
        Ok(Ok(_)) => {}
        // The database's address and its errors are not public.
        Ok(Err(_)) => wrong.push("the database cannot be reached".to_owned()),
        Err(_) => wrong.push(format!("the database has not answered for {} s", PATIENCE.as_secs())),
    }
    for (name, seconds) in service.beats.late() {
        wrong.push(format!("the loop {name} has not reported for {seconds} s"));
    }
    if service.stops() {
        wrong.push("the service stops".to_owned());
    }
    let version = env!("CARGO_PKG_VERSION");
    match wrong.is_empty() {
        true => Json(json!({ "status": "ok", "version": version })).into_response(),
        false => {
            let body = Json(json!({ "status": "unwell", "version": version, "problems": wrong }));
            (StatusCode::SERVICE_UNAVAILABLE, body).into_response()
        }
    }
}

/// Numbers from the database.
struct Counted {
    states: Vec<(State, u64)>,
    messages: (u64, u64),
    given_up: (u64, u64),
    oldest_ms: (u64, u64),
    undelivered: u64,
    runners: Vec<Runner>,
}

async fn metrics(Shared(service): Shared<Arc<Service>>, headers: HeaderMap) -> Result<Response, ApiError> {
    authorise(&service, &headers, Scope::Read).await?;
    let counted = service.ask(|queue| {
        Ok(Counted {
            states: queue.count_states()?,
            messages: queue.messages_waiting()?,
            given_up: queue.given_up()?,
            oldest_ms: queue.oldest_waiting_ms()?,
            undelivered: queue.undelivered()?,
            runners: queue.runners()?,
        })
    });
    // Without the database there are fewer metrics, and one reports why.
    let counted = counted.await.ok();
    let text = text(&service, counted.as_ref(), now_unix_ms());
    Ok(([(header::CONTENT_TYPE, "text/plain; version=0.0.4; charset=utf-8")], text).into_response())
}

fn text(service: &Service, counted: Option<&Counted>, now_unix_ms: u64) -> String {
    let mut text = Exposition(String::new());
    text.gauge("tlslab_database_up", "Whether the database answers.", u64::from(counted.is_some()));
    if let Some(counted) = counted {
        text.head("tlslab_jobs", "Jobs by state.", "gauge");
        let known: BTreeMap<&str, u64> =
            counted.states.iter().map(|(state, count)| (state.name(), *count)).collect();
        for state in STATES.map(State::name) {
            text.labelled(
                "tlslab_jobs",
                "state",
                state,
                known.get(state).copied().unwrap_or_default() as f64,
            );
        }
        let (waiting, overdue_ms) = counted.messages;
        text.gauge("tlslab_messages_waiting", "Messages that are not sent yet.", waiting);
        text.head("tlslab_messages_overdue_seconds", "For how long the oldest message is overdue.", "gauge");
        text.value("tlslab_messages_overdue_seconds", overdue_ms as f64 / 1e3);
        let (deliveries, messages) = counted.given_up;
        text.head(
            "tlslab_given_up_total",
            "Events and messages given up after two days of attempts.",
            "counter",
        );
        for (kind, count) in [("delivery", deliveries), ("message", messages)] {
            text.labelled("tlslab_given_up_total", "kind", kind, count as f64);
        }
        let (queued_ms, unapproved_ms) = counted.oldest_ms;
        let what = "For how long the oldest job has waited for a runner or for an approval.";
        text.head("tlslab_job_oldest_waiting_seconds", what, "gauge");
        for (kind, ms) in [("runner", queued_ms), ("approval", unapproved_ms)] {
            text.labelled("tlslab_job_oldest_waiting_seconds", "for", kind, ms as f64 / 1e3);
        }
        text.gauge("tlslab_deliveries_waiting", "Deliveries that are not handled yet.", counted.undelivered);
        runner_health(&mut text, &counted.runners, now_unix_ms);
    }
    let counters = &service.counters;
    for (name, what, counter) in [
        ("tlslab_deliveries_total", "Deliveries that were kept.", &counters.deliveries),
        ("tlslab_deliveries_repeated_total", "Repeated deliveries.", &counters.repeated),
        ("tlslab_deliveries_refused_total", "Deliveries without a valid signature.", &counters.refused),
        ("tlslab_messages_sent_total", "Messages that were sent.", &counters.sent),
        ("tlslab_messages_delayed_total", "Attempts to send a message that failed.", &counters.delayed),
        (
            "tlslab_messages_unconfirmed_total",
            "Messages that a code host acknowledged but did not show.",
            &counters.unconfirmed,
        ),
        ("tlslab_notices_sent_total", "Notices that arrived at their address.", &counters.notices),
        ("tlslab_notices_delayed_total", "Attempts to send a notice that failed.", &counters.notices_delayed),
        ("tlslab_database_errors_total", "Errors of the database.", &counters.database_errors),
    ] {
        text.counter(name, what, counter);
    }
    text.gauge("tlslab_loops_late", "Loops that did not report in time.", service.beats.late().len() as u64);
    if let Some(free) = free_bytes(&service.config.folder) {
        text.gauge("tlslab_disk_free_bytes", "Free space on the disk of the service's folder.", free);
    }
    if let Some(bytes) = resident_bytes() {
        text.gauge("process_resident_memory_bytes", "Resident memory.", bytes);
    }
    text.0
}

/// When each runner was heard of, which rest or are in quarantine, and the room that each reported last.
fn runner_health(text: &mut Exposition, runners: &[Runner], now_unix_ms: u64) {
    text.head("tlslab_runner_seen_seconds", "Time since a runner's last contact.", "gauge");
    for runner in runners.iter().filter(|runner| runner.seen_unix_ms > 0) {
        let since_s = now_unix_ms.saturating_sub(runner.seen_unix_ms) as f64 / 1e3;
        text.labelled("tlslab_runner_seen_seconds", "runner", &runner.name, since_s);
    }
    text.head("tlslab_runner_rests", "Whether a runner is drained or in quarantine.", "gauge");
    for runner in runners {
        let rests = if runner.duty == Duty::Works { 0.0 } else { 1.0 };
        text.labelled("tlslab_runner_rests", "runner", &runner.name, rests);
    }
    text.head("tlslab_runner_quarantined", "Whether a runner is in quarantine.", "gauge");
    for runner in runners {
        let is_quarantined = if runner.duty == Duty::Quarantined { 1.0 } else { 0.0 };
        text.labelled("tlslab_runner_quarantined", "runner", &runner.name, is_quarantined);
    }
    text.head("tlslab_runner_free_bytes", "Free space on a runner's disk, as last reported.", "gauge");
    for runner in runners {
        if let Some(free) = runner.facts.get("free_bytes").and_then(serde_json::Value::as_u64) {
            text.labelled("tlslab_runner_free_bytes", "runner", &runner.name, free as f64);
        }
    }
}

/// Prometheus's text format.
struct Exposition(String);

impl Exposition {
    fn head(&mut self, name: &str, what: &str, kind: &str) {
        // Writing to a string cannot fail.
        let _ = writeln!(self.0, "# HELP {name} {what}\n# TYPE {name} {kind}");
    }

    fn value(&mut self, name: &str, value: f64) {
        let _ = writeln!(self.0, "{name} {value}");
    }

    fn gauge(&mut self, name: &str, what: &str, value: u64) {
        self.head(name, what, "gauge");
        let _ = writeln!(self.0, "{name} {value}");
    }

    fn counter(&mut self, name: &str, what: &str, counter: &AtomicU64) {
        self.head(name, what, "counter");
        let _ = writeln!(self.0, "{name} {}", counter.load(Ordering::Relaxed));
    }

    fn labelled(&mut self, name: &str, label: &str, of: &str, value: f64) {
        let of = of.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
        let _ = writeln!(self.0, "{name}{{{label}=\"{of}\"}} {value}");
    }
}

/// The resident memory of this process, if the kernel reports it.
fn resident_bytes() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/self/statm").ok()?;
    let pages: u64 = text.split_whitespace().nth(1)?.parse().ok()?;
    Some(pages * page_bytes())
}

/// The kernel passes the size of a page in the auxiliary vector: entries of two words; entry 6 is the size.
fn page_bytes() -> u64 {
    const WORD: usize = size_of::<usize>();
    const PAGE_SIZE: usize = 6;
    let vector = std::fs::read("/proc/self/auxv").unwrap_or_default();
    let word = |bytes: &[u8]| bytes.try_into().map(usize::from_ne_bytes).unwrap_or_default();
    let mut entries = vector.chunks_exact(2 * WORD).map(|entry| (word(&entry[..WORD]), word(&entry[WORD..])));
    entries.find(|(name, _)| *name == PAGE_SIZE).map_or(4096, |(_, size)| size as u64)
}
