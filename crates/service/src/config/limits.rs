//! Limits of jobs per project and per person.

use serde::Deserialize;

/// Limits; a missing number is no limit.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct LimitsConfig {
    /// Jobs of a project within 24 hours; unapproved and unmeasured ones do not count.
    pub jobs_per_day: Option<u32>,
    /// Commands of a person on a code host within an hour.
    pub commands_per_hour: Option<u32>,
    /// Jobs of a project that wait for a runner at once.
    pub waiting_jobs: Option<u32>,
}

impl LimitsConfig {
    /// Fails if a number is invalid.
    pub(crate) fn check(&self) -> Result<(), String> {
        let all = [
            ("jobs_per_day", self.jobs_per_day),
            ("commands_per_hour", self.commands_per_hour),
            ("waiting_jobs", self.waiting_jobs),
        ];
        match all.iter().find(|(_, most)| *most == Some(0)) {
            Some((name, _)) => Err(format!(
                "`limits.{name}` is 0, so nothing would be measured; write at least 1, or leave it out"
            )),
            None => Ok(()),
        }
    }
}
