//! The releases of a stack that a history has.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_history::figures::is_of_work;
use tlslab_protocol::{Measure, Scenario, Work};
use tlslab_record::{SIZE_SCENARIO, Series};
use tlslab_store::Store;

/// For each series of counts, the epoch of each release's last point, by the release's label.
pub(super) type LatestEpochs = BTreeMap<String, BTreeMap<Series, String>>;

/// The releases of a stack that a history has, measured on runners like this one.
#[derive(Default)]
pub(super) struct Known {
    /// The releases with a value or a reason in every wanted scenario, for every metric.
    pub complete: BTreeSet<String>,
    /// The epochs of releases with counts.
    pub measured: LatestEpochs,
}

/// Reads the series of a stack.
///
/// # Errors
/// Fails if the database cannot be read.
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
    for (scenario, metric) in cells(scenarios, metrics) {
        let name = scenario.map_or(SIZE_SCENARIO, |scenario| &scenario.name);
        let is_it = |name: &str| name.split('.').next() == Some(metric.name());
        let of_cell = all.iter().map(|one| &one.series);
        let of_cell = of_cell
            .filter(|one| one.stack == stack && one.scenario == name && is_it(&one.metric))
            .filter(|one| one.class == class);
        // A cell has series of both sides: it is known if one of them has the release.
        let mut labels = BTreeSet::new();
        for series in of_cell {
            let points = store.points(series)?.into_iter();
            // Figures of different work belong to another series.
            let is_of_cell = |epoch: &str| scenario.is_none_or(|scenario| is_of_work(epoch, scenario));
            for point in points.filter(|point| is_of_cell(&point.epoch)) {
                // The canary makes times of all epochs comparable.
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
    Ok(Known { complete: complete.unwrap_or_default(), measured })
}

/// A measured item of each release: a metric in a scenario, or sizes, which belong to no scenario.
fn cells<'s>(
    scenarios: &'s [Scenario],
    metrics: &'s [Measure],
) -> impl Iterator<Item = (Option<&'s Scenario>, Measure)> {
    // Only memory is measured of idle connections.
    let is_measured = |scenario: &Scenario, metric: Measure| {
        metric == Measure::Heap || !matches!(scenario.work, Work::Idle { .. })
    };
    metrics.iter().flat_map(move |&metric| {
        let of_scenarios = if metric == Measure::Size { &[][..] } else { scenarios };
        let of_scenarios = of_scenarios.iter().filter(move |scenario| is_measured(scenario, metric));
        let of_none = (metric == Measure::Size).then_some((None, metric));
        of_scenarios.map(move |scenario| (Some(scenario), metric)).chain(of_none)
    })
}
