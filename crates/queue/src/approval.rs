//! The approval that a job needs before a runner may run it.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The approval that a job needs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Approval {
    /// Nobody's: it is of a branch, a schedule or a token.
    NotNeeded,
    /// Its author's, whose rights are checked when a runner takes it.
    Author,
    /// A maintainer's, which is not given yet.
    Awaited,
    /// A maintainer's, which was given for this commit.
    Given,
}

const NAMES: [(Approval, &str); 4] = [
    (Approval::NotNeeded, "not-needed"),
    (Approval::Author, "author"),
    (Approval::Awaited, "awaited"),
    (Approval::Given, "given"),
];

impl Approval {
    /// Its name in JSON and in the database.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(known, _)| *known == self).map_or("", |(_, name)| name)
    }
}

impl FromStr for Approval {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(_, name)| *name == text).map(|(known, _)| *known);
        known.ok_or_else(|| format!("\"{}\" is not an approval", text.escape_debug()))
    }
}
