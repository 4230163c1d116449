//! Stored results of jobs.

use std::io::Read as _;

use anyhow::Context;
use serde_json::Value;
use tlslab_comparison::Comparison;
use tlslab_queue::QueueError;
use tlslab_record::HistoryPolicy;

use crate::log::log;
use crate::service::Service;

/// Results that unpack to more are rejected.
const LONGEST_RESULT: u64 = 64 << 20;

/// The last line of the job's process, packed.
pub(crate) fn pack(ending: &Value) -> anyhow::Result<Vec<u8>> {
    zstd::bulk::compress(ending.to_string().as_bytes(), 3).context("cannot pack the result")
}

/// The text of a stored result.
///
/// # Errors
/// Fails if the result cannot be unpacked, or is too long.
pub(crate) fn unpack(packed: &[u8]) -> Result<Vec<u8>, String> {
    if packed.is_empty() {
        return Ok(Vec::new());
    }
    let reader = zstd::stream::read::Decoder::new(packed).map_err(|cause| cause.to_string())?;
    let mut text = Vec::new();
    reader.take(LONGEST_RESULT + 1).read_to_end(&mut text).map_err(|cause| cause.to_string())?;
    match text.len() as u64 > LONGEST_RESULT {
        true => Err(format!("it has more than {LONGEST_RESULT} bytes")),
        false => Ok(text),
    }
}

/// The same as JSON; none if it cannot be read.
pub(crate) fn read(packed: &[u8]) -> Option<Value> {
    serde_json::from_slice(&unpack(packed).ok()?).ok()
}

/// The result of a job, if it has one.
pub(crate) fn of_job(service: &Service, job: &str) -> Result<Option<Value>, QueueError> {
    let body = service.queue(|queue| queue.result(job))?;
    Ok(body.and_then(|body| read(&body)).filter(|result| !result.is_null()))
}

/// The comparison of a job, if it is one, with the data of the service's database: each cell's own threshold,
/// and accepted regressions. The runner has no history.
pub(crate) fn judged(service: &Service, job: &str) -> Result<Option<Comparison>, QueueError> {
    let ending = of_job(service, job)?;
    Ok(ending.as_ref().and_then(comparison).map(|comparison| with_history(service, comparison)))
}

/// A result in which the comparison, if it is one, is judged so.
pub(crate) fn judged_ending(service: &Service, mut ending: Value) -> Value {
    if let Some(comparison) = comparison(&ending).map(|comparison| with_history(service, comparison))
        && let (Some(place), Ok(judged)) =
            (ending.pointer_mut("/outcome/value"), serde_json::to_value(comparison))
    {
        *place = judged;
    }
    ending
}

fn with_history(service: &Service, mut comparison: Comparison) -> Comparison {
    let noted =
        tlslab_store::open_existing(service.pool.address()).map_err(anyhow::Error::from).and_then(|store| {
            tlslab_lab::track(&mut comparison, &*store, &HistoryPolicy::default())?;
            tlslab_lab::note_acknowledged(&mut comparison, &*store)
        });
    if let Err(cause) = noted {
        log(&format!("its history cannot be read: {cause:#}"));
    }
    comparison
}

/// The comparison in a result, if it is one. A runner sent it, so it is read like any file from outside.
pub(crate) fn comparison(ending: &Value) -> Option<Comparison> {
    let outcome = ending.get("outcome")?;
    (outcome.get("kind")?.as_str()? == "comparison").then_some(())?;
    tlslab_comparison::read(&outcome.get("value")?.to_string()).ok()
}
