//! Regressions that a maintainer has accepted: stored in a database of histories, and shown in comparisons,
//! where they are no longer failures.
//!
//! A note belongs to one version and covers regressions up to a size. The version need not be in the history:
//! a pull request's commit is not.

use std::path::PathBuf;

use anyhow::{Context, bail, ensure};
use globset::{Glob, escape};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tlslab_comparison::{Acknowledgement, Change, Compared, Comparison, Outcome, Verdict, Version, judge};
use tlslab_record::Share;
use tlslab_store::Store;

use crate::compare::read_comparison;
use crate::problem::{ErrorKind, Problem};
use crate::results::notes;
use crate::run::series_name;

/// The kind of the notes.
const KIND: &str = "acknowledgement";
/// A commit with fewer digits may be ambiguous.
const DIGITS: usize = 12;
/// The most characters of a text.
const LONGEST: usize = 1_000;

/// An acknowledgement of a version.
#[derive(Clone, Debug, PartialEq)]
pub struct Acknowledging {
    /// The stack's name in series.
    pub stack: String,
    /// The version, or a commit of at least 12 digits.
    pub label: String,
    /// A pattern of scenarios; by default all.
    pub scenario: Option<String>,
    /// One metric; by default all.
    pub metric: Option<Compared>,
    /// Why it is accepted; an empty text removes the acknowledgement.
    pub text: String,
    /// The accepted size.
    pub size: Size,
}

/// The size up to which a regression is accepted.
#[derive(Clone, Debug, PartialEq)]
pub enum Size {
    /// Up to a share.
    UpTo(Share),
    /// The size of each cell in a `comparison.json`.
    File(PathBuf),
    /// The size of each cell in the newest comparison of the version in the database.
    Recorded,
}

/// An accepted regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// The stack's name in series.
    pub stack: String,
    /// The version, or a commit.
    pub label: String,
    /// A pattern of scenarios; empty for all.
    pub scenario: String,
    /// `client` or `server`; empty for both.
    pub side: String,
    /// The metric; empty for all.
    pub metric: String,
    /// The largest ratio that is accepted, such as 1.05.
    pub up_to: f64,
    /// The reason.
    pub text: String,
    /// The time of the acknowledgement, milliseconds since 1970.
    pub noted_unix_ms: u64,
}

impl Acknowledged {
    fn key(&self) -> String {
        serde_json::json!([self.stack, self.label, self.scenario, self.side, self.metric]).to_string()
    }

    fn is_of(&self, version: &Version, change: &Change) -> bool {
        let is_any_or = |pattern: &str, name: &str| pattern.is_empty() || pattern == name;
        self.stack == version.stack
            && is_version(&version.label, &self.label)
            && is_any_or(&self.side, change.side_name())
            && is_any_or(&self.metric, change.metric.name())
            && is_of_pattern(&self.scenario, &change.scenario)
    }
}

/// Stores or removes acknowledgements, and returns them.
///
/// # Errors
/// Fails if the pattern cannot be read, the comparison has no such regression, or the database cannot be
/// written.
pub fn acknowledge(store: &mut dyn Store, asked: &Acknowledging) -> anyhow::Result<Vec<Acknowledged>> {
    let pattern = asked.scenario.clone().unwrap_or_default();
    Glob::new(&pattern).map_err(|_| {
        Problem::invalid("scenario", &pattern, "the pattern cannot be read", "write letters, * and **")
    })?;
    let length = asked.text.chars().count();
    if length > LONGEST {
        let cause = format!("it has {length} characters; at most {LONGEST} are kept");
        bail!(Problem::invalid("text", "the text", cause, "write a shorter one, with a link to the rest"));
    }
    let noted_unix_ms = Timestamp::now().as_millisecond().unsigned_abs();
    let metric = asked.metric.map(Compared::name).unwrap_or_default().to_owned();
    let note = Acknowledged {
        stack: asked.stack.clone(),
        label: asked.label.clone(),
        scenario: pattern,
        side: String::new(),
        metric,
        up_to: 1.0,
        text: asked.text.clone(),
        noted_unix_ms,
    };
    let notes = match (&asked.size, asked.text.is_empty()) {
        (_, true) => taken_back(store, &note)?,
        (Size::UpTo(share), _) => vec![Acknowledged { up_to: 1.0 + share.get(), ..note }],
        (Size::File(file), _) => of_cells(&read_comparison(file)?, &note)
            .with_context(|| format!("{} has nothing to acknowledge", file.display()))?,
        (Size::Recorded, _) => of_cells(&recorded(store, asked)?, &note)?,
    };
    let keyed: Vec<(String, Acknowledged)> = notes.iter().map(|note| (note.key(), note.clone())).collect();
    notes::write(store, KIND, &keyed)?;
    Ok(notes)
}

