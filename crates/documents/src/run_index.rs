//! The runs of documents.

use std::collections::BTreeMap;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use tlslab_lab::Results;
use tlslab_lab::results::notes::{self, Notes};
use tlslab_reproduction::Measurement;

use crate::files::RUNS;

/// The contents that a measurement's run must have.
pub(crate) fn definition(run: &Measurement) -> String {
    let metrics: Vec<String> = run.metrics.iter().map(|metric| format!("{metric:?}")).collect();
    let parts = [&run.stacks, &run.scenarios, &metrics].map(|part| part.join(" "));
    let whole = format!("{}; {}", run.suite.as_deref().unwrap_or("no suite"), parts.join("; "));
    // Records of runs without contents are still valid.
    match &run.together[..] {
        [] => whole,
        together => format!("{whole}; together {}", together.join(" ")),
    }
}

/// The kind of these notes.
const KIND: &str = "document-run";

/// The runs of each measurement.
pub(crate) struct RunIndex {
    runs: Notes<Known>,
}

/// A run that was made.
#[derive(Clone, Debug, Deserialize, Serialize)]
pub(crate) struct Known {
    /// Its name.
    pub run: String,
    /// Its contents.
    pub definition: String,
}

impl RunIndex {
    /// For documents with files in a folder.
    ///
    /// # Errors
    /// Fails if the notes cannot be read.
    pub(crate) fn load(results: &Results, folder: &str) -> anyhow::Result<Self> {
        Ok(Self { runs: document_notes(results, KIND, folder, RUNS)? })
    }

    /// The run with a name, if it has these contents.
    pub(crate) fn known(&self, name: &str, definition: &str) -> Option<String> {
        let known = self.runs.get(name).filter(|known| known.definition == definition)?;
        Some(known.run.clone())
    }

    /// Records a run at once.
    ///
    /// # Errors
    /// Fails if the database rejects it.
    pub(crate) fn add(&mut self, name: &str, known: Known) -> anyhow::Result<()> {
        self.runs.add(name, known)
    }
}

/// The records for documents with files in a folder, also from a file of an earlier version of the lab.
///
/// # Errors
/// Fails if the notes cannot be read.
pub(crate) fn document_notes<T: Serialize + DeserializeOwned>(
    results: &Results,
    kind: &'static str,
    folder: &str,
    file: &str,
) -> anyhow::Result<Notes<T>> {
    let older: BTreeMap<String, T> = notes::older(&results.out.join(folder).join(file))?;
    Notes::open(results, kind, &format!("{folder}/"), older.into_iter().collect())
}
