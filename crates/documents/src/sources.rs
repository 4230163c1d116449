//! The folders of published documents.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use tlslab_lab::{Environment, Problem, read_bounded, toml_files};
use tlslab_reproduction::Document;

/// The longest file of a document, bytes.
const LONGEST: u64 = 4 << 20;

/// The published documents of all folders.
#[derive(Default)]
pub struct FoundDocuments {
    /// Those that can be measured again, by name; the user's own win.
    pub documents: Vec<Document>,
    /// Those whose file is wrong, which are skipped.
    pub broken: Vec<BrokenDocument>,
}

/// A document that is skipped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BrokenDocument {
    /// Its name.
    pub name: String,
    /// What is wrong with it, with the file.
    pub cause: String,
}

impl FoundDocuments {
    /// The document of a name.
    ///
    /// # Errors
    /// Fails if no document has this name, or if its file is wrong.
    pub fn named(self, name: &str) -> anyhow::Result<Document> {
        if let Some(broken) = self.broken.iter().find(|broken| broken.name == name) {
            bail!("{}", broken.cause);
        }
        let names: Vec<String> = self.documents.iter().map(|document| document.name.clone()).collect();
        match self.documents.into_iter().find(|document| document.name == name) {
            Some(document) => Ok(document),
            None => {
                let next = format!("the documents are {}", names.join(", "));
                bail!(Problem::not_found(name, "there is no document of this name", next, names))
            }
        }
    }
}

/// Every published document. A file that is wrong is skipped; the lab's document of the same name does not
/// replace it.
///
/// # Errors
/// Fails if a folder cannot be read.
pub fn find_documents(environment: &Environment) -> anyhow::Result<FoundDocuments> {
    let mut all: BTreeMap<String, Result<Document, String>> = BTreeMap::new();
    for folder in folders(environment).filter(|folder| folder.is_dir()) {
        // Files in folders below, such as a manifest that a patch is of, belong to a document.
        let is_document = |path: &PathBuf| path.parent() == Some(&folder);
        for path in toml_files(&folder)?.into_iter().filter(is_document) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if let Entry::Vacant(place) = all.entry(name) {
                let document = parsed(&path, place.key()).map_err(|cause| format!("{cause:#}"));
                place.insert(document);
            }
        }
    }
    let mut found = FoundDocuments::default();
    for (name, document) in all {
        match document {
            Ok(document) => found.documents.push(document),
            Err(cause) => found.broken.push(BrokenDocument { name, cause: cause.trim_end().to_owned() }),
        }
    }
    Ok(found)
}

fn parsed(path: &Path, name: &str) -> anyhow::Result<Document> {
    Ok(Document::parse(&path.display().to_string(), name, &read_bounded(path, LONGEST)?)?)
}

/// The folder of a document's file.
///
/// # Errors
/// Fails if the file no longer exists.
pub fn folder_of(environment: &Environment, document: &str) -> anyhow::Result<PathBuf> {
    let has_it = |folder: &PathBuf| folder.join(format!("{document}.toml")).is_file();
    folders(environment).find(has_it).context("the document's file no longer exists")
}

/// A file that belongs to a document.
pub(crate) fn file_of(environment: &Environment, document: &str, file: &str) -> anyhow::Result<PathBuf> {
    let path = folder_of(environment, document)?.join(file);
    if !path.is_file() {
        bail!("there is no file {}, which document {document} needs", path.display());
    }
    Ok(path)
}

fn folders(environment: &Environment) -> impl Iterator<Item = PathBuf> {
    environment.trees().map(|tree| tree.join("documents"))
}
