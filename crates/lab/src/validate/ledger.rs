//! What came of every job, a line each: a validation that is interrupted goes on.

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What came of one job.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// What kind of job it was.
    pub kind: String,
    /// Its number among those.
    pub job: u32,
    /// The stack.
    pub stack: String,
    /// SHA-256 of its driver, hex: another build is another matter.
    pub driver_digest: String,
    /// What was compared: `time` or `count.instructions`.
    pub metric: String,
    /// The scenarios that were compared.
    pub scenarios: Vec<String>,
    /// How long a scenario was measured, without confirmation, s; 0 where nothing was timed.
    pub per_scenario_s: f64,
    /// How long turns and slices were; nothing in jobs from before there were turns.
    #[serde(default)]
    pub slicing: String,
    /// By how much the new one was slowed down on purpose, as a share.
    pub slowed: f64,
    /// Time spent measuring, s.
    pub measuring_s: f64,
    /// Every cell.
    pub cells: Vec<CellEntry>,
}

/// What was said of one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellEntry {
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: String,
    /// What it was slowed down by, as far as that could be set, as a share.
    pub slowed: f64,
    /// The base's figure and the new one's.
    pub base: f64,
    /// See `base`.
    pub new: f64,
    /// The ratio that was found.
    pub ratio: f64,
    /// What would have been found four times in five, as a share.
    pub detectable: Option<f64>,
    /// Whether the first measurement flagged it.
    pub flagged_at_first: bool,
    /// The verdict after confirmation.
    pub verdict: String,
    /// The ratio of each round or seed.
    pub ratios: Vec<f64>,
}

/// All that was done so far.
pub struct Ledger {
    path: PathBuf,
    /// In the order in which it was done.
    pub entries: Vec<Entry>,
}

impl Ledger {
    /// Reads what there is. A last line that was cut short is dropped.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder)
                .with_context(|| format!("cannot make the folder {}", folder.display()))?;
        }
        let text = match fs::read_to_string(path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => String::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", path.display())),
        };
        let mut entries = Vec::new();
        let mut whole = 0;
        for line in text.split_inclusive('\n').filter(|line| line.ends_with('\n')) {
            let entry = serde_json::from_str(line).with_context(|| {
                format!(
                    "{}, line {}: it is no job's result; move the file away to begin anew",
                    path.display(),
                    entries.len() + 1
                )
            })?;
            entries.push(entry);
            whole += line.len();
        }
        if whole < text.len() {
            fs::write(path, &text[..whole]).with_context(|| format!("cannot write {}", path.display()))?;
        }
        Ok(Self { path: path.to_owned(), entries })
    }

    /// Whether a job like this one was done: of its kind and number, with this very driver, these scenarios, as much time and the same slices.
    pub fn has(&self, other: &Entry) -> bool {
        self.entries.iter().any(|entry| {
            let Entry { kind, job, driver_digest, metric, scenarios, per_scenario_s, slicing, .. } = entry;
            (kind, *job, driver_digest, metric, scenarios, *per_scenario_s, slicing)
                == (
                    &other.kind,
                    other.job,
                    &other.driver_digest,
                    &other.metric,
                    &other.scenarios,
                    other.per_scenario_s,
                    &other.slicing,
                )
        })
    }

    /// Adds what came of a job.
    pub fn add(&mut self, entry: Entry) -> anyhow::Result<()> {
        let mut line = serde_json::to_string(&entry).context("a job's result cannot be written")?;
        line.push('\n');
        let mut file = OpenOptions::new()
            .create(true)
            .append(true)
            .open(&self.path)
            .with_context(|| format!("cannot open {}", self.path.display()))?;
        file.write_all(line.as_bytes()).with_context(|| format!("cannot write {}", self.path.display()))?;
        self.entries.push(entry);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(job: u32) -> Entry {
        Entry {
            kind: "twins".to_owned(),
            job,
            stack: "s".to_owned(),
            driver_digest: "d".to_owned(),
            metric: "time".to_owned(),
            scenarios: vec!["handshake".to_owned()],
            slicing: String::new(),
            per_scenario_s: 1.0,
            slowed: 0.0,
            measuring_s: 1.5,
            cells: vec![],
        }
    }

    #[test]
    fn what_was_done_is_known_and_a_line_that_was_cut_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/ledger.jsonl");
        let mut ledger = Ledger::open(&path).unwrap();
        ledger.add(entry(0)).unwrap();
        ledger.add(entry(1)).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, &text[..text.len() - 4]).unwrap();
        let mut ledger = Ledger::open(&path).unwrap();
        assert!(ledger.has(&entry(0)) && !ledger.has(&entry(1)));
        assert!(!ledger.has(&Entry { driver_digest: "another".to_owned(), ..entry(0) }));
        assert!(!ledger.has(&Entry { scenarios: vec![], ..entry(0) }));
        assert!(!ledger.has(&Entry { per_scenario_s: 2.0, ..entry(0) }));
        assert!(!ledger.has(&Entry { slicing: "others".to_owned(), ..entry(0) }));
        ledger.add(entry(1)).unwrap();
        assert_eq!(Ledger::open(&path).unwrap().entries, [entry(0), entry(1)]);
        fs::write(&path, "no json\n").unwrap();
        assert!(Ledger::open(&path).err().unwrap().to_string().contains("line 1"));
    }
}
