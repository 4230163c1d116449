//! Series with their points, from a database.

use anyhow::bail;
use tlslab_figures::work_differences;
use tlslab_lab::Environment;
use tlslab_protocol::Scenario;
use tlslab_record::{HistoryPolicy, Series};
use tlslab_store::{SeriesSummary, Store};
use tlslab_timeline::Timeline;

/// How changes are found, by the `tlslab.toml` of this folder or of the lab.
pub fn policy() -> anyhow::Result<HistoryPolicy> {
    Ok(Environment::find(None, None)?.policy.history)
}

/// Whether a metric is of a whole iteration.
pub fn is_whole(metric: &str) -> bool {
    ["time", "throughput", "wall", "count.instructions", "heap.peak", "idle.heap"].contains(&metric)
}

/// Every series that is wanted, with its points and the reference's in the same runs.
pub fn timelines(
    store: &dyn Store,
    reference: Option<&str>,
    policy: &HistoryPolicy,
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
        let mut timeline = Timeline::of(series, &points, &beside, policy);
        for (at, before, after) in timeline.other_work() {
            let differences = differences(store, &timeline.series.scenario, &before, &after);
            timeline.explained.extend((!differences.is_empty()).then_some((at, differences)));
        }
        timelines.push(timeline);
    }
    if !has_reference && !timelines.is_empty() {
        let reference = reference.unwrap_or_default();
        bail!(
            "{reference} was not measured in the same scenarios; name a stack that was, without its version"
        );
    }
    Ok(timelines)
}

/// What a scenario of one run asks for that it did not in another; nothing if either is of another program.
fn differences(store: &dyn Store, scenario: &str, before: &str, after: &str) -> String {
    let resolved = |run: &str| -> Option<Scenario> {
        store.plan(run).ok()?.scenarios.into_iter().find(|known| known.name == scenario)
    };
    match (resolved(before), resolved(after)) {
        (Some(before), Some(after)) => work_differences(&before, &after),
        _ => String::new(),
    }
}
