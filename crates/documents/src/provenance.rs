//! The lab's commit with which the parts of a document were measured, and the host's load.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tlslab_lab::results::notes::Notes;
use tlslab_lab::{Results, Session, Workshop};
use tlslab_record::{StackRecord, StackState};
use tlslab_reproduction::{Built, Commit, PartProvenance, Provenance};

use crate::quiet::{Seen, taken};

/// The kind of these notes.
const KIND: &str = "document-part";
/// Files that a reproduction itself writes into the tree; their differences from the commit do not affect
/// measurements.
const WRITTEN: [&str; 2] = [":(exclude)documents/*.recorded.json.gz", ":(exclude)docs/documents"];

/// The record of a part's measurement.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Noted {
    /// The state of the host.
    pub of: PartProvenance,
    /// The commit that measured it.
    pub commit: Option<Commit>,
    /// Its disturbances.
    pub disturbed: Option<String>,
}

impl Noted {
    /// Observations while a part was timed.
    pub(crate) fn new(part: &str, seen: &Seen, commit: Option<Commit>) -> Self {
        let disturbance = &seen.disturbance;
        let of = PartProvenance {
            part: part.to_owned(),
            load_at_start: seen.load_at_start,
            load_at_end: disturbance.load_at_end,
            others_busy_cpus: disturbance.others_busy_cpus,
            steal_percent: disturbance.worst_steal.map(|worst| worst.percent),
            repeated: false,
        };
        Self { of, commit, disturbed: seen.warning.clone() }
    }

    /// Whether other work used less than during another measurement.
    pub(crate) fn is_quieter_than(&self, other: &Self) -> bool {
        let taken = |noted: &Self| taken(noted.of.others_busy_cpus, noted.of.steal_percent);
        taken(self) < taken(other)
    }
}

/// The records of the parts of documents, and which parts a document has.
pub(crate) struct Parts {
    noted: Notes<Noted>,
    has: Vec<(String, Option<f64>)>,
    built: BTreeMap<String, Built>,
    /// The commit of the lab's tree, if it is a git checkout.
    pub commit: Option<Commit>,
}

impl Parts {
    /// For documents with files in a folder.
    pub(crate) fn load(session: &Session<'_>, results: &Results, folder: &str) -> anyhow::Result<Self> {
        let noted = Notes::open(results, KIND, &format!("{folder}/"), vec![])?;
        Ok(Self { noted, has: vec![], built: BTreeMap::new(), commit: commit(&session.workshop) })
    }

    /// The record of a part.
    pub(crate) fn get(&self, part: &str) -> Option<&Noted> {
        self.noted.get(part)
    }

    /// Records a part at once.
    pub(crate) fn add(&mut self, part: &str, noted: Noted) -> anyhow::Result<()> {
        self.noted.add(part, noted)
    }

    /// The document has this part; without a record, the load at the beginning of its run is shown.
    pub(crate) fn has(&mut self, part: &str, load_at_start: Option<f64>) {
        self.has.push((part.to_owned(), load_at_start));
    }

    /// The sources of a comparison's stacks.
    pub(crate) fn built(&mut self, comparison: &str, stacks: &[StackRecord]) {
        for stack in stacks {
            if let (Some(identity), StackState::Ready(description)) = (&stack.identity, &stack.state) {
                let built = Built { library: description.library.clone(), identity: identity.clone() };
                self.built.insert(format!("{comparison}/{}", stack.name), built);
            }
        }
    }

    /// All parts together.
    pub(crate) fn provenance(&self, share: f64) -> Provenance {
        let mut commits: Vec<Commit> = Vec::new();
        for (part, _) in &self.has {
            let commit = self.noted.get(part).and_then(|noted| noted.commit.clone());
            commits.extend(commit.filter(|commit| !commits.contains(commit)));
        }
        let part = |(part, load_at_start): &(String, Option<f64>)| match self.noted.get(part) {
            Some(noted) => noted.of.clone(),
            None => {
                PartProvenance { part: part.clone(), load_at_start: *load_at_start, ..Default::default() }
            }
        };
        Provenance {
            lab_version: env!("CARGO_PKG_VERSION").to_owned(),
            commits,
            share,
            parts: self.has.iter().map(part).collect(),
            built: self.built.clone(),
            profiled: BTreeMap::new(),
        }
    }
}

/// The commit of the lab's tree, and whether its files differ from it.
fn commit(workshop: &Workshop<'_>) -> Option<Commit> {
    let lab = workshop.environment.lab();
    if !lab.join(".git").exists() {
        return None;
    }
    let id = workshop.git(lab, &["rev-parse", "HEAD"]).ok()?;
    let [record, pages] = WRITTEN;
    let asked = ["status", "--porcelain", "--untracked-files=no", "--", ".", record, pages];
    let changes = workshop.git(lab, &asked).ok()?;
    Some(Commit { id: id.trim().to_owned(), dirty: !changes.trim().is_empty() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quieter_measurement_is_the_one_that_others_took_less_from() {
        let noted = |others_busy_cpus, steal_percent| Noted {
            of: PartProvenance { others_busy_cpus, steal_percent, ..Default::default() },
            commit: None,
            disturbed: None,
        };
        assert!(noted(Some(0.1), None).is_quieter_than(&noted(Some(0.2), None)));
        assert!(noted(Some(0.1), Some(1.0)).is_quieter_than(&noted(Some(0.1), Some(5.0))));
        assert!(!noted(Some(0.1), None).is_quieter_than(&noted(Some(0.1), None)));
    }
}
