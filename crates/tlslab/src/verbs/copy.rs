//! `tlslab copy`: runs with every sample, into another database.

use std::collections::HashMap;
use std::fs;

use anyhow::{Context, ensure};
use tlslab_record::{RunRecord, Visit};
use tlslab_store::{Address, Store};

use crate::Ended;
use crate::cli::CopyArgs;
use crate::results::open_store;

/// Copies what the other database does not have, and says how much that was.
pub fn copy(args: &CopyArgs) -> anyhow::Result<Ended> {
    if let Address::Sqlite(path) = &args.to
        && let Some(folder) = path.parent()
    {
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
    }
    let from = open_store(&args.kept)?;
    let mut to = tlslab_store::open(&args.to)?;
    let known = to.runs()?;
    // The oldest first, as they were made.
    let ids: Vec<String> = match &args.runs[..] {
        [] => from.runs()?.into_iter().rev().filter(|run| run.complete).map(|run| run.id).collect(),
        named => named.to_vec(),
    };
    let mut copied = 0;
    for id in &ids {
        if let Some(there) = known.iter().find(|run| run.id == *id) {
            ensure!(
                there.complete,
                "run {id} is in {} already, and is not complete there; remove that database and copy all again",
                to.place()
            );
            continue;
        }
        let record = from.load(id)?;
        put(&mut *to, &record).with_context(|| format!("run {id} cannot be copied"))?;
        ensure!(to.load(id)? == record, "run {id} is not the same in {}", to.place());
        copied += 1;
    }
    println!("{copied} runs copied to {}, {} were there already", to.place(), ids.len() - copied);
    Ok(Ended::Well)
}

/// Records a run as it was recorded when it was made.
fn put(to: &mut dyn Store, record: &RunRecord) -> anyhow::Result<()> {
    let run = &record.plan.id;
    to.create_run(&record.plan)?;
    for cell in &record.cells {
        to.put_cell(run, cell)?;
    }
    for pair in &record.pairs {
        to.put_pair(run, pair)?;
    }
    for overhead in &record.overheads {
        to.add_overhead(run, overhead)?;
    }
    for weight in &record.weights {
        to.add_weight(run, weight)?;
    }
    for count in &record.counts {
        to.add_count(run, count)?;
    }
    let samples = by_visit(&record.samples, |sample| (sample.round, sample.scenario, sample.attempt));
    let pair_samples =
        by_visit(&record.pair_samples, |sample| (sample.round, sample.scenario, sample.attempt));
    // A record has the time of all its visits in one sum.
    let mut left_s = record.measuring_s;
    for visit in &record.visits {
        to.begin_visit(run, &Visit { complete: false, ..visit.clone() })?;
        let key = (visit.round, visit.scenario, visit.attempt);
        for sample in samples.get(&key).into_iter().flatten() {
            to.add_sample(run, sample)?;
        }
        for sample in pair_samples.get(&key).into_iter().flatten() {
            to.add_pair_sample(run, sample)?;
        }
        if visit.complete {
            to.end_visit(run, visit, std::mem::take(&mut left_s))?;
        }
    }
    for warning in &record.warnings {
        to.warn(run, warning)?;
    }
    if record.complete {
        to.complete_run(run)?;
    }
    Ok(())
}

/// A visit: round, scenario and attempt.
type Key = (u32, usize, u32);

/// Samples in their order, by visit.
fn by_visit<S>(samples: &[S], key: fn(&S) -> Key) -> HashMap<Key, Vec<&S>> {
    let mut visits: HashMap<Key, Vec<&S>> = HashMap::new();
    for sample in samples {
        visits.entry(key(sample)).or_default().push(sample);
    }
    visits
}
