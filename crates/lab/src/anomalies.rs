//! The anomalies of a recorded run.

use std::collections::BTreeSet;

use tlslab_anomaly::{Anomalies, Observations, Release, Releases};
use tlslab_estimate::{Quantity, Report};
use tlslab_record::HistoryPolicy;
use tlslab_store::{SeriesSummary, Store};
use tlslab_timeline::{Measured, Timeline};

use crate::database::Results;
use crate::history::{Order, is_whole, timelines};
use crate::run::recorded_run;

/// The cells of a recorded run, or of the newest one, that break an expectation, and the releases of its stacks that do so in the
/// history. The database is only read.
///
/// # Errors
/// A run that there is not.
pub fn anomalies(results: &Results, run: Option<&str>, policy: &HistoryPolicy) -> anyhow::Result<Anomalies> {
    let report = recorded_run(results, run)?;
    let store = results.open_to_read()?;
    let releases = releases(&*store, &report, policy)?;
    Ok(Anomalies::of(&report.run.id, &Observations::of(&report), &releases))
}

/// The histories of the stacks that the run has.
fn releases(store: &dyn Store, report: &Report, policy: &HistoryPolicy) -> anyhow::Result<Vec<Releases>> {
    let figures = store.figures(&report.run.id)?;
    let stacks: BTreeSet<&str> = figures.iter().map(|figure| figure.series.stack.as_str()).collect();
    let wanted = |one: &SeriesSummary| {
        !one.imported && is_whole(&one.series.metric) && stacks.contains(one.series.stack.as_str())
    };
    Ok(timelines(store, None, Order::Version, policy, &wanted)?.iter().map(releases_of).collect())
}

/// The releases of a series. Times are divided by those of the canary in the same run; without a canary, times of different runs say
/// nothing of releases.
fn releases_of(timeline: &Timeline) -> Releases {
    let is_counted = timeline.series.is_counted();
    let release = |at: usize| {
        let point = timeline.points.get(at)?;
        let figure = match (is_counted, point.reference) {
            (true, _) => figure(point, 1.0, &timeline.series.unit),
            (false, Some(reference)) => figure(point, reference, ""),
            (false, None) => return None,
        };
        let epoch = format!("{}\n{}", point.epoch, point.reference_version.as_deref().unwrap_or_default());
        Some(Release { label: point.label.clone(), epoch, figure })
    };
    let releases = timeline.releases().iter().filter_map(|one| release(one.at)).collect();
    Releases { series: timeline.series.clone(), releases }
}

fn figure(point: &Measured, over: f64, unit: &str) -> Quantity {
    Quantity {
        value: point.value / over,
        lower: point.lower.map(|lower| lower / over),
        upper: point.upper.map(|upper| upper / over),
        unit: unit.to_owned(),
    }
}
