//! What a history has of a stack's releases.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_history::figures::is_of_work;
use tlslab_protocol::{Measure, Scenario, Work};
use tlslab_record::Series;
use tlslab_store::Store;

/// The epoch in which each series of counts has a release last, by the release's label.
pub(super) type LatestEpochs = BTreeMap<String, BTreeMap<Series, String>>;

/// What a history has of a stack's releases, measured on runners like this one.
#[derive(Default)]
pub(super) struct Known {
    /// The releases that have a value or a reason in every wanted scenario, for every metric.
    pub complete: BTreeSet<String>,
    /// The epochs of those that have counts.
    pub measured: LatestEpochs,
}

/// Looks through the series of a stack.
///
/// # Errors
/// A database that cannot be read.
pub(super) fn known(
    store: &dyn Store,
    stack: &str,
    scenarios: &[Scenario],
    metrics: &[Measure],
) -> anyhow::Result<Known> {
    let all = store.series()?;
    let class = tlslab_history::figures::runner_class(&crate::host::fingerprint());
    let mut complete: Option<BTreeSet<String>> = None;
    let mut measured = LatestEpochs::new();
    for scenario in scenarios {
        // Nothing but memory is measured of idle connections.
        let is_idle = matches!(scenario.work, Work::Idle { .. });
        for metric in metrics.iter().filter(|metric| !is_idle || **metric == Measure::Heap) {
            let is_it = |name: &str| name.split('.').next() == Some(metric.name());
            let of_cell = all.iter().map(|one| &one.series);
            let of_cell = of_cell
                .filter(|one| one.stack == stack && one.scenario == scenario.name && is_it(&one.metric))
                .filter(|one| one.class == class);
            // A cell has series of both sides: it is known where one of them has the release.
            let mut labels = BTreeSet::new();
            for series in of_cell {
                let points = store.points(series)?.into_iter();
                // Figures of other work are another series.
                for point in points.filter(|point| is_of_work(&point.epoch, scenario)) {
                    // Times of all epochs are comparable by the canary.
                    if series.is_counted() && point.outcome.value().is_some() {
                        let epochs = measured.entry(point.label.clone()).or_default();
                        epochs.insert(series.clone(), point.epoch);
                    }
                    labels.insert(point.label);
                }
            }
            complete = Some(match complete {
                Some(sofar) => sofar.intersection(&labels).cloned().collect(),
                None => labels,
            });
        }
    }
    Ok(Known { complete: complete.unwrap_or_default(), measured })
}
