//! How far runs of the same request differ on a host.

use tlslab_estimate::OverRuns;
use tlslab_record::{BetweenRuns, Fingerprint};
use tlslab_store::Store;

use crate::host;
use crate::results::Results;
use crate::results::notes::{self, Notes};

/// The kind of these notes: for each kind of host, the deviations of each series of runs.
const KIND: &str = "between_runs";
/// With fewer runs a deviation is not reliable.
pub const FEWEST: usize = 8;

/// The variation on a kind of host.
///
/// # Errors
/// Fails if the notes cannot be read.
pub fn of_host(store: &dyn Store, host: &Fingerprint) -> anyhow::Result<Vec<BetweenRuns>> {
    let class = tlslab_history::figures::runner_class(host);
    let known = notes::read::<Vec<BetweenRuns>>(store, KIND, "", Vec::new())?;
    Ok(known.into_iter().flat_map(|(_, found)| found).filter(|found| found.host == class).collect())
}

/// Records the variation between several runs on this host, next to that of earlier series; reports of later
/// runs widen their intervals by what all of them show. Returns whether there were enough runs.
///
/// # Errors
/// Fails if the database rejects it.
pub fn keep(results: &Results, over: &OverRuns, loaded: usize) -> anyhow::Result<bool> {
    if over.runs.len() < FEWEST {
        return Ok(false);
    }
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
    let mut known: Notes<Vec<BetweenRuns>> = Notes::open(results, KIND, "", Vec::new())?;
    let before = known.get(&host).cloned().unwrap_or_default();
    known.add(&host, before.into_iter().chain(found).collect())?;
    Ok(true)
}
