//! Recorded builds of a branch's revisions, so that the next watch begins there.

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::results::Results;
use crate::results::notes::Notes;

/// The kind of these notes.
const KIND: &str = "branch";

/// The outcome of building a revision.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(super) struct Tried {
    /// What it was built with: a digest of the recipe and of the driver's sources.
    pub driver: String,
    /// Why it does not build, in a line; empty if it does.
    pub failure: Option<String>,
}

/// The revisions of a branch that were built.
pub(super) struct State {
    tried: Notes<Tried>,
    driver: String,
}

impl State {
    /// The revisions of a stack's branch, for a driver.
    ///
    /// # Errors
    /// Fails if the notes cannot be read.
    pub(super) fn open(
        results: &Results,
        (stack, repository, branch): (&str, &str, &str),
        driver: String,
    ) -> anyhow::Result<Self> {
        let digest = Sha256::digest(format!("{stack}\n{repository}\n{branch}"));
        let tried = Notes::open(results, KIND, &format!("{}/", hex::encode(digest)), vec![])?;
        Ok(Self { tried, driver })
    }

    /// The outcome of a revision with this driver.
    pub(super) fn tried(&self, commit: &str) -> Option<&Tried> {
        self.tried.get(commit).filter(|tried| tried.driver == self.driver)
    }

    /// Whether a revision built when it was last tried, with any driver.
    pub(super) fn has_built(&self, commit: &str) -> bool {
        self.tried.get(commit).is_some_and(|tried| tried.failure.is_none())
    }

    /// Records the outcome of a revision.
    ///
    /// # Errors
    /// Fails if the database rejects it.
    pub(super) fn add(&mut self, commit: &str, failure: Option<String>) -> anyhow::Result<()> {
        self.tried.add(commit, Tried { driver: self.driver.clone(), failure })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_driver_tries_again_and_knows_where_to_begin() {
        let folder = tempfile::tempdir().unwrap();
        let results = Results::of(folder.path().to_owned());
        let of =
            |branch, driver: &str| State::open(&results, ("lib", "/lib", branch), driver.to_owned()).unwrap();
        let mut state = of("main", "old");
        state.add("a", None).unwrap();
        state.add("b", Some("no such function".to_owned())).unwrap();
        let old = of("main", "old");
        assert_eq!(old.tried("b").unwrap().failure.as_deref(), Some("no such function"));
        let new = of("main", "new");
        assert!(new.tried("a").is_none() && new.has_built("a") && !new.has_built("b"));
        assert!(!of("stable", "old").has_built("a"));
    }
}
