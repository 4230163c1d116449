//! Which runs were made.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use serde::{Deserialize, Serialize};
use tlslab_reproduction::Measurement;

use super::files::RUNS;

/// What a run of a measurement has to be of.
pub fn definition(run: &Measurement) -> String {
    let metrics: Vec<String> = run.metrics.iter().map(|metric| format!("{metric:?}")).collect();
    let parts = [&run.stacks, &run.scenarios, &metrics].map(|part| part.join(" "));
    format!("{}; {}", run.suite.as_deref().unwrap_or("no suite"), parts.join("; "))
}

/// Which runs were made for which measurements.
pub struct Made {
    file: PathBuf,
    runs: BTreeMap<String, Known>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
pub struct Known {
    pub run: String,
    pub definition: String,
}

impl Made {
    pub fn load(folder: &Path) -> anyhow::Result<Self> {
        let file = folder.join(RUNS);
        let runs = match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("{} cannot be read; remove it to measure anew", file.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        };
        Ok(Self { file, runs })
    }

    /// The run that was made under a name, if it was of that.
    pub fn known(&self, name: &str, definition: &str) -> Option<String> {
        let known = self.runs.get(name).filter(|known| known.definition == definition)?;
        Some(known.run.clone())
    }

    pub fn add(&mut self, name: String, known: Known) -> anyhow::Result<()> {
        self.runs.insert(name, known);
        let folder = self.file.parent().context("the file lies in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let text = serde_json::to_string_pretty(&self.runs)?;
        fs::write(&self.file, text).with_context(|| format!("cannot write {}", self.file.display()))
    }
}
