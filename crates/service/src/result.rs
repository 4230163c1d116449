//! Results of jobs, as they are kept.

use anyhow::Context;
use serde_json::Value;
use tlslab_comparison::Comparison;
use tlslab_queue::QueueError;

use crate::service::Service;

/// Larger results are refused before they are unpacked.
const LARGEST: usize = 512 << 20;

/// The last line of the job's process, packed.
pub fn pack(ending: &Value) -> anyhow::Result<Vec<u8>> {
    zstd::bulk::compress(ending.to_string().as_bytes(), 3).context("cannot pack the result")
}

/// The same, unpacked.
pub fn unpack(body: &[u8]) -> anyhow::Result<Value> {
    let text = zstd::bulk::decompress(body, LARGEST).context("the result is damaged")?;
    serde_json::from_slice(&text).context("the result is damaged")
}

/// The result of a job, if it has one.
pub fn of_job(service: &Service, job: &str) -> Result<Option<Value>, QueueError> {
    let body = service.queue(|queue| queue.result(job))?;
    Ok(body.and_then(|body| unpack(&body).ok()).filter(|result| !result.is_null()))
}

/// The comparison in a result, if it is one. A runner sent it, so it is read like any file from outside.
pub fn comparison(ending: &Value) -> Option<Comparison> {
    let outcome = ending.get("outcome")?;
    (outcome.get("kind")?.as_str()? == "comparison").then_some(())?;
    tlslab_comparison::read(&outcome.get("value")?.to_string()).ok()
}
