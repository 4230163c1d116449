//! What was measured of each revision, kept so that a bisection that is interrupted goes on.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use anyhow::Context;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// What was found of one revision against the good one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// It was measured.
    Measured(Measured),
    /// It could not be: it does not build, or cannot do the scenario.
    Unable(String),
}

/// The ratio to the good revision, with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The ratio.
    pub ratio: f64,
    /// Its interval.
    pub lower: f64,
    /// Its interval.
    pub upper: f64,
}

impl Measured {
    /// Whether more than half of the whole change is in it; `None` where the interval holds the half.
    pub fn has(&self, whole: f64) -> Option<bool> {
        let half = whole.sqrt();
        let is_above = self.lower > half;
        let is_below = self.upper < half;
        match (is_above, is_below) {
            (true, _) => Some(whole > 1.0),
            (_, true) => Some(whole < 1.0),
            _ => None,
        }
    }
}

/// Everything that was found, in a file.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Steps {
    #[serde(skip)]
    path: PathBuf,
    /// What it is of: another question begins anew.
    pub question: String,
    /// By commit.
    pub found: BTreeMap<String, Found>,
}

impl Steps {
    /// Those of a question, as far as they are in the file.
    pub fn open(path: &Path, question: &str) -> anyhow::Result<Self> {
        let new = || Self { path: path.to_owned(), question: question.to_owned(), ..Self::default() };
        match fs::read_to_string(path) {
            Ok(text) => {
                let known: Self = serde_json::from_str(&text).with_context(|| {
                    format!("{} is not the record of a bisection; move it away", path.display())
                })?;
                Ok(if known.question == question { Self { path: path.to_owned(), ..known } } else { new() })
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(new()),
            Err(error) => Err(error).with_context(|| format!("cannot read {}", path.display())),
        }
    }

    /// Adds what was found of a revision.
    pub fn add(&mut self, commit: &str, found: Found) -> anyhow::Result<()> {
        self.found.insert(commit.to_owned(), found);
        if let Some(folder) = self.path.parent() {
            fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        }
        let text = serde_json::to_string_pretty(self).context("a bisection cannot be written")?;
        // A kill between the two leaves the former state.
        let beside = self.path.with_extension("new");
        fs::write(&beside, text).with_context(|| format!("cannot write {}", beside.display()))?;
        fs::rename(&beside, &self.path).with_context(|| format!("cannot write {}", self.path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_than_half_of_the_change_is_the_change() {
        let measured = |lower, upper| Measured { ratio: (lower + upper) / 2.0, lower, upper };
        assert_eq!(measured(1.008, 1.012).has(1.01), Some(true));
        assert_eq!(measured(0.999, 1.001).has(1.01), Some(false));
        assert_eq!(measured(1.0, 1.01).has(1.01), None);
        // What got better is found likewise.
        assert_eq!(measured(0.97, 0.972).has(0.97), Some(true));
        assert_eq!(measured(0.999, 1.001).has(0.97), Some(false));
    }

    #[test]
    fn what_was_found_is_there_again_and_another_question_begins_anew() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below/steps.json");
        let mut steps = Steps::open(&path, "which?").unwrap();
        steps.add("abc", Found::Unable("it does not build".to_owned())).unwrap();
        assert_eq!(Steps::open(&path, "which?").unwrap().found, steps.found);
        assert!(Steps::open(&path, "another").unwrap().found.is_empty());
        fs::write(&path, "{").unwrap();
        assert!(Steps::open(&path, "which?").is_err());
    }
}
