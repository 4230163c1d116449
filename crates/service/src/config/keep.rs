//! How long things are kept.

use serde::Deserialize;

/// Retention times in days; data without a number is kept for ever.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct KeepConfig {
    /// Logs of jobs that have ended.
    pub logs_days: Option<u32>,
    /// Deliveries that were handled: longer than a code host delivers again.
    pub deliveries_days: Option<u32>,
    /// Results of jobs: every cell of a comparison, with its functions.
    pub results_days: Option<u32>,
    /// Jobs themselves, with their steps, verdicts and messages.
    pub jobs_days: Option<u32>,
    /// Samples of runs; figures and histories stay.
    pub samples_days: Option<u32>,
}

impl Default for KeepConfig {
    fn default() -> Self {
        Self {
            logs_days: Some(90),
            deliveries_days: Some(90),
            results_days: None,
            jobs_days: None,
            samples_days: None,
        }
    }
}

impl KeepConfig {
    /// Fails if a number is invalid.
    pub(crate) fn check(&self) -> Result<(), String> {
        let all = [
            ("logs_days", self.logs_days),
            ("deliveries_days", self.deliveries_days),
            ("results_days", self.results_days),
            ("jobs_days", self.jobs_days),
            ("samples_days", self.samples_days),
        ];
        if let Some((name, _)) = all.iter().find(|(_, days)| *days == Some(0)) {
            return Err(format!("`keep.{name}` is 0; write at least 1, or leave it out of the file"));
        }
        let (Some(jobs), Some(results)) = (self.jobs_days, self.results_days) else { return Ok(()) };
        match results > jobs {
            true => Err(format!(
                "`keep.results_days` is {results}, and `keep.jobs_days` {jobs}: a result goes with its job"
            )),
            false => Ok(()),
        }
    }
}