/// Sets the acknowledgement in every regression of a comparison that has one.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn note_acknowledged(comparison: &mut Comparison, store: &dyn Store) -> anyhow::Result<()> {
    let known = acknowledged(store)?;
    let pairs = comparison.pairs.clone();
    for change in &mut comparison.changes {
        let Some(version) = &pairs[change.pair].version else { continue };
        let of_it = known.iter().filter(|known| known.is_of(version, change));
        let most = of_it.max_by(|one, other| one.up_to.total_cmp(&other.up_to));
        if let (Outcome::Compared(effect), Some(most)) = (&mut change.outcome, most)
            && effect.verdict == Verdict::Regression
        {
            effect.acknowledged = Some(Acknowledgement { text: most.text.clone(), up_to: most.up_to });
        }
    }
    Ok(())
}

/// All acknowledgements.
///
/// # Errors
/// Fails if the database cannot be read.
pub fn acknowledged(store: &dyn Store) -> anyhow::Result<Vec<Acknowledged>> {
    let notes = notes::read::<Acknowledged>(store, KIND, "", vec![])?.into_iter().map(|(_, note)| note);
    Ok(notes.filter(|note| !note.text.is_empty()).collect())
}

/// Copies notes that another database lacks or has in an older form.
///
/// # Errors
/// Fails if a database cannot be read or written.
pub(crate) fn copy_acknowledged(from: &dyn Store, to: &mut dyn Store) -> anyhow::Result<()> {
    let there = notes::read::<Acknowledged>(to, KIND, "", vec![])?;
    let mut newer = notes::read::<Acknowledged>(from, KIND, "", vec![])?;
    newer.retain(|(key, note)| {
        there.iter().all(|(known, other)| known != key || other.noted_unix_ms < note.noted_unix_ms)
    });
    notes::write(to, KIND, &newer)
}

/// The same notes without a text, which removes them.
fn taken_back(store: &dyn Store, note: &Acknowledged) -> anyhow::Result<Vec<Acknowledged>> {
    let is_asked = |known: &Acknowledged| {
        known.stack == note.stack
            && known.label == note.label
            && (note.metric.is_empty() || known.metric == note.metric)
            && (note.scenario.is_empty()
                || known.scenario == note.scenario
                || is_of_pattern(&note.scenario, &known.scenario))
    };
    let mut known = acknowledged(store)?;
    known.retain(is_asked);
    ensure!(
        !known.is_empty(),
        Problem::new(
            ErrorKind::NotFound,
            format!("{} {}", note.stack, note.label),
            format!("{} has no such acknowledgement", store.place()),
            "write the version as it was acknowledged",
        )
    );
    let noted_unix_ms = note.noted_unix_ms;
    Ok(known.into_iter().map(|known| Acknowledged { text: String::new(), noted_unix_ms, ..known }).collect())
}

/// A note for each regression of the version in a comparison, with its size there.
fn of_cells(comparison: &Comparison, note: &Acknowledged) -> anyhow::Result<Vec<Acknowledged>> {
    let is_it = |change: &&Change| {
        let version = comparison.pairs[change.pair].version.as_ref();
        change.verdict() == Some(Verdict::Regression)
            && version.is_some_and(|version| note.is_of(version, change))
    };
    let of_cell = |change: &Change| {
        Some(Acknowledged {
            scenario: escape(&change.scenario),
            side: change.side_name().to_owned(),
            metric: change.metric.name().to_owned(),
            up_to: change.effect()?.ratio,
            ..note.clone()
        })
    };
    let notes: Vec<Acknowledged> = comparison.changes.iter().filter(is_it).filter_map(of_cell).collect();
    ensure!(
        !notes.is_empty(),
        Problem::new(
            ErrorKind::NotFound,
            format!("{} {}", note.stack, note.label),
            "the comparison has no regression of this version that matches",
            "look at its comparison.json, or give the size in percent",
        )
    );
    Ok(notes)
}

