//! What was found out for a document and stays true until its inputs change.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use serde::Serialize;
use serde::de::DeserializeOwned;

/// Answers by a digest of what they depend on, in one file.
pub struct Kept<T> {
    file: PathBuf,
    answers: BTreeMap<String, T>,
}

impl<T: Serialize + DeserializeOwned + Clone> Kept<T> {
    /// What the file has; nothing where there is none yet.
    pub fn load(file: &Path) -> anyhow::Result<Self> {
        let answers = match fs::read_to_string(file) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("{} cannot be read; remove it to try again", file.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => bail!("cannot read {}: {error}", file.display()),
        };
        Ok(Self { file: file.to_owned(), answers })
    }

    /// An answer that is known.
    pub fn get(&self, key: &str) -> Option<T> {
        self.answers.get(key).cloned()
    }

    /// Keeps an answer at once.
    pub fn add(&mut self, key: String, answer: T) -> anyhow::Result<()> {
        self.answers.insert(key, answer);
        let folder = self.file.parent().context("the file lies in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let text = serde_json::to_string_pretty(&self.answers)?;
        fs::write(&self.file, text).with_context(|| format!("cannot write {}", self.file.display()))
    }
}
