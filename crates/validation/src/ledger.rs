//! The outcome of every trial: an interrupted validation continues from it.

use std::path::Path;

use anyhow::Context;
use schemars::JsonSchema;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer, Serialize};
use sha2::{Digest, Sha256};
use tlslab_comparison::Verdict;
use tlslab_lab::results::notes::Notes;
use tlslab_lab::{Results, bounded_read};
use tlslab_record::Placement;

/// The outcome of one trial.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Entry {
    /// The kind of trial.
    pub kind: String,
    /// Its number among those.
    pub job: u32,
    /// The stack.
    pub stack: String,
    /// SHA-256 of its driver, hex: another build is another matter.
    pub driver_digest: String,
    /// The metric: `time` or `count.instructions`.
    pub metric: String,
    /// The scenarios that were compared.
    pub scenarios: Vec<String>,
    /// How long a scenario was measured, without confirmation, s; 0 without times.
    pub per_scenario_s: f64,
    /// The lengths of turns and slices; none in trials from before there were turns.
    #[serde(default)]
    pub slicing: String,
    /// The memory placement of the processes; fixed in trials from before it was drawn, and without times.
    #[serde(default)]
    pub placement: Placement,
    /// The digest of the policy, and the runner class; none in trials of earlier versions.
    #[serde(default)]
    pub rule: String,
    /// See `rule`.
    #[serde(default)]
    pub host: String,
    /// By how much the new one was slowed down on purpose, as a share.
    pub slowed: f64,
    /// Time spent measuring, s.
    pub measuring_s: f64,
    /// Every cell.
    pub cells: Vec<CellEntry>,
}

/// The outcome for one cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct CellEntry {
    /// The scenario.
    pub scenario: String,
    /// The side.
    pub side: String,
    /// The slow-down, as far as it could be set, as a share.
    pub slowed: f64,
    /// The baseline's figure and the candidate's.
    #[serde(rename = "base")]
    pub baseline: f64,
    /// See `baseline`.
    #[serde(rename = "new")]
    pub candidate: f64,
    /// The ratio that was found.
    pub ratio: f64,
    /// The change that would have been found four times in five, as a share.
    pub detectable: Option<f64>,
    /// Whether the first measurement flagged it.
    pub flagged_at_first: bool,
    /// The verdict after confirmation; older ledgers have its words.
    #[serde(deserialize_with = "named_or_in_words")]
    pub verdict: Verdict,
    /// The ratio of each round or seed.
    pub ratios: Vec<f64>,
}

/// The kind of trials that are recordings, and that of two fixed layouts.
pub(crate) const RECORDING: &str = "recording";
/// See [`RECORDING`].
pub(crate) const LAYOUTS: &str = "layouts";

impl Entry {
    /// Whether it is a job without a change that was decided as comparisons are. Recordings have no look
    /// before their end and no confirmation; two fixed layouts differ throughout.
    pub fn is_null(&self) -> bool {
        self.slowed == 0.0 && ![RECORDING, LAYOUTS].contains(&&*self.kind)
    }
}

impl CellEntry {
    /// Whether a change of it was confirmed.
    pub fn is_confirmed(&self) -> bool {
        self.verdict.is_flagged()
    }
}

/// Verdicts in words, as early ledgers have them, if these differ from the names.
const IN_WORDS: [(&str, Verdict); 6] = [
    ("suspected change", Verdict::Suspect),
    ("changed, negligible", Verdict::Changed),
    ("no significant change", Verdict::NotSignificant),
    ("no change", Verdict::NotSignificant),
    ("cannot tell", Verdict::Inconclusive),
    ("identical binary", Verdict::Identical),
];

fn named_or_in_words<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Verdict, D::Error> {
    let text = String::deserialize(deserializer)?;
    match IN_WORDS.iter().find(|(words, _)| *words == text) {
        Some((_, verdict)) => Ok(*verdict),
        None => Verdict::deserialize(text.into_deserializer()),
    }
}

/// The folder of validations below the results.
pub(crate) const FOLDER: &str = "validation";
/// The kind of these notes.
const KIND: &str = "validation";
/// Bytes of the file in which earlier versions of the lab kept trials.
const LONGEST: u64 = 256 << 20;

/// All that was done so far.
pub(crate) struct Ledger {
    trials: Notes<Entry>,
}

impl Ledger {
    /// Reads all trials, also from a file of an earlier version of the lab, whose last line may be
    /// incomplete.
    ///
    /// # Errors
    /// Fails if the notes or the file cannot be read.
    pub(crate) fn open(results: &Results, older: &Path) -> anyhow::Result<Self> {
        let older = older_trials(older)?.into_iter().map(|entry| (key(&entry), entry)).collect();
        Ok(Self { trials: Notes::open(results, KIND, "", older)? })
    }

