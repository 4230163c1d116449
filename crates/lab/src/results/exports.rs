//! Files that are made of an outcome for people and other programs. The outcome itself is in the database.

use std::fs;
use std::path::Path;

use anyhow::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Files that were written together, in a folder below that of the results.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Export {
    /// What they are: `report`, `comparison`, `validation`, `document`.
    pub what: String,
    /// The folder below that of the results; empty if it is that one itself.
    pub folder: String,
    /// The files, the page first.
    pub files: Vec<ExportedFile>,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct ExportedFile {
    /// Its name in the folder.
    pub name: String,
    /// SHA-256 of its content, hex.
    pub sha256: String,
    /// Its length.
    pub bytes: u64,
}

impl Export {
    /// Writes files into a folder below that of the results, the page first.
    ///
    /// # Errors
    /// A folder or file that cannot be written.
    pub fn write(
        out: &Path,
        what: &str,
        folder: &str,
        files: &[(String, impl AsRef<[u8]>)],
    ) -> anyhow::Result<Self> {
        let place = out.join(folder);
        fs::create_dir_all(&place)
            .with_context(|| format!("cannot create the folder {}", place.display()))?;
        let mut written = Vec::new();
        for (name, content) in files {
            let (path, content) = (place.join(name), content.as_ref());
            let within = path.parent().filter(|within| *within != place);
            within
                .map(fs::create_dir_all)
                .transpose()
                .with_context(|| format!("cannot create {}", place.display()))?;
            fs::write(&path, content).with_context(|| format!("cannot write {}", path.display()))?;
            let sha256 = hex::encode(Sha256::digest(content));
            written.push(ExportedFile { name: name.clone(), sha256, bytes: content.len() as u64 });
        }
        Ok(Self { what: what.to_owned(), folder: folder.to_owned(), files: written })
    }

    /// The page's name below the folder of the results.
    pub fn page(&self) -> Option<String> {
        let page = &self.files.first()?.name;
        Some(if self.folder.is_empty() { page.clone() } else { format!("{}/{page}", self.folder) })
    }
}
