//! The recorded measurements of each revision, so that an interrupted bisection can resume.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::results::Results;
use crate::results::notes::{self, Notes};

/// The outcome of comparing a revision with the good one.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// It was measured.
    Measured(Measured),
    /// It could not be measured: it does not build, or does not support the scenario.
    Unable(String),
}

/// The ratio to the good revision, with its interval; without a unit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Measured {
    /// The ratio.
    pub ratio: f64,
    /// The interval's lower bound.
    pub lower: f64,
    /// The interval's upper bound.
    pub upper: f64,
}

impl Measured {
    /// Whether it contains more than half of the whole change; `None` if the interval contains the half.
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

/// The kind of these notes.
const KIND: &str = "bisect";
/// The file in which earlier versions of the lab kept the steps of their last bisection, in the folder of
/// results.
const FILE: &str = "bisect.json";

/// Everything recorded for a question.
pub(super) struct Steps {
    found: Notes<Found>,
}

/// The form of the file.
#[derive(Default, Deserialize)]
struct Older {
    question: String,
    found: BTreeMap<String, Found>,
}

impl Steps {
    /// The steps of a question.
    ///
    /// # Errors
    /// Fails if the notes cannot be read.
    pub(super) fn open(results: &Results, question: &str) -> anyhow::Result<Self> {
        let older: Older = notes::older(&results.out.join(FILE))?;
        let is_same = older.question == question;
        let older = older.found.into_iter().filter(|_| is_same).collect();
        let prefix = format!("{}/", hex::encode(Sha256::digest(question)));
        Ok(Self { found: Notes::open(results, KIND, &prefix, older)? })
    }

    /// The outcome of a revision.
    pub(super) fn get(&self, commit: &str) -> Option<&Found> {
        self.found.get(commit)
    }

    /// Adds the outcome of a revision.
    ///
    /// # Errors
    /// Fails if the database rejects it.
    pub(super) fn add(&mut self, commit: &str, found: Found) -> anyhow::Result<()> {
        self.found.add(commit, found)
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
        // Improvements are found likewise.
        assert_eq!(measured(0.97, 0.972).has(0.97), Some(true));
        assert_eq!(measured(0.999, 1.001).has(0.97), Some(false));
    }

    #[test]
    fn what_was_found_of_a_question_is_there_again_and_of_another_there_is_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path().to_owned());
        let unable = |why: &str| Found::Unable(why.to_owned());
        let older = r#"{"question":"which?","found":{"old":{"unable":"it did not build"}}}"#;
        std::fs::write(folder.path().join(FILE), older).unwrap();
        let mut steps = Steps::open(&results, "which?").unwrap();
        steps.add("abc", unable("it does not build")).unwrap();
        let mut others = Steps::open(&results, "another").unwrap();
        others.add("abc", unable("nothing")).unwrap();
        let steps = Steps::open(&results, "which?").unwrap();
        assert_eq!(steps.get("abc"), Some(&unable("it does not build")));
        assert_eq!(steps.get("old"), Some(&unable("it did not build")));
        assert_eq!(Steps::open(&results, "another").unwrap().get("old"), None);
        std::fs::write(folder.path().join(FILE), "{").unwrap();
        assert!(Steps::open(&results, "which?").is_err());
    }
}
