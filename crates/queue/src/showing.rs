//! The result of a canary in a job.

use std::str::FromStr;

use serde_json::Value;

/// The result of a canary in a job.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCanary {
    /// The readings.
    pub readings: Value,
    /// The verdict.
    pub verdict: CanaryVerdict,
    /// Why, in a sentence.
    pub cause: String,
}

/// The verdict on a canary compared with those before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CanaryVerdict {
    /// It is.
    Good,
    /// It is faster or slower.
    Moved,
    /// Its times vary more.
    Noisy,
    /// There is too little to compare with.
    Unknown,
    /// It was not measured.
    Missing,
}

/// All of them, with their names.
const NAMES: [(CanaryVerdict, &str); 5] = [
    (CanaryVerdict::Good, "good"),
    (CanaryVerdict::Moved, "moved"),
    (CanaryVerdict::Noisy, "noisy"),
    (CanaryVerdict::Unknown, "unknown"),
    (CanaryVerdict::Missing, "missing"),
];

impl CanaryVerdict {
    /// Its name in JSON and in the database.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(verdict, _)| *verdict == self).map_or("", |(_, name)| name)
    }

    /// Whether times of this job may be the machine's.
    pub fn is_bad(self) -> bool {
        matches!(self, Self::Moved | Self::Noisy)
    }
}

impl FromStr for CanaryVerdict {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(_, name)| *name == text).map(|(verdict, _)| *verdict);
        known.ok_or_else(|| format!("\"{}\" is not a canary verdict", text.escape_debug()))
    }
}
