//! What jobs have come to, what is noted beside runs, and what stacks can do: plain data.

/// How a job ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutcomeState {
    /// With a result, which is final.
    Done,
    /// With an error.
    Failed,
    /// It was cancelled or its process ended; it can be carried out again.
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

    /// The state of a name.
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
    /// What kind of job it was.
    pub kind: String,
    /// The run that it made.
    pub run: Option<String>,
    /// What it was about, in one line.
    pub title: String,
    /// How far its sources were trusted.
    pub trust: String,
    /// The host that carried it out.
    pub host: String,
    /// When it began, milliseconds since 1970.
    pub began_unix_ms: u64,
    /// When it ended, milliseconds since 1970.
    pub ended_unix_ms: u64,
    /// How it ended.
    pub state: OutcomeState,
    /// What the command exits with.
    pub status: u32,
    /// The version of the body's form.
    pub format: u32,
}

/// An outcome with everything.
#[derive(Clone, Debug, PartialEq)]
pub struct OutcomeRecord {
    /// What a list shows.
    pub summary: OutcomeSummary,
    /// What was asked for, as JSON.
    pub request: String,
    /// The outcome itself, as JSON, at most 64 MiB.
    pub body: String,
}

/// What a stack can do.
#[derive(Clone, Debug, PartialEq)]
pub struct Capability {
    /// The stack.
    pub stack: String,
    /// The driver that has described it.
    pub driver_digest: String,
    /// The description, as JSON.
    pub description: String,
    /// When it was noted, milliseconds since 1970; the database writes its own time.
    pub noted_unix_ms: u64,
}
