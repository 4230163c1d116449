//! Series with their points, from a database.

use anyhow::bail;
use tlslab_record::Series;
use tlslab_store::{SeriesSummary, Store};
use tlslab_timeline::Timeline;

/// Whether a metric is of a whole iteration.
pub fn is_whole(metric: &str) -> bool {
    ["time", "throughput", "wall", "count.instructions", "heap.peak", "idle.heap"].contains(&metric)
}

/// Every series that is wanted, with its points and the reference's in the same runs.
pub fn timelines(
    store: &dyn Store,
    reference: Option<&str>,
    wanted: &dyn Fn(&SeriesSummary) -> bool,
) -> anyhow::Result<Vec<Timeline>> {
    let mut timelines = Vec::new();
    let mut has_reference = reference.is_none();
    for series in store.series()?.into_iter().filter(|one| wanted(one)).map(|one| one.series) {
        let beside = match reference {
            Some(reference) if series.stack != reference => {
                store.points(&Series { stack: reference.to_owned(), ..series.clone() })?
            }
            _ => Vec::new(),
        };
        has_reference |= !beside.is_empty();
        let points = store.points(&series)?;
        timelines.push(Timeline::of(series, &points, &beside));
    }
    if !has_reference && !timelines.is_empty() {
        let reference = reference.unwrap_or_default();
        bail!(
            "{reference} was not measured in the same scenarios; name a stack that was, without its version"
        );
    }
    Ok(timelines)
}
