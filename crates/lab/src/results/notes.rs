//! What is noted in the database beside runs: each note has a kind and a key, and a later one takes the place
//! of an earlier one.

use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tlslab_store::Store;

use crate::bounded_read;
use crate::results::Results;

/// Bytes of a file in which an earlier version of the lab kept notes.
const LONGEST: u64 = 64 << 20;

/// The notes of one kind whose keys begin alike.
pub struct Notes<T> {
    store: Box<dyn Store>,
    kind: &'static str,
    prefix: String,
    known: Vec<(String, T)>,
}

impl<T: Serialize + DeserializeOwned> Notes<T> {
    /// Those of a database. `older` are notes of an earlier version of the lab, which lie in a file: what is
    /// in the database goes before.
    ///
    /// # Errors
    /// A database that cannot be opened, and a note that is none.
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

    /// The note of a key.
    pub fn get(&self, key: &str) -> Option<&T> {
        self.known.iter().find(|(known, _)| known == key).map(|(_, note)| note)
    }

    /// All of them, in the order in which they were noted.
    pub fn all(&self) -> impl Iterator<Item = (&str, &T)> {
        self.known.iter().map(|(key, note)| (key.as_str(), note))
    }

    /// Notes something at once.
    ///
    /// # Errors
    /// A database that refuses it.
    pub fn add(&mut self, key: &str, note: T) -> anyhow::Result<()> {
        let text = serde_json::to_string(&note).context("a note cannot be serialised")?;
        self.store.put_entry(self.kind, &format!("{}{key}", self.prefix), &text)?;
        self.known.retain(|(known, _)| known != key);
        self.known.push((key.to_owned(), note));
        Ok(())
    }
}

/// The notes of a kind whose keys begin so, by the rest of their keys; see [`Notes::open`].
///
/// # Errors
/// A note that is none.
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

/// Notes several at once.
///
/// # Errors
/// A database that refuses them.
pub fn write<T: Serialize>(store: &mut dyn Store, kind: &str, notes: &[(String, T)]) -> anyhow::Result<()> {
    let text = |(key, note): &(String, T)| Ok((key.clone(), serde_json::to_string(note)?));
    let texts: Vec<(String, String)> = notes.iter().map(text).collect::<Result<_, serde_json::Error>>()?;
    Ok(store.put_entries(kind, &texts)?)
}

/// What a file of an earlier version of the lab has; nothing where there is none.
///
/// # Errors
/// A file that cannot be read or has another form.
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
