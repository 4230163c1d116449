//! Outcomes of jobs, notes, and capabilities of stacks: plain data.

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeState {
    /// With a result, which is final.
    Done,
    /// With an error.
    Failed,
    /// It was cancelled or its process ended; it can be resumed.
    Interrupted,
}

impl OutcomeState {
    /// Its name.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failed => "failed",
            Self::Interrupted => "interrupted",
        }
    }

    /// The state for a name.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let all = [Self::Done, Self::Failed, Self::Interrupted];
        let found = all.into_iter().find(|state| state.name() == name);
        found.ok_or_else(|| format!("no outcome has the state \"{}\"", name.escape_debug()))
    }
}

/// An outcome in a list.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeSummary {
    /// The job's id.
    pub id: String,
    /// The kind of job.
    pub kind: String,
    /// The run that it made.
    pub run: Option<String>,
    /// Its subject, in one line.
    pub title: String,
    /// How far its sources were trusted.
    pub trust: String,
    /// The host that carried it out.
    pub host: String,
    /// When it began, milliseconds since 1970.
    pub began_unix_ms: u64,
    /// When it ended, milliseconds since 1970.
    pub ended_unix_ms: u64,
    /// The state in which it ended.
    pub state: OutcomeState,
    /// The command's exit status.
    pub status: u32,
    /// The version of the body's format.
    pub format: u32,
}

/// A complete outcome.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeRecord {
    /// Its entry in a list.
    pub summary: OutcomeSummary,
    /// The request, as JSON.
    pub request: String,
    /// The outcome itself, as JSON, at most 64 MiB.
    pub body: String,
}

/// A stack's capabilities.
#[derive(Clone, Debug, PartialEq)]
pub struct Capability {
    /// The stack.
    pub stack: String,
    /// The driver that described it.
    pub driver_digest: String,
    /// The description, as JSON.
    pub description: String,
    /// When it was recorded, milliseconds since 1970; the database writes its own time.
    pub noted_unix_ms: u64,
}
