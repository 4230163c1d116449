//! What a process that carries out a job writes: a line for each event, and one for its end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::event::Event;
use crate::job::{FORMAT, JobId};
use crate::outcome::{Outcome, Status};
use crate::problem::Problem;

/// A line of what a process that carries out a job writes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventLine {
    /// The version of its form.
    pub format: u32,
    /// The job.
    pub job: JobId,
    /// Its number among the lines of this process, from 1.
    pub number: u64,
    /// When it was written, milliseconds since 1970.
    pub unix_ms: u64,
    /// What happened.
    #[serde(flatten)]
    pub event: Event,
}

impl EventLine {
    /// A line of this moment.
    pub fn new(job: &JobId, number: u64, event: Event) -> Self {
        let unix_ms = jiff::Timestamp::now().as_millisecond().unsigned_abs();
        Self { format: FORMAT, job: job.clone(), number, unix_ms, event }
    }
}

/// The last line: how the job ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ending {
    /// The version of its form.
    pub format: u32,
    /// The job.
    pub job: JobId,
    /// How it ended.
    pub status: Status,
    /// What came of it, if it was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// Why it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}
