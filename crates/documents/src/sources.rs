//! The folders of published documents.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::PathBuf;

use anyhow::{Context, bail};
use tlslab_lab::{Environment, read_bounded, toml_files};
use tlslab_reproduction::Document;

/// The longest file of a document, bytes.
const LONGEST: u64 = 4 << 20;

/// Published documents that can be measured again, by name; the user's own win.
pub fn find_documents(environment: &Environment) -> anyhow::Result<Vec<Document>> {
    let mut documents = BTreeMap::new();
    for folder in folders(environment).filter(|folder| folder.is_dir()) {
        // Files in folders below, such as a manifest that a patch is of, belong to a document.
        let is_document = |path: &PathBuf| path.parent() == Some(&folder);
        for path in toml_files(&folder)?.into_iter().filter(is_document) {
            let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
            if let Entry::Vacant(place) = documents.entry(name) {
                let file = path.display().to_string();
                let document = Document::parse(&file, place.key(), &read_bounded(&path, LONGEST)?)?;
                place.insert(document);
            }
        }
    }
    Ok(documents.into_values().collect())
}

/// The folder of a document's file.
pub(crate) fn folder_of(environment: &Environment, document: &str) -> anyhow::Result<PathBuf> {
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
