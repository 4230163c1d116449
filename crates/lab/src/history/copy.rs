//! Runs with every sample, into another database.

use std::collections::HashMap;

use anyhow::{Context, ensure};
use tlslab_history::figures::differences;
use tlslab_record::{Annotation, Plan, RunRecord, Visit};
use tlslab_store::{Owner, RunKind, RunSummary, Store, StoreError};

use super::publishable::{self, Extent, publishable};
use crate::history::acknowledgement::copy_acknowledged;
use crate::history::better::copy_better;

/// The numbers of runs in a copy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Copied {
    /// Runs that were missing in the other database.
    pub copied: usize,
    /// Runs that it already had.
    pub there: usize,
}

/// Copies runs that the other database lacks, the oldest first: those of these names, or all complete ones.
///
/// # Errors
/// Fails if a run does not exist, cannot be read, or differs in the other database.
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
        let there = known.iter().find(|known| known.id == *id);
        if there.is_some_and(|there| there.complete) {
            continue;
        }
        // An interrupted copy is made again.
        ensure!(
            there.is_none() || run.complete,
            "run {id} is in {} already, and is not complete in either; resume it, or remove that database and copy all again",
            to.place()
        );
        let begin = if there.is_some() { Begin::Anew } else { Begin::New };
        one(from, to, run, extent, begin).with_context(|| format!("run {id} cannot be copied"))?;
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
    copy_better(from, to)?;
    copy_acknowledged(from, to)?;
    Ok(Copied { copied, there: wanted.len() - copied })
}

/// Whether the other database has a part of the run; that part is deleted.
#[derive(Clone, Copy)]
enum Begin {
    New,
    Anew,
}

impl Begin {
    fn create(self, to: &mut dyn Store, plan: &Plan, owner: &Owner) -> Result<(), StoreError> {
        match self {
            Self::New => to.create_run(plan, owner),
            Self::Anew => to.create_run_anew(plan, owner),
        }
    }
}

/// Copies a run with its figures, and its samples if they are still stored. It becomes complete there once
/// everything is copied.
fn one(
    from: &dyn Store,
    to: &mut dyn Store,
    run: &RunSummary,
    extent: Extent,
    begin: Begin,
) -> anyhow::Result<()> {
    let id = &run.id;
    let figures = match extent {
        Extent::Everything => from.figures(id)?,
        Extent::Publishable => publishable::shortened(&from.figures(id)?)?,
    };
    if run.kind == RunKind::Imported {
        return Ok(to.import(&from.imported(id)?, &figures)?);
    }
    // The copy has the host and the job of the run.
    let host = if extent == Extent::Publishable { String::new() } else { run.host.clone() };
    let owner = Owner { host, ..Owner::this_process() };
    to.set_job(&run.job);
    if let Some(deleted) = run.samples_deleted_unix_ms {
        let plan = match extent {
            Extent::Everything => from.plan(id)?,
            Extent::Publishable => publishable::shortened(&from.plan(id)?)?,
        };
        begin.create(to, &plan, &owner)?;
        to.put_figures(id, &figures)?;
        to.complete_run(id)?;
        to.delete_samples(id, deleted)?;
        return Ok(());
    }
    let record = match extent {
        Extent::Everything => from.load(id)?,
        Extent::Publishable => publishable(from.load(id)?)?,
    };
    begin.create(to, &record.plan, &owner)?;
    fill(to, &record)?;
    if !figures.is_empty() {
        to.put_figures(id, &figures)?;
    }
    if record.complete {
        to.complete_run(id)?;
    }
    to.release_run(id)?;
    let differ = !differences(&figures, &to.figures(id)?).is_empty();
    ensure!(!differ && to.load(id)? == record, "it differs in {}", to.place());
    Ok(())
}

/// Records a run as originally recorded.
///
/// # Errors
/// Fails if the database rejects it.
pub fn put(to: &mut dyn Store, record: &RunRecord, owner: &Owner) -> anyhow::Result<()> {
    to.create_run(&record.plan, owner)?;
    fill(to, record)?;
    if record.complete {
        to.complete_run(&record.plan.id)?;
    }
    Ok(())
}

/// Records the content of a run that was begun.
fn fill(to: &mut dyn Store, record: &RunRecord) -> anyhow::Result<()> {
    let run = &record.plan.id;
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
    // A record has the total time of all its visits.
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

#[cfg(test)]
mod tests {
    use tlslab_record::{Figure, FigureOutcome, FigureValue, Series};
    use tlslab_store::{Address, open};

    use super::*;

    fn plan() -> Plan {
        let text = serde_json::json!({
            "id": "r", "started_unix_ms": 1, "lab_version": "0", "command": [], "suite": "s", "seed": 1, "budget_s": 1.0,
            "rounds": 1, "slice_ns": 1, "baseline": "library", "confidence": 0.99, "host": null, "pki_digest": "d",
            "scenarios": [], "stacks": [],
        });
        serde_json::from_value(text).unwrap()
    }

    fn figure() -> Figure {
        let text = str::to_owned;
        let series = Series {
            scenario: text("s"),
            stack: text("library"),
            side: text("client"),
            metric: text("time"),
            unit: text("µs"),
            class: text("some machine"),
        };
        let value = FigureValue { value: 1.5, lower: None, upper: None, n: 16 };
        let outcome = FigureOutcome::Value(value);
        Figure { series, stack: text("library@1"), place: 0, label: text("1"), epoch: text("e"), outcome }
    }

    #[test]
    fn a_copy_that_was_interrupted_is_made_again() {
        let folder = tempfile::tempdir().unwrap();
        let database = |name: &str| open(&Address::Sqlite(folder.path().join(name))).unwrap();
        let (mut from, mut to) = (database("from"), database("to"));
        let me = Owner::this_process();
        from.create_run(&plan(), &me).unwrap();
        from.warn("r", "loud").unwrap();
        from.put_figures("r", &[figure()]).unwrap();
        let visit = Visit { round: 0, scenario: 0, attempt: 0, complete: false };
        to.create_run(&plan(), &me).unwrap();
        to.begin_visit("r", &visit).unwrap();
        let again = || copy(&*from, &mut *database("to"), &["r".to_owned()], Extent::Everything);
        let refused = again().unwrap_err().to_string();
        assert!(refused.contains("is not complete in either"), "{refused}");
        from.complete_run("r").unwrap();
        let again = || copy(&*from, &mut *database("to"), &["r".to_owned()], Extent::Everything);
        assert_eq!(again().unwrap(), Copied { copied: 1, there: 0 });
        assert_eq!(again().unwrap(), Copied { copied: 0, there: 1 });
        let run = database("to").load("r").unwrap();
        assert_eq!((run.complete, run.visits, run.warnings), (true, vec![], vec!["loud".to_owned()]));
        assert_eq!(to.figures("r").unwrap(), [figure()]);
        assert!(to.complete_run("r").is_err(), "the copy that was interrupted");
    }
}
