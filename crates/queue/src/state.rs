//! The states of a job.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The state of a job, in the order of its progress.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// A maintainer has to approve it first.
    WaitingForApproval,
    /// It waits for a runner.
    Queued,
    /// A runner has it, and gets its sources.
    Fetching,
    /// The baseline is built.
    BuildingBaseline,
    /// The candidate is built.
    BuildingCandidate,
    /// Every cell is tried once.
    Proving,
    /// Samples are taken.
    Measuring,
    /// Changes are measured again with new processes.
    Confirming,
    /// Functions are looked for.
    Explaining,
    /// It has a result.
    Reported,
    /// It was cancelled.
    Cancelled,
    /// A newer job has taken its place.
    Superseded,
    /// It has no result; its fault names the cause.
    Failed,
}

/// All of them, with their names.
const NAMES: [(State, &str); 13] = [
    (State::WaitingForApproval, "waiting-for-approval"),
    (State::Queued, "queued"),
    (State::Fetching, "fetching"),
    (State::BuildingBaseline, "building-baseline"),
    (State::BuildingCandidate, "building-candidate"),
    (State::Proving, "proving"),
    (State::Measuring, "measuring"),
    (State::Confirming, "confirming"),
    (State::Explaining, "explaining"),
    (State::Reported, "reported"),
    (State::Cancelled, "cancelled"),
    (State::Superseded, "superseded"),
    (State::Failed, "failed"),
];

impl State {
    /// Its name in JSON and in the database.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(state, _)| *state == self).map_or("", |(_, name)| name)
    }

    /// Whether it is an end state.
    pub fn is_ended(self) -> bool {
        matches!(self, Self::Reported | Self::Cancelled | Self::Superseded | Self::Failed)
    }

    /// Whether a runner has it.
    pub fn is_leased(self) -> bool {
        !self.is_ended() && !matches!(self, Self::WaitingForApproval | Self::Queued)
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name().replace('-', " "))
    }
}

impl FromStr for State {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let known = NAMES.iter().find(|(_, name)| *name == text).map(|(state, _)| *state);
        known.ok_or_else(|| format!("\"{}\" is not a state of a job", text.escape_debug()))
    }
}

/// Who caused a missing result.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fault {
    /// That of the code that is proposed.
    Candidate,
    /// That of the code that it is compared with.
    Baseline,
    /// That of the lab or of the service.
    Lab,
    /// That of the machine that carried it out.
    Runner,
}

impl Fault {
    /// Its name in JSON and in the database.
    pub fn name(self) -> &'static str {
        match self {
            Self::Candidate => "candidate",
            Self::Baseline => "baseline",
            Self::Lab => "lab",
            Self::Runner => "runner",
        }
    }

    /// Whether another attempt may go better.
    pub fn may_pass(self) -> bool {
        matches!(self, Self::Lab | Self::Runner)
    }
}

impl FromStr for Fault {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let all = [Self::Candidate, Self::Baseline, Self::Lab, Self::Runner];
        let known = all.into_iter().find(|fault| fault.name() == text);
        known.ok_or_else(|| format!("\"{}\" is not a fault", text.escape_debug()))
    }
}
