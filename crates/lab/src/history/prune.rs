//! Samples of old runs, deleted.

use std::collections::BTreeSet;

use tlslab_estimate::Report;
use tlslab_record::HistoryPolicy;
use tlslab_store::{Deleted, RunKind, RunSummary, Store};

use super::timelines::{Order, is_whole, timelines};
use crate::calibration::between_runs::as_of_its_start;
use crate::run::figures_of;

const MS_PER_DAY: u64 = 86_400_000;

/// The runs that keep their samples.
#[derive(Clone, Copy, Debug)]
pub struct Keep {
    /// The number of newest runs.
    pub newest: Option<usize>,
    /// Runs of the last this many days.
    pub days: Option<u64>,
    /// The present time, milliseconds since 1970.
    pub now_unix_ms: u64,
}

/// The fate of an old run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pruned {
    /// It keeps its samples: a history begins, ends or changes with it.
    AtAnEnd,
    /// It keeps its samples: the database has nothing else of it.
    Bare,
    /// Its samples are deleted.
    Deleted(Deleted),
}

/// Deletes the samples of old runs, or determines what would be deleted, and reports each run.
///
/// # Errors
/// Fails if the database cannot be read or written.
pub fn prune(
    store: &mut dyn Store,
    keep: Keep,
    dry_run: bool,
    policy: &HistoryPolicy,
    report: &mut dyn FnMut(&str, Pruned),
) -> anyhow::Result<()> {
    match prune_rows(store, keep, dry_run, policy, report)? {
        true => Ok(store.shrink()?),
        false => Ok(()),
    }
}

/// The same without returning the space to the system, which locks the whole database: later writes use it.
/// Returns whether samples were deleted.
///
/// # Errors
/// Fails if the database cannot be read or written.
pub fn prune_rows(
    store: &mut dyn Store,
    keep: Keep,
    dry_run: bool,
    policy: &HistoryPolicy,
    report: &mut dyn FnMut(&str, Pruned),
) -> anyhow::Result<bool> {
    let old: Vec<RunSummary> = old(store.runs()?, keep);
    if old.is_empty() {
        return Ok(false);
    }
    let mut bare = BTreeSet::new();
    for run in &old {
        if !has_figures(store, run, dry_run)? {
            bare.insert(run.id.clone());
        }
    }
    let ends = ends(store, policy)?;
    let mut is_smaller = false;
    for run in &old {
        let id = &run.id;
        let pruned = match (ends.contains(id), bare.contains(id), dry_run) {
            (true, ..) => Pruned::AtAnEnd,
            (_, true, _) => Pruned::Bare,
            (.., true) => Pruned::Deleted(store.samples_of(id)?),
            (.., false) => {
                is_smaller = true;
                Pruned::Deleted(store.delete_samples(id, keep.now_unix_ms)?)
            }
        };
        report(id, pruned);
    }
    Ok(is_smaller)
}

/// The runs at the ends of segments and epochs, for metrics of whole iterations. Metrics of single phases
/// show the same in finer parts, and a high percentile that only some runs reach would keep each of these.
fn ends(store: &dyn Store, policy: &HistoryPolicy) -> anyhow::Result<BTreeSet<String>> {
    let timelines = timelines(store, None, Order::Time, policy, &|one| is_whole(&one.series.metric))?;
    Ok(timelines.iter().flat_map(|timeline| timeline.end_runs().map(str::to_owned)).collect())
}

/// The complete runs of the lab's own that are old enough, oldest first.
fn old(runs: Vec<RunSummary>, keep: Keep) -> Vec<RunSummary> {
    let own = runs.into_iter().filter(|run| run.kind == RunKind::Measured && run.complete);
    let is_old = |(place, run): &(usize, RunSummary)| {
        let is_new = keep.newest.is_some_and(|newest| *place < newest);
        let age_ms = keep.now_unix_ms.saturating_sub(run.started_unix_ms);
        let is_young = keep.days.is_some_and(|days| age_ms <= days.saturating_mul(MS_PER_DAY));
        !is_new && !is_young && run.samples_deleted_unix_ms.is_none()
    };
    let mut old: Vec<RunSummary> = own.enumerate().filter(is_old).map(|(_, run)| run).collect();
    old.reverse();
    old
}

/// Whether a run's figures are stored and would remain. Runs of an older lab get theirs now.
fn has_figures(store: &mut dyn Store, run: &RunSummary, dry_run: bool) -> anyhow::Result<bool> {
    if !store.figures(&run.id)?.is_empty() {
        return Ok(true);
    }
    let record = as_of_its_start(store, store.load(&run.id)?)?;
    let figures = figures_of(&record.plan, &Report::of(&record));
    if !dry_run {
        store.put_figures(&run.id, &figures)?;
    }
    Ok(!figures.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(id: &str, day: u64) -> RunSummary {
        RunSummary {
            id: id.to_owned(),
            started_unix_ms: day * MS_PER_DAY,
            suite: String::new(),
            complete: true,
            samples: 1,
            has_failed: false,
            kind: RunKind::Measured,
            samples_deleted_unix_ms: None,
            job: String::new(),
            host: String::new(),
            owner: None,
            lease_until_unix_ms: 0,
        }
    }

    #[test]
    fn a_run_stays_if_it_is_among_the_newest_or_young() {
        let runs = || {
            let imported = RunSummary { kind: RunKind::Imported, ..run("i", 11) };
            let interrupted = RunSummary { complete: false, ..run("x", 10) };
            let gone = RunSummary { samples_deleted_unix_ms: Some(1), ..run("g", 1) };
            vec![imported, interrupted, run("d", 9), run("c", 8), run("b", 3), run("a", 2), gone]
        };
        let names = |newest, days| -> String {
            let keep = Keep { newest, days, now_unix_ms: 10 * MS_PER_DAY };
            old(runs(), keep).into_iter().map(|run| run.id).collect()
        };
        assert_eq!(names(Some(1), None), "abc");
        assert_eq!(names(None, Some(2)), "ab");
        assert_eq!(names(Some(3), Some(1)), "a");
        assert_eq!(names(Some(9), None), "");
        assert_eq!(names(None, Some(u64::MAX)), "");
    }
}
