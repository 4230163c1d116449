//! Samples of a run, in as many points as a picture has room for.

use std::sync::Arc;

use axum::Json;
use axum::extract::{Path, State as Shared};
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Response};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;
use tlslab_queue::Scope;
use tlslab_store::StoreError;

use super::error::ApiError;
use super::read::{Parameters, parameters};
use crate::http::guard::authorise;
use crate::log::log;
use crate::sample_cache::{Cell, Cells, Key};
use crate::service::Service;

/// Points of an answer, by default and at most.
const USUAL_POINTS: usize = 1_000;
const MOST_POINTS: usize = 10_000;

/// Which samples are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct SamplesQuery {
    scenario: String,
    stack: String,
    side: Side,
    from: Option<usize>,
    to: Option<usize>,
    points: Option<usize>,
}

/// Samples of a cell in points.
#[derive(Serialize, JsonSchema)]
pub(super) struct SampleList {
    /// The run.
    run: String,
    /// The scenario.
    scenario: String,
    /// The stack.
    stack: String,
    /// The side, `client` or `server`.
    side: String,
    /// The unit of all values: nanoseconds per iteration.
    unit: &'static str,
    /// How many samples the cell has; `from` and `to` count them from 0.
    samples: usize,
    /// The points, in the order in which they were measured.
    points: Vec<SamplePoint>,
}

/// One sample, or consecutive ones together.
#[derive(Serialize, JsonSchema)]
struct SamplePoint {
    /// The place of the first sample.
    first: usize,
    /// How many samples there are.
    count: usize,
    /// The round in which the first was measured.
    round: u32,
    /// The least.
    min: f64,
    /// Their mean.
    mean: f64,
    /// The largest.
    max: f64,
}

pub(super) async fn of_run(
    Shared(service): Shared<Arc<Service>>,
    headers: HeaderMap,
    Path(run): Path<String>,
    query: Parameters<SamplesQuery>,
) -> Result<Response, ApiError> {
    authorise(&service, &headers, Scope::Read).await?;
    let query = parameters(query)?;
    let points = query.points.unwrap_or(USUAL_POINTS);
    if !(1..=MOST_POINTS).contains(&points) {
        return Err(ApiError::invalid("points", format!("write 1 to {MOST_POINTS}")));
    }
    let key = Key { run, scenario: query.scenario };
    let cells = service.samples.get(&key, read(&service, &key)).await?;
    let Some(cells) = cells else {
        let (run, scenario) = (quote(&key.run), quote(&key.scenario));
        return Err(ApiError::not_found(format!(
            "the run {run} has no scenario \"{scenario}\"; /runs/{run}.json has those of the run"
        )));
    };
    let Some(cell) = cells.cells.iter().find(|cell| cell.stack == query.stack) else {
        let (run, stack) = (quote(&key.run), quote(&query.stack));
        let known: Vec<&str> = cells.cells.iter().map(|cell| cell.stack.as_str()).collect();
        let known = known.join(", ");
        return Err(ApiError::not_found(format!("the run {run} has no stack \"{stack}\"; it has {known}")));
    };
    let window = query.from.unwrap_or(0)..query.to.unwrap_or(usize::MAX);
    Ok(Json(list(key.clone(), cell, query.side, window, points)).into_response())
}

fn list(key: Key, cell: &Cell, side: Side, window: std::ops::Range<usize>, points: usize) -> SampleList {
    let times = cell.times(side);
    let point = |bucket: tlslab_stats::Bucket| SamplePoint {
        first: bucket.first,
        count: bucket.count,
        round: cell.round(bucket.first),
        min: bucket.least,
        mean: bucket.mean,
        max: bucket.most,
    };
    SampleList {
        run: key.run,
        scenario: key.scenario,
        stack: cell.stack.clone(),
        side: side.name().to_owned(),
        unit: "ns",
        samples: times.len(),
        points: times.window(window, points).into_iter().map(point).collect(),
    }
}

async fn read(service: &Service, key: &Key) -> Result<Option<Cells>, ApiError> {
    let (address, wanted) = (service.pool.address().clone(), key.clone());
    let found = tokio::task::spawn_blocking(move || Cells::read(&address, &wanted)).await;
    let found = found.map_err(|cause| ApiError::failed(format!("the samples cannot be read: {cause}")))?;
    found.map_err(|cause| of_store(key, &cause))
}

/// Where the database is concerns nobody outside.
fn of_store(key: &Key, error: &StoreError) -> ApiError {
    let run = quote(&key.run);
    match error {
        StoreError::NoSuchRun { .. } => {
            ApiError::not_found(format!("there is no run \"{run}\"; /data/runs.json lists them"))
        }
        StoreError::SamplesDeleted { .. } => ApiError::not_found(format!(
            "the samples of the run {run} were deleted; /runs/{run}.json has its figures"
        )),
        error => {
            log(&format!("the samples of the run {run} cannot be read: {error}"));
            ApiError::failed(format!(
                "the samples of the run {run} cannot be read; see the log of the service"
            ))
        }
    }
}

fn quote(text: &str) -> String {
    tlslab_text::clean(text).chars().take(200).collect()
}