    /// Every trial, in the order in which it was done.
    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.trials.all().map(|(_, entry)| entry.clone()).collect()
    }

    /// Whether a trial like this one was done: of its kind and number, with this very driver, these
    /// scenarios, as much time and the same slices.
    pub(crate) fn has(&self, other: &Entry) -> bool {
        self.trials.get(&key(other)).is_some()
    }

    /// Adds the outcome of a trial.
    ///
    /// # Errors
    /// Fails if the database rejects it.
    pub(crate) fn add(&mut self, entry: Entry) -> anyhow::Result<()> {
        self.trials.add(&key(&entry), entry)
    }
}

/// The identity of a trial.
fn key(entry: &Entry) -> String {
    let Entry { kind, job, driver_digest, metric, scenarios, per_scenario_s, slicing, placement, .. } = entry;
    let mut text =
        format!("{kind}\n{job}\n{driver_digest}\n{metric}\n{scenarios:?}\n{per_scenario_s}\n{slicing}");
    // The keys of earlier trials stay as they were.
    text += match placement {
        Placement::Fixed => "",
        Placement::Randomised => "\nplacement randomised",
        Placement::RandomisedWithProgram => "\nplacement randomised with the program",
    };
    if !entry.rule.is_empty() {
        text += &format!("\n{}\n{}", entry.rule, entry.host);
    }
    hex::encode(Sha256::digest(text))
}

fn older_trials(file: &Path) -> anyhow::Result<Vec<Entry>> {
    if !file.is_file() {
        return Ok(Vec::new());
    }
    let text = bounded_read::read(file, LONGEST)?;
    let whole = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let entry = |(at, line): (usize, &str)| {
        serde_json::from_str(line).with_context(|| {
            let number = at + 1;
            format!(
                "{}, line {number}: not a trial's result; delete or move the file to start over",
                file.display()
            )
        })
    };
    whole.enumerate().map(entry).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;

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
            placement: Placement::Fixed,
            per_scenario_s: 1.0,
            rule: String::new(),
            host: String::new(),
            slowed: 0.0,
            measuring_s: 1.5,
            cells: vec![],
        }
    }

    #[test]
    fn what_was_done_is_known_and_a_line_that_was_cut_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path().to_owned());
        let older = folder.path().join("jobs.jsonl");
        let line = serde_json::to_string(&entry(0)).unwrap();
        fs::write(&older, format!("{line}\n{}", &line[..line.len() - 4])).unwrap();
        let open = || Ledger::open(&results, &older).unwrap();
        let mut ledger = open();
        assert!(ledger.has(&entry(0)) && !ledger.has(&entry(1)));
        assert!(!ledger.has(&Entry { driver_digest: "another".to_owned(), ..entry(0) }));
        assert!(!ledger.has(&Entry { scenarios: vec![], ..entry(0) }));
        assert!(!ledger.has(&Entry { per_scenario_s: 2.0, ..entry(0) }));
        assert!(!ledger.has(&Entry { rule: "another".to_owned(), ..entry(0) }));
        assert!(!ledger.has(&Entry { slicing: "others".to_owned(), ..entry(0) }));
        assert!(!ledger.has(&Entry { placement: Placement::Randomised, ..entry(0) }));
        ledger.add(entry(1)).unwrap();
        assert_eq!(open().entries(), [entry(0), entry(1)]);
        fs::write(&older, "no json\n").unwrap();
        assert!(Ledger::open(&results, &older).err().unwrap().to_string().contains("line 1"));
    }
    fn cell(verdict: &str) -> Result<CellEntry, serde_json::Error> {
        serde_json::from_value(serde_json::json!({
            "scenario": "handshake", "side": "client", "slowed": 0.0, "base": 1.0, "new": 1.0, "ratio": 1.0,
            "detectable": null, "flagged_at_first": false, "verdict": verdict, "ratios": [],
        }))
    }

    #[test]
    fn verdicts_in_the_words_of_older_ledgers_are_read_and_unknown_ones_refused() {
        for (text, expected) in IN_WORDS.into_iter().chain([
            ("regression", Verdict::Regression),
            ("improvement", Verdict::Improvement),
            ("inconclusive", Verdict::Inconclusive),
            ("not_significant", Verdict::NotSignificant),
        ]) {
            let cell = cell(text).unwrap();
            assert_eq!(cell.verdict, expected, "{text}");
            let again: CellEntry = serde_json::from_value(serde_json::to_value(&cell).unwrap()).unwrap();
            assert_eq!(again, cell);
        }
        for text in ["", "slower", "Regression"] {
            assert!(cell(text).unwrap_err().to_string().contains(&format!("unknown variant `{text}`")));
        }
    }
}
