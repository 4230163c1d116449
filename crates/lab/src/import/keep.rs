//! Imported runs into a database.

use std::collections::BTreeSet;

use tlslab_record::{Better, BetterOf, Figure, ImportedRun, Series};
use tlslab_store::{RunKind, RunSummary, Store};

use crate::history::better::note_better;

/// A run that was read from a file, with its figures.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The run.
    pub run: ImportedRun,
    /// Its figures.
    pub figures: Vec<Figure>,
    /// Which values of its series are better, if their units do not determine it.
    pub better: Vec<BetterOf>,
}

/// The result of storing an import.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// The new runs, with their numbers of figures.
    pub new: Vec<(String, usize)>,
    /// The number of runs that the database had already.
    pub known: usize,
    /// Series of the new runs whose direction is unknown.
    pub unknown: BTreeSet<Series>,
}

impl Imported {
    /// Which values of a series are better.
    fn better_of(&self, series: &Series) -> Better {
        let said = self.better.iter().find(|one| one.series == *series);
        said.map_or_else(|| Better::of_series(series), |one| one.better)
    }
}

/// Stores what the database lacks: a history that has grown can be imported again.
///
/// # Errors
/// Fails if the database rejects it.
pub fn keep(store: &mut dyn Store, imports: &[Imported]) -> anyhow::Result<Kept> {
    let there: Vec<RunSummary> =
        store.runs()?.into_iter().filter(|run| run.kind == RunKind::Imported).collect();
    let noted = crate::history::better::noted_better(store)?;
    let mut kept = Kept::default();
    for import in imports {
        if is_there(store, &there, import)? {
            kept.known += 1;
            continue;
        }
        note_better(store, &import.better)?;
        store.import(&import.run, &import.figures)?;
        kept.new.push((import.run.id.clone(), import.figures.len()));
        let series = import.figures.iter().map(|figure| &figure.series);
        let unknown = series
            .filter(|series| import.better_of(series) == Better::Unknown && !noted.contains_key(*series));
        kept.unknown.extend(unknown.cloned());
    }
    Ok(kept)
}

/// Whether the database has a run of the same format, time, label and values.
fn is_there(store: &dyn Store, there: &[RunSummary], import: &Imported) -> anyhow::Result<bool> {
    let run = &import.run;
    let alike =
        |known: &&RunSummary| known.started_unix_ms == run.started_unix_ms && known.suite == run.format;
    let sorted = |figures: &[Figure]| {
        let mut figures = figures.to_vec();
        figures.sort_by(|one, other| one.series.cmp(&other.series));
        figures
    };
    for known in there.iter().filter(alike) {
        if sorted(&store.figures(&known.id)?) == sorted(&import.figures) {
            return Ok(true);
        }
    }
    Ok(false)
}
