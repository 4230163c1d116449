//! The canary that a history has used so far.

use std::fmt;

use tlslab_record::{Point, StackRecord};
use tlslab_store::Store;

use super::names::{CANARY, is_canary_name};
use crate::run::series_name;

/// The identity by which a canary is recognised.
const TIME: &str = "time";

/// The identity of a canary in a history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Identity {
    /// The recipe with its version.
    pub stack: String,
    /// The beginning of its program's digest.
    pub digest: String,
}

impl fmt::Display for Identity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (build {})", self.stack, self.digest)
    }
}

/// The canary of the history's newest run, if it differs from this one and no run has both.
pub(super) fn former(history: &dyn Store, canary: &StackRecord) -> anyhow::Result<Option<Identity>> {
    let now = series_name(canary);
    let mut seen: Vec<(String, Point)> = Vec::new();
    for one in
        history.series()?.iter().filter(|one| is_canary_name(&one.series.stack) && one.series.metric == TIME)
    {
        let points = history.points(&one.series)?;
        seen.extend(points.into_iter().map(|point| (one.series.stack.clone(), point)));
    }
    let is_now = |(stack, point): &&(String, Point)| (stack, &point.label) == (&now.name, &now.label);
    let Some((stack, newest)) = seen.iter().max_by_key(|(_, point)| point.started_unix_ms) else {
        return Ok(None);
    };
    let is_it = |(other, point): &&(String, Point)| (other, &point.label) == (stack, &newest.label);
    let is_tied = seen
        .iter()
        .filter(is_it)
        .any(|(_, point)| seen.iter().filter(is_now).any(|(_, now)| now.run == point.run));
    // If the newest run has both, this one is in use already.
    if (stack, &newest.label) == (&now.name, &now.label) || is_tied {
        return Ok(None);
    }
    let digest = newest.label.rsplit(' ').next().unwrap_or_default().to_owned();
    let stack = stack.strip_prefix(CANARY).unwrap_or(stack).trim_start().to_owned();
    Ok(Some(Identity { stack, digest }))
}

#[cfg(test)]
mod tests {
    use tlslab_record::{
        Figure, FigureOutcome, FigureValue, HistoryPolicy, ImportedRun, Series, StackIdentity, StackState,
    };
    use tlslab_store::{Address, open};

    use super::*;
    use crate::history::{Order, timelines};

    fn figure(stack: &str, label: &str, place: u32, value: f64) -> Figure {
        let text = str::to_owned;
        let series = Series {
            scenario: text("handshake"),
            stack: text(stack),
            side: text("client"),
            metric: text("time"),
            unit: text("ns"),
            class: text("a class"),
        };
        let value = FigureValue { value, lower: None, upper: None, n: 5 };
        let outcome = FigureOutcome::Value(value);
        Figure { series, stack: text(stack), place, label: text(label), epoch: text("e"), outcome }
    }

    fn canary(recipe: &str, digest: &str) -> StackRecord {
        StackRecord {
            name: CANARY.to_owned(),
            title: String::new(),
            licence: String::new(),
            identity: Some(StackIdentity { recipe: recipe.to_owned(), ..StackIdentity::default() }),
            driver_digest: format!("{digest:0<64}"),
            driver: String::new(),
            environment: Default::default(),
            state: StackState::Failed("it is made up".to_owned()),
        }
    }

    #[test]
    fn a_canary_that_is_replaced_is_measured_once_more_and_its_series_go_on() {
        let folder = tempfile::tempdir().unwrap();
        let mut store = open(&Address::Sqlite(folder.path().join("tlslab.sqlite"))).unwrap();
        let add = |store: &mut dyn Store, run: u64, figures: &[Figure]| {
            let run = ImportedRun {
                id: format!("run{run}"),
                started_unix_ms: run,
                format: "made up".to_owned(),
                label: run.to_string(),
                files: Vec::new(),
                raw: Vec::new(),
            };
            store.import(&run, figures).unwrap();
        };
        let (old, new) = (canary("library@1", "aaaaaaaaaaaa"), canary("library@2", "bbbbbbbbbbbb"));
        let of = |canary: &StackRecord, place, value| {
            let name = series_name(canary);
            figure(&name.name, &name.label, place, value)
        };
        assert_eq!(former(&*store, &old).unwrap(), None, "there is no history yet");
        add(&mut *store, 1, &[of(&old, 0, 100.0), figure("measured", "1", 1, 50.0)]);
        assert_eq!(former(&*store, &old).unwrap(), None, "it is the same");
        let before = former(&*store, &new).unwrap().unwrap();
        assert_eq!((before.stack.as_str(), before.digest.as_str()), ("library@1", "aaaaaaaaaaaa"));
        // The machine is a tenth slower; the new one takes twice as long.
        add(&mut *store, 2, &[of(&old, 0, 110.0), of(&new, 1, 220.0), figure("measured", "2", 2, 55.0)]);
        assert_eq!(former(&*store, &new).unwrap(), None, "a run has both");
        add(&mut *store, 3, &[of(&new, 0, 200.0), figure("measured", "3", 1, 50.0)]);
        assert_eq!(former(&*store, &new).unwrap(), None);

        let is_wanted = |one: &tlslab_store::SeriesSummary| one.series.stack == "measured";
        let policy = HistoryPolicy::default();
        let found = timelines(&*store, None, Order::Time, &policy, &is_wanted).unwrap();
        let points = &found[0].points;
        let ratios: Vec<f64> = points.iter().map(|point| point.value / point.reference.unwrap()).collect();
        assert!(ratios.iter().all(|ratio| (ratio - 0.25).abs() < 1e-9), "{ratios:?}");
        assert!(points.iter().all(|point| point.reference_version == points[2].reference_version));
        // Canaries themselves are shown unchanged: their movement is the machine's.
        let is_wanted = |one: &tlslab_store::SeriesSummary| is_canary_name(&one.series.stack);
        let found = timelines(&*store, None, Order::Time, &policy, &is_wanted).unwrap();
        assert!(found.iter().flat_map(|timeline| &timeline.points).all(|point| point.reference.is_none()));
    }
}
