//! `tlslab prune`: deletes samples of old runs.

use std::collections::BTreeSet;

use jiff::Timestamp;
use tlslab_lab::{Environment, figures_of};
use tlslab_record::HistoryPolicy;
use tlslab_report::Report;
use tlslab_store::{Deleted, RunKind, RunSummary, Store};

use crate::Ended;
use crate::cli::PruneArgs;
use crate::results::open_store;
use crate::timelines::{Order, is_whole, timelines};

const MS_PER_DAY: u64 = 86_400_000;

/// Deletes samples, and prints what was freed.
pub fn prune(environment: &Environment, args: &PruneArgs) -> anyhow::Result<Ended> {
    let mut store = open_store(&args.kept)?;
    let now_unix_ms = Timestamp::now().as_millisecond().unsigned_abs();
    let before = store.bytes()?;
    let old: Vec<RunSummary> = old(store.runs()?, args.samples_of, args.days, now_unix_ms);
    let mut bare = BTreeSet::new();
    for run in &old {
        if !has_figures(&mut *store, run, args.dry_run)? {
            bare.insert(run.id.clone());
        }
    }
    let ends = ends(&*store, &environment.policy.history)?;
    let mut total = Deleted::default();
    let mut gone = 0;
    for run in &old {
        let id = &run.id;
        if ends.contains(id) {
            println!("{id}: kept: a history begins, ends or changes with it");
            continue;
        }
        if bare.contains(id) {
            println!("{id}: kept: the database has nothing of it but its samples");
            continue;
        }
        let freed =
            if args.dry_run { store.samples_of(id)? } else { store.delete_samples(id, now_unix_ms)? };
        println!("{id}: {} samples, {} packed", freed.samples, bytes(freed.bytes));
        total.samples += freed.samples;
        total.bytes += freed.bytes;
        gone += 1;
    }
    let what = format!("{} samples of {gone} runs, {} packed", total.samples, bytes(total.bytes));
    if args.dry_run {
        println!("would delete: {what}");
        return Ok(Ended::Well);
    }
    if gone > 0 {
        store.shrink()?;
    }
    println!("deleted: {what}; {} takes {}, before {}", store.place(), bytes(store.bytes()?), bytes(before));
    Ok(Ended::Well)
}

/// The runs at the ends of segments and epochs of the metrics of whole iterations. Those of single phases say the same in finer
/// parts, and a high percentile that only some runs reach would keep each of these.
fn ends(store: &dyn Store, policy: &HistoryPolicy) -> anyhow::Result<BTreeSet<String>> {
    let timelines = timelines(store, None, Order::Time, policy, &|one| is_whole(&one.series.metric))?;
    Ok(timelines.iter().flat_map(|timeline| timeline.end_runs().map(str::to_owned)).collect())
}

/// The complete runs of the lab's own that are old enough, oldest first.
fn old(
    runs: Vec<RunSummary>,
    samples_of: Option<usize>,
    days: Option<u64>,
    now_unix_ms: u64,
) -> Vec<RunSummary> {
    let own = runs.into_iter().filter(|run| run.kind == RunKind::Measured && run.complete);
    let is_old = |(place, run): &(usize, RunSummary)| {
        let is_new = samples_of.is_some_and(|newest| *place < newest);
        let age_ms = now_unix_ms.saturating_sub(run.started_unix_ms);
        let is_young = days.is_some_and(|days| age_ms <= days.saturating_mul(MS_PER_DAY));
        !is_new && !is_young && run.samples_deleted_unix_ms.is_none()
    };
    let mut old: Vec<RunSummary> = own.enumerate().filter(is_old).map(|(_, run)| run).collect();
    old.reverse();
    old
}

/// Whether a run's figures are kept, and would stay. Runs of an older lab get theirs now; a comparison has none.
fn has_figures(store: &mut dyn Store, run: &RunSummary, dry_run: bool) -> anyhow::Result<bool> {
    if !store.figures(&run.id)?.is_empty() {
        return Ok(true);
    }
    let record = store.load(&run.id)?;
    if record.plan.comparison.is_some() {
        return Ok(false);
    }
    if !dry_run {
        store.put_figures(&run.id, &figures_of(&record.plan, &Report::of(&record)))?;
    }
    Ok(true)
}

fn bytes(bytes: u64) -> String {
    match bytes {
        0..1_000 => format!("{bytes} bytes"),
        1_000..1_000_000 => format!("{:.1} kB", bytes as f64 / 1e3),
        _ => format!("{:.1} MB", bytes as f64 / 1e6),
    }
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
            kind: RunKind::Measured,
            samples_deleted_unix_ms: None,
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
            old(runs(), newest, days, 10 * MS_PER_DAY).into_iter().map(|run| run.id).collect()
        };
        assert_eq!(names(Some(1), None), "abc");
        assert_eq!(names(None, Some(2)), "ab");
        assert_eq!(names(Some(3), Some(1)), "a");
        assert_eq!(names(Some(9), None), "");
        assert_eq!(names(None, Some(u64::MAX)), "");
    }
}
