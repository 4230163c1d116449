//! Runs with every sample, into another database.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use tlslab_figures::differences;
use tlslab_record::{Annotation, RunRecord, Visit};
use tlslab_store::{Owner, RunKind, RunSummary, Store};

use super::publishable::{self, Extent, publishable};
use crate::acknowledgement::copy_acknowledged;

/// What was copied.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Runs that the other database did not have.
    pub copied: usize,
    /// Runs that it had.
    pub there: usize,
}

/// Copies what the other database does not have, the oldest run first: those of these names, or all that are complete.
///
/// # Errors
/// A run that there is not or that cannot be read, and one that is not the same in the other database.
pub fn copy(from: &dyn Store, to: &mut dyn Store, runs: &[String], extent: Extent) -> anyhow::Result<Copied> {
    let known = to.runs()?;
    let all: Vec<RunSummary> = from.runs()?.into_iter().rev().collect();
    let find = |id: &String| {
        let found = all.iter().find(|run| run.id == *id).cloned();
        found.with_context(|| format!("there is no run {id} in {}; `tlslab runs` lists them", from.place()))
    };
    let wanted: Vec<RunSummary> = match runs {
        [] => all.iter().filter(|run| run.complete).cloned().collect(),
        named => named.iter().map(find).collect::<Result<_, _>>()?,
    };
    let mut copied = 0;
    for run in &wanted {
        let id = &run.id;
        if let Some(there) = known.iter().find(|known| known.id == *id) {
            ensure!(
                there.complete,
                "run {id} is in {} already, and is not complete there; remove that database and copy all again",
                to.place()
            );
            continue;
        }
        one(from, to, run, extent).with_context(|| format!("run {id} cannot be copied"))?;
        copied += 1;
    }
    let there = to.annotations()?;
    for annotation in from.annotations()? {
        let is_newer = |known: &Annotation| known.noted_unix_ms >= annotation.noted_unix_ms;
        let same = |known: &&Annotation| {
            (&known.stack, &known.label, &known.scenario)
                == (&annotation.stack, &annotation.label, &annotation.scenario)
        };
        if !there.iter().find(same).is_some_and(is_newer) {
            to.annotate(&annotation)?;
        }
    }
    copy_acknowledged(from, to)?;
    Ok(Copied { copied, there: wanted.len() - copied })
}

/// Copies a run with its figures, and its samples if they were kept.
fn one(from: &dyn Store, to: &mut dyn Store, run: &RunSummary, extent: Extent) -> anyhow::Result<()> {
    let id = &run.id;
    let figures = match extent {
        Extent::Everything => from.figures(id)?,
        Extent::Publishable => publishable::shortened(&from.figures(id)?)?,
    };
    if run.kind == RunKind::Imported {
        return Ok(to.import(&from.imported(id)?, &figures)?);
    }
    // The copy belongs to the host and the job that the run belongs to.
    let host = if extent == Extent::Publishable { String::new() } else { run.host.clone() };
    let owner = Owner { host, ..Owner::this_process() };
    to.set_job(&run.job);
    if let Some(deleted) = run.samples_deleted_unix_ms {
        let plan = match extent {
            Extent::Everything => from.plan(id)?,
            Extent::Publishable => publishable::shortened(&from.plan(id)?)?,
        };
        to.create_run(&plan, &owner)?;
        to.put_figures(id, &figures)?;
        to.complete_run(id)?;
        to.delete_samples(id, deleted)?;
        return Ok(());
    }
    let record = match extent {
        Extent::Everything => from.load(id)?,
        Extent::Publishable => publishable(from.load(id)?)?,
    };
    put(to, &record, &owner)?;
    if !figures.is_empty() {
        to.put_figures(id, &figures)?;
    }
    to.release_run(id)?;
    let differ = !differences(&figures, &to.figures(id)?).is_empty();
    ensure!(!differ && to.load(id)? == record, "it is not the same in {}", to.place());
    Ok(())
}

/// Records a run as it was recorded when it was made.
///
/// # Errors
/// A database that refuses it.
pub fn put(to: &mut dyn Store, record: &RunRecord, owner: &Owner) -> anyhow::Result<()> {
    let run = &record.plan.id;
    to.create_run(&record.plan, owner)?;
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
