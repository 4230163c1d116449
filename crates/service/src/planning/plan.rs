//! Inputs and results of planning.

use tlslab_forge::ForgeError;
use tlslab_queue::{Change, NewJob, QueueError};

use super::asked::Asked;
use super::known::Known;
use crate::config::ProjectConfig;

/// The plan for an event.
#[derive(Debug, Default)]
pub(crate) struct Plan {
    /// The project of the event's repository, if one has it.
    pub project: Option<String>,
    /// Changes of the queue.
    pub changes: Vec<Change>,
    /// The reason or the result, where deliveries are listed.
    pub note: String,
    /// A pull request whose comment is written again, with a sentence for the person who asked.
    pub reply: Option<(u64, String)>,
    /// A regression that a maintainer accepts.
    pub accepted: Option<Accepted>,
    /// The baseline of the pull request's head, if that has a result already.
    pub baseline: String,
}

/// A regression that a maintainer accepts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Accepted {
    /// The pull request.
    pub number: u64,
    /// Its head.
    pub commit: String,
    /// The job whose result was accepted.
    pub job: String,
    /// Up to which size, percent.
    pub percent: f64,
    /// The reason, and who accepts it.
    pub text: String,
}

impl Plan {
    pub(crate) fn nothing(note: impl Into<String>) -> Self {
        Self { note: note.into(), ..Self::default() }
    }

    pub(super) fn replied(number: u64, note: &str, text: impl Into<String>) -> Self {
        Self { reply: Some((number, text.into())), ..Self::nothing(note) }
    }

    pub(super) fn of(changes: Vec<Change>, note: impl Into<String>) -> Self {
        Self { changes, ..Self::nothing(note) }
    }

    /// The job is put into the queue, or why it cannot be.
    pub(super) fn enqueued(job: Result<NewJob, String>) -> Self {
        match job {
            Ok(job) => {
                let note = format!("job {}", job.id);
                Self::of(vec![Change::Enqueue(Box::new(job))], note)
            }
            Err(why) => Self::nothing(format!("it cannot be measured: {why}")),
        }
    }

    /// The baseline of the pull request's head, if it was queried.
    pub(super) fn baseline(&self) -> String {
        let of_job = self.changes.iter().find_map(|change| match change {
            Change::Enqueue(job) => job.subject.get("baseline")?.as_str().map(str::to_owned),
            _ => None,
        });
        of_job.unwrap_or_else(|| self.baseline.clone())
    }
}

/// The cause of a failed planning.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The code host does not answer.
    Forge(ForgeError),
    /// The queue does not.
    Queue(QueueError),
}

impl From<ForgeError> for Trouble {
    fn from(error: ForgeError) -> Self {
        Self::Forge(error)
    }
}

impl From<QueueError> for Trouble {
    fn from(error: QueueError) -> Self {
        Self::Queue(error)
    }
}

impl Planner<'_> {
    /// Whether this project answers for all projects of the repository.
    pub(super) fn is_first(&self) -> bool {
        self.all.first().is_none_or(|first| first.name.get_ref() == self.project.name.get_ref())
    }
}

/// The inputs of planning.
pub(crate) struct Planner<'a> {
    /// The project of the event's repository.
    pub project: &'a ProjectConfig,
    /// All projects of that repository; the first one answers for all.
    pub all: &'a [&'a ProjectConfig],
    /// The code host.
    pub asked: &'a mut dyn Asked,
    /// The queue.
    pub known: &'a dyn Known,
}