/// The newest comparison with the version as its candidate.
fn recorded(store: &dyn Store, asked: &Acknowledging) -> anyhow::Result<Comparison> {
    for run in store.runs()?.iter().filter(|run| run.complete) {
        // A run of another program has no plan.
        let Ok(plan) = store.plan(&run.id) else { continue };
        let Some(terms) = &plan.comparison else { continue };
        let versions: Vec<Version> = terms
            .pairs
            .iter()
            .map(|pair| series_name(&plan.stacks[pair.candidate]))
            .map(|name| Version { stack: name.name, label: name.label })
            .collect();
        let is_it =
            |version: &Version| version.stack == asked.stack && is_version(&version.label, &asked.label);
        if !versions.iter().any(is_it) {
            continue;
        }
        let mut comparison = judge(&store.load(&run.id)?).context("the run is not a comparison")?;
        for (pair, version) in comparison.pairs.iter_mut().zip(versions) {
            pair.version = Some(version);
        }
        return Ok(comparison);
    }
    bail!(Problem::new(
        ErrorKind::NotFound,
        format!("{} {}", asked.stack, asked.label),
        format!("{} has no comparison with it as the candidate, so its size is unknown", store.place()),
        "give the size in percent, or its comparison.json",
    ))
}

/// Whether a label in a history is that of a named version; the name may be the whole name of its commit.
fn is_version(label: &str, asked: &str) -> bool {
    let first = label.split(", ").next().unwrap_or(label);
    let within = first.rsplit_once(" (").and_then(|(_, rest)| rest.strip_suffix(')'));
    let is_commit = |text: &str| text.len() >= DIGITS && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let is_it = |known: &str| {
        let is_both = is_commit(known) && is_commit(asked);
        known == asked || is_both && (known.starts_with(asked) || asked.starts_with(known))
    };
    is_it(label) || is_it(first) || within.is_some_and(is_it)
}

fn is_of_pattern(pattern: &str, scenario: &str) -> bool {
    pattern.is_empty() || Glob::new(pattern).is_ok_and(|glob| glob.compile_matcher().is_match(scenario))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_commit_may_have_its_whole_name() {
        let whole = "0123456789abcdef0123456789abcdef01234567";
        assert!(is_version("0123456789ab", whole) && is_version("0123456789ab", "0123456789ab"));
        assert!(is_version("main (0123456789ab)", whole) && is_version("0123456789ab, ring 0.17.14", whole));
        assert!(is_version("0.23.29", "0.23.29") && !is_version("0.23.29", "0.23.2"));
        assert!(!is_version("0123456789ab", "0123"), "a few digits may be of several commits");
        assert!(!is_version("0123456789ab", "0123456789ac"));
    }

    #[test]
    fn what_is_acknowledged_is_kept_copied_and_taken_back() {
        let folder = tempfile::tempdir().unwrap();
        let open = |name: &str| crate::Results::of(folder.path().join(name)).open().unwrap();
        let (mut one, mut other) = (open("one"), open("other"));
        let asked = Acknowledging {
            stack: "library".to_owned(),
            label: "0123456789ab".to_owned(),
            scenario: Some("handshake/**".to_owned()),
            metric: Some(Compared::Instructions),
            text: "a fix of security".to_owned(),
            size: Size::UpTo("2.5".parse().unwrap()),
        };
        let notes = acknowledge(&mut *one, &asked).unwrap();
        assert_eq!(notes.len(), 1);
        assert!((notes[0].up_to - 1.025).abs() < 1e-12);
        copy_acknowledged(&*one, &mut *other).unwrap();
        assert_eq!(acknowledged(&*other).unwrap(), notes);
        let back = Acknowledging { text: String::new(), scenario: None, metric: None, ..asked.clone() };
        std::thread::sleep(std::time::Duration::from_millis(2));
        acknowledge(&mut *one, &back).unwrap();
        assert_eq!(acknowledged(&*one).unwrap(), []);
        copy_acknowledged(&*one, &mut *other).unwrap();
        assert_eq!(acknowledged(&*other).unwrap(), [], "it is taken back there, too");
        let error = acknowledge(&mut *one, &back).unwrap_err().to_string();
        assert!(error.contains("has no such acknowledgement"), "{error}");
        let unknown = Acknowledging { size: Size::Recorded, ..asked };
        let error = acknowledge(&mut *one, &unknown).unwrap_err().to_string();
        assert!(error.contains("has no comparison with it as the candidate"), "{error}");
    }
}
