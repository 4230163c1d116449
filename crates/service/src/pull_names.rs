//! Titles and branches of pull requests, as their code host described them last, for lists of jobs.

use std::collections::BTreeMap;

use tlslab_queue::{JobRow, PullRow, Queue, QueueError};

use crate::render::words::{limited, line, short, title};
use crate::subject::Subject;

/// Longer titles are shortened, in characters.
const LONGEST: usize = 200;

/// Pull requests by project and number.
#[derive(Default)]
pub(crate) struct PullNames(BTreeMap<(String, u64), PullRow>);

/// A job for people: its title, and a detail that distinguishes it.
pub(crate) struct Named {
    /// The title of a pull request with its number, or the title of another subject.
    pub title: String,
    /// The branch of a pull request and its commit; empty for other jobs.
    pub detail: String,
}

impl PullNames {
    /// Of the pull requests that these jobs are about.
    ///
    /// # Errors
    /// Fails if the database does not answer.
    pub(crate) fn of_jobs<'j>(
        queue: &dyn Queue,
        jobs: impl Iterator<Item = &'j JobRow>,
    ) -> Result<Self, QueueError> {
        let mut numbers: BTreeMap<String, Vec<u64>> = BTreeMap::new();
        for job in jobs {
            if let Some(Subject::Pull(pull)) = Subject::of(job) {
                numbers.entry(job.project.clone()).or_default().push(pull.number);
            }
        }
        let mut all = BTreeMap::new();
        for (project, mut numbers) in numbers {
            numbers.sort_unstable();
            numbers.dedup();
            for row in queue.pulls_numbered(&project, &numbers)? {
                all.insert((project.clone(), row.number), row);
            }
        }
        Ok(Self(all))
    }

    /// The title of a pull request in one line; empty if it is unknown.
    pub(crate) fn title(&self, project: &str, number: u64) -> String {
        let row = self.0.get(&(project.to_owned(), number));
        row.map(|row| limited(&line(&row.title), LONGEST)).unwrap_or_default()
    }

    /// Its branch; empty if it is unknown.
    pub(crate) fn branch(&self, project: &str, number: u64) -> String {
        let row = self.0.get(&(project.to_owned(), number));
        row.map(|row| limited(&line(&row.branch), LONGEST)).unwrap_or_default()
    }

    /// The name of a job.
    pub(crate) fn named(&self, job: &JobRow) -> Named {
        let Some(Subject::Pull(pull)) = Subject::of(job) else {
            return Named { title: title(job), detail: String::new() };
        };
        let commit = limited(&line(&short(&pull.commit)), 20);
        let branch = self.branch(&job.project, pull.number);
        let title = numbered(pull.number, &self.title(&job.project, pull.number));
        match branch.is_empty() {
            true => Named { title, detail: commit },
            false => Named { title, detail: format!("{branch} at {commit}") },
        }
    }
}

/// A pull request by its number and its title, if that is known.
pub(crate) fn numbered(number: u64, title: &str) -> String {
    if title.is_empty() { format!("pull request {number}") } else { format!("#{number} {title}") }
}
