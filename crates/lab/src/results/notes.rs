//! Notes in the database, next to runs: each note has a kind and a key, and a later one replaces an earlier
//! one.

use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tlslab_store::Store;

use crate::bounded_read;
use crate::results::Results;

/// The most bytes of a file in which an earlier version of the lab stored notes.
const LONGEST: u64 = 64 << 20;

/// The notes of one kind whose keys have the same prefix.
pub struct Notes<T> {
    store: Box<dyn Store>,
    kind: &'static str,
    prefix: String,
    known: Vec<(String, T)>,
}

impl<T: Serialize + DeserializeOwned> Notes<T> {
    /// Those of a database. `older` are notes from a file of an earlier version of the lab: those in the
    /// database take precedence.
    ///
    /// # Errors
    /// Fails if the database cannot be opened, or if a note is invalid.
    pub fn open(
        results: &Results,
        kind: &'static str,
        prefix: &str,
        older: Vec<(String, T)>,
    ) -> anyhow::Result<Self> {
        let store = results.open()?;
        let known = read(&*store, kind, prefix, older)?;
        Ok(Self { store, kind, prefix: prefix.to_owned(), known })
    }

    /// The note with a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.known.iter().find(|(known, _)| known == key).map(|(_, note)| note)
    }

    /// All of them, oldest first.
    pub fn all(&self) -> impl Iterator<Item = (&str, &T)> {
        self.known.iter().map(|(key, note)| (key.as_str(), note))
    }

    /// Stores a note at once.
    ///
    /// # Errors
    /// Fails if the database rejects it.
    pub fn add(&mut self, key: &str, note: T) -> anyhow::Result<()> {
        let text = serde_json::to_string(&note).context("a note cannot be serialised")?;
        self.store.put_entry(self.kind, &format!("{}{key}", self.prefix), &text)?;
        self.known.retain(|(known, _)| known != key);
        self.known.push((key.to_owned(), note));
        Ok(())
    }
}

/// The notes of a kind whose keys have this prefix, by the rest of their keys; see [`Notes::open`].
///
/// # Errors
/// Fails if a note is invalid.
pub fn read<T: DeserializeOwned>(
    store: &dyn Store,
    kind: &str,
    prefix: &str,
    older: Vec<(String, T)>,
) -> anyhow::Result<Vec<(String, T)>> {
    let mut known = Vec::new();
    for (key, text) in store.entries(kind, prefix)? {
        let note = serde_json::from_str(&text)
            .with_context(|| format!("a note of the kind {kind} in {} is damaged: {key}", store.place()))?;
        known.push((key[prefix.len()..].to_owned(), note));
    }
    let is_older = |(key, _): &(String, T)| known.iter().all(|(newer, _): &(String, T)| newer != key);
    let mut all: Vec<(String, T)> = older.into_iter().filter(is_older).collect();
    all.extend(known);
    Ok(all)
}

/// Stores several at once.
///
/// # Errors
/// Fails if the database rejects them.
pub fn write<T: Serialize>(store: &mut dyn Store, kind: &str, notes: &[(String, T)]) -> anyhow::Result<()> {
    let text = |(key, note): &(String, T)| Ok((key.clone(), serde_json::to_string(note)?));
    let texts: Vec<(String, String)> = notes.iter().map(text).collect::<Result<_, serde_json::Error>>()?;
    Ok(store.put_entries(kind, &texts)?)
}

/// The notes in a file of an earlier version of the lab; none if it does not exist.
///
/// # Errors
/// Fails if the file cannot be read or has another format.
pub fn older<T: DeserializeOwned + Default>(file: &Path) -> anyhow::Result<T> {
    if !file.is_file() {
        return Ok(T::default());
    }
    let text = bounded_read::read(file, LONGEST)?;
    serde_json::from_str(&text).with_context(|| {
        format!("{} was not written by the lab; move it away to do without it", file.display())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_of_a_file_are_there_until_they_are_noted_again() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path().to_owned());
        let file = folder.path().join("notes.json");
        std::fs::write(&file, r#"[["a",1],["b",2]]"#).unwrap();
        let open = || Notes::<u32>::open(&results, "number", "x/", older(&file).unwrap()).unwrap();
        let mut notes = open();
        notes.add("b", 3).unwrap();
        notes.add("c", 4).unwrap();
        let all: Vec<(String, u32)> = open().all().map(|(key, note)| (key.to_owned(), *note)).collect();
        assert_eq!(all, [("a".to_owned(), 1), ("b".to_owned(), 3), ("c".to_owned(), 4)]);
        assert!(Notes::<u32>::open(&results, "number", "y/", vec![]).unwrap().get("b").is_none());
        std::fs::write(&file, "{").unwrap();
        assert!(older::<Vec<(String, u32)>>(&file).unwrap_err().to_string().contains("move it away"));
    }
}
