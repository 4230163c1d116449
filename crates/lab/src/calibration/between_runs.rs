//! How far runs of the same request differ on a host.

use tlslab_estimate::OverRuns;
use tlslab_record::{BetweenRuns, Fingerprint, RunRecord};
use tlslab_store::Store;

use crate::host;
use crate::results::Results;
use crate::results::notes;

/// The kind of these notes: for each series of runs, the deviations of times and of ratios.
const KIND: &str = "between_runs";
/// With fewer runs a deviation is not reliable.
pub const FEWEST: usize = 8;

/// The variation on a kind of host.
///
/// # Errors
/// Fails if the notes cannot be read.
fn of_host(store: &dyn Store, host: &Fingerprint) -> anyhow::Result<Vec<BetweenRuns>> {
    let class = tlslab_history::figures::runner_class(host);
    let known = notes::read::<Vec<BetweenRuns>>(store, KIND, "", Vec::new())?;
    Ok(known.into_iter().flat_map(|(_, found)| found).filter(|found| found.host == class).collect())
}

/// A run with what was known of its kind of host when it began: its figures stay as they were, whatever a
/// later series shows.
///
/// # Errors
/// Fails if the notes cannot be read.
pub fn as_of_its_start(store: &dyn Store, record: RunRecord) -> anyhow::Result<RunRecord> {
    let mut between_runs = of_host(store, &record.plan.host)?;
    between_runs.retain(|known| known.measured_unix_ms < record.plan.started_unix_ms);
    Ok(RunRecord { between_runs, ..record })
}

/// Records the variation between several runs on this host, next to that of earlier series; reports of later
/// runs widen their intervals by the largest. Returns whether there were enough runs with times.
///
/// # Errors
/// Fails if the database rejects it.
pub fn keep(results: &Results, over: &OverRuns, loaded: usize) -> anyhow::Result<bool> {
    let Some(first) = over.runs.first().filter(|_| over.runs.len() >= FEWEST) else {
        return Ok(false);
    };
    let host = host::host_class();
    let found = [false, true].into_iter().filter_map(|of_ratios| {
        Some(BetweenRuns {
            host: host.clone(),
            measured_unix_ms: jiff::Timestamp::now().as_millisecond().unsigned_abs(),
            of_ratios,
            deviation: over.deviation(of_ratios)?,
            runs: u32::try_from(over.runs.len()).unwrap_or(u32::MAX),
            loaded: u32::try_from(loaded).unwrap_or(u32::MAX),
        })
    });
    let found: Vec<BetweenRuns> = found.collect();
    let is_something = !found.is_empty();
    if is_something {
        notes::write(&mut *results.open()?, KIND, &[(format!("{host}/{first}"), found)])?;
    }
    Ok(is_something)
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::{Covered, FigureOverRuns, Interval};
    use tlslab_record::{BetweenRunsPolicy, Deviation};

    use super::*;

    fn series(name: &str, runs: usize, variance: f64) -> OverRuns {
        let figure = FigureOverRuns {
            scenario: "s".to_owned(),
            stack: "x".to_owned(),
            side: "client".to_owned(),
            baseline: None,
            runs,
            value: 1.0,
            interval: Interval { lower: 1.0, upper: 1.0, confidence: 0.99 },
            between: 0.0,
            beyond_own: Some(variance),
            own_half_width: None,
            quiet: Covered::default(),
            loaded: Covered::default(),
        };
        let runs = (0..runs).map(|at| format!("{name}-{at}")).collect();
        OverRuns { runs, figures: vec![figure] }
    }

    #[test]
    fn a_further_series_is_kept_next_to_the_first() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path().to_owned());
        assert!(!keep(&results, &series("few", FEWEST - 1, 1.0), 0).unwrap());
        assert!(keep(&results, &series("a", 30, 0.04), 15).unwrap());
        assert!(keep(&results, &series("b", 10, 0.0), 5).unwrap());
        let counts = OverRuns { figures: vec![], ..series("counts", 20, 0.0) };
        assert!(!keep(&results, &counts, 10).unwrap());
        let known = of_host(&*results.open().unwrap(), &host::fingerprint()).unwrap();
        let times = BetweenRuns::deviation(&known, &BetweenRunsPolicy::default(), false);
        assert_eq!((known.len(), times), (2, Deviation { deviation: 0.2, runs: Some(30) }));
    }
}
