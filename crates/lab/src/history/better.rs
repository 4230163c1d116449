//! Which values of imported series are better, stored if a format or a user defined it and the unit does not.

use std::collections::HashMap;

use sha2::{Digest, Sha256};
use tlslab_record::{Better, BetterOf, Series};
use tlslab_store::Store;

use crate::results::notes;

/// The kind of the notes.
const KIND: &str = "better";

/// Stores the directions of series; a later one replaces an earlier one.
///
/// # Errors
/// Fails if the database rejects it.
pub(crate) fn note_better(store: &mut dyn Store, said: &[BetterOf]) -> anyhow::Result<()> {
    let keyed: Vec<(String, BetterOf)> = said.iter().map(|one| (key(&one.series), one.clone())).collect();
    notes::write(store, KIND, &keyed)
}

/// The stored directions, by series.
///
/// # Errors
/// Fails if the database or a note cannot be read.
pub(crate) fn noted_better(store: &dyn Store) -> anyhow::Result<HashMap<Series, Better>> {
    let noted = notes::read::<BetterOf>(store, KIND, "", vec![])?;
    Ok(noted.into_iter().map(|(_, one)| (one.series, one.better)).collect())
}

/// Copies directions that another database lacks.
///
/// # Errors
/// Fails if a database cannot be read or written.
pub(crate) fn copy_better(from: &dyn Store, to: &mut dyn Store) -> anyhow::Result<()> {
    let there = noted_better(to)?;
    let noted = notes::read::<BetterOf>(from, KIND, "", vec![])?.into_iter().map(|(_, one)| one);
    let new: Vec<BetterOf> = noted.filter(|one| !there.contains_key(&one.series)).collect();
    note_better(to, &new)
}

/// A digest: the names of a series may be longer than a key.
fn key(series: &Series) -> String {
    hex::encode(Sha256::digest(series.to_string()))
}
