//! The anomalies of a recorded run.

use std::collections::BTreeSet;

use anyhow::bail;
use tlslab_anomaly::{Anomalies, Observations, Release, Releases};
use tlslab_estimate::Quantity;
use tlslab_record::HistoryPolicy;
use tlslab_report::timeline::{Measured, Timeline};
use tlslab_store::{SeriesSummary, Store};

use crate::history::{LabelOrder, Order, is_whole, timelines};
use crate::problem::Problem;
use crate::results::Results;
use crate::run::recorded_run;

/// The cells of a recorded run, or of the newest one, that break an expectation, and such releases of its
/// stacks in the history; if further runs are given, only cells that break it in all of them. The database is
/// only read.
///
/// # Errors
/// Fails if a run does not exist, or if a further one has nothing of what the first one measured.
pub fn anomalies(results: &Results, runs: &[String], policy: &HistoryPolicy) -> anyhow::Result<Anomalies> {
    let (first, others) = match runs {
        [] => (None, &[][..]),
        [first, others @ ..] => (Some(first.as_str()), others),
    };
    let report = recorded_run(results, first)?;
    let (run, observed) = (&report.run.id, Observations::of(&report));
    if others.is_empty() {
        let store = results.open_to_read()?;
        return Ok(Anomalies::of(run, &observed, &releases(&*store, run, policy)?, &[]));
    }
    let mut elsewhere = Vec::new();
    for other in others {
        let other = recorded_run(results, Some(other))?;
        let (name, observations) = (&other.run.id, Observations::of(&other));
        if name == run {
            bail!(wrong(name, "it is named twice"));
        }
        if !observations.shares_cells_with(&observed) {
            bail!(wrong(name, &format!("it has none of the cells of run {run}")));
        }
        elsewhere.push(Anomalies::of(name, &observations, &[], &[]));
    }
    Ok(Anomalies::of(run, &observed, &[], &elsewhere))
}

fn wrong(run: &str, cause: &str) -> Problem {
    let next = "name another run of the same scenarios and stacks; `tlslab runs` lists them";
    Problem::invalid("run", format!("run {run}"), cause, next)
}

/// The histories of the stacks that the run has.
fn releases(store: &dyn Store, run: &str, policy: &HistoryPolicy) -> anyhow::Result<Vec<Releases>> {
    let figures = store.figures(run)?;
    let stacks: BTreeSet<&str> = figures.iter().map(|figure| figure.series.stack.as_str()).collect();
    let wanted = |one: &SeriesSummary| {
        !one.imported && is_whole(&one.series.metric) && stacks.contains(one.series.stack.as_str())
    };
    let order = LabelOrder::read(store, &[])?;
    Ok(timelines(store, None, Order::Label(&order), policy, &wanted)?.iter().map(releases_of).collect())
}

/// The releases of a series. Times are divided by the canary's in the same run; without a canary, times of
/// different runs do not compare releases.
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

#[cfg(test)]
mod tests {
    use tlslab_record::{Figure, FigureOutcome, FigureValue, ImportedRun, Series};
    use tlslab_store::Address;

    use super::*;

    #[test]
    fn the_candidate_of_a_comparison_is_the_later_release() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = tlslab_store::open(&Address::Sqlite(folder.path().join("x.sqlite"))).unwrap();
        let text = str::to_owned;
        let figure = |place: u32, label: &str, value: f64| {
            let series = Series {
                scenario: text("s"),
                stack: text("mini"),
                side: text("client"),
                metric: text("count.instructions"),
                unit: text("instructions"),
                class: text("here"),
            };
            let outcome = FigureOutcome::Value(FigureValue { value, lower: None, upper: None, n: 1 });
            Figure { series, stack: text("mini"), place, label: text(label), epoch: text("e"), outcome }
        };
        let figures = [figure(0, "fbd8a0e5ff78", 1_000_000.0), figure(1, "d41e3e8aaaaa", 1_006_700.0)];
        let (label, format) = (String::new(), text("f"));
        let run =
            ImportedRun { id: text("r"), started_unix_ms: 1, format, label, files: vec![], raw: vec![] };
        store.import(&run, &figures).unwrap();
        let series: Vec<Timeline> = {
            let order = LabelOrder::read(&*store, &[]).unwrap();
            let policy = HistoryPolicy::default();
            timelines(&*store, None, Order::Label(&order), &policy, &|_| true).unwrap()
        };
        let releases = releases_of(&series[0]).releases;
        let labels: Vec<&str> = releases.iter().map(|release| &*release.label).collect();
        assert_eq!(labels, ["fbd8a0e5ff78", "d41e3e8aaaaa"]);
        let steps: Vec<_> = series[0].steps().map(|step| (&*step.label, step.ratio.unwrap())).collect();
        assert_eq!(steps, [("d41e3e8aaaaa", 1.0067)]);
    }
}
