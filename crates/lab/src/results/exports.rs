//! Files of an outcome for people and other programs. The outcome itself is in the database.

use std::fs;
use std::path::Path;

use anyhow::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// Files that were written together, in a subfolder of the results folder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Export {
    /// Their kind: `report`, `comparison`, `validation`, `document`.
    pub what: String,
    /// The subfolder of the results folder; empty for that folder itself.
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
    /// Its length, bytes.
    pub bytes: u64,
}

impl Export {
    /// Writes files into a subfolder of the results folder, the page first.
    ///
    /// # Errors
    /// Fails if a folder or file cannot be written.
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

    /// The page's name below the results folder.
    pub fn page(&self) -> Option<String> {
        let page = &self.files.first()?.name;
        Some(if self.folder.is_empty() { page.clone() } else { format!("{}/{page}", self.folder) })
    }
}
