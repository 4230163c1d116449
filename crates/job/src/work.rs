//! The output of a process that carries out a job: a line for each event, and one for its end.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_lab::{Error, Event, JobId, Problem};

use crate::job::FORMAT;
use crate::outcome::{Outcome, Status};

/// A line of such a process.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EventLine {
    /// The version of its format.
    pub format: u32,
    /// The job.
    pub job: JobId,
    /// Its number among the lines of this process, from 1.
    pub number: u64,
    /// When it was written, milliseconds since 1970.
    pub unix_ms: u64,
    /// The event.
    #[serde(flatten)]
    pub event: Event,
}

impl EventLine {
    /// A line with the current time.
    pub fn new(job: &JobId, number: u64, event: Event) -> Self {
        let unix_ms = jiff::Timestamp::now().as_millisecond().unsigned_abs();
        Self { format: FORMAT, job: job.clone(), number, unix_ms, event }
    }
}

/// The last line's name among the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum LastEvent {
    /// The job has ended.
    Ended,
}

/// The last line: how the job ended.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Ending {
    /// The version of its format.
    pub format: u32,
    /// The job.
    pub job: JobId,
    /// Marks the last line.
    pub event: LastEvent,
    /// How it ended.
    pub status: Status,
    /// The outcome, if it was done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<Outcome>,
    /// The error, if it was not done.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<Problem>,
}

impl Ending {
    /// The end of a job with or without an outcome.
    pub fn new(job: &JobId, done: Result<Outcome, Error>) -> Self {
        let (format, job, event) = (FORMAT, job.clone(), LastEvent::Ended);
        match done {
            Ok(outcome) => {
                Self { format, job, event, status: outcome.status(), outcome: Some(outcome), error: None }
            }
            Err(error) => {
                let is_interrupted = matches!(error, Error::Interrupted { .. });
                let status = if is_interrupted { Status::Interrupted } else { Status::Failed };
                Self { format, job, event, status, outcome: None, error: Some(error.problem()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reader_takes_no_notice_of_what_it_does_not_know() {
        let line = r#"{"format":1,"job":"a","number":7,"unix_ms":1,"event":"of-tomorrow","colour":"green"}"#;
        let read: EventLine = serde_json::from_str(line).unwrap();
        assert_eq!((read.number, read.event), (7, Event::Unknown));
        let step = Event::Note { text: "t".to_owned() };
        let line = EventLine::new(&"a".parse().unwrap(), 1, step.clone());
        let read: EventLine = serde_json::from_str(&serde_json::to_string(&line).unwrap()).unwrap();
        assert_eq!(read.event, step);
    }

    #[test]
    fn the_end_is_a_line_like_the_others() {
        let ending = Ending::new(&"a".parse().unwrap(), Err(Error::Interrupted { run: None }));
        let text = serde_json::to_string(&ending).unwrap();
        assert!(text.contains(r#""event":"ended","status":"interrupted""#), "{text}");
        assert_eq!(serde_json::from_str::<Ending>(&text).unwrap(), ending);
    }
}
