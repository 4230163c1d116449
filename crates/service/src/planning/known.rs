//! What the queue knows of a project.

use std::cell::RefCell;

use tlslab_queue::{Filter, JobRow, PullRow, QueueError};

use crate::service::Service;

/// What the queue knows of a project.
pub(crate) trait Known {
    /// The newest job of a group.
    fn newest(&self, group: &str) -> Option<JobRow>;
    /// The jobs that decide the status of a commit, the newest first.
    fn of_head(&self, commit: &str) -> Vec<JobRow>;
    /// A pull request as it was seen last.
    fn pull(&self, number: u64) -> Option<PullRow>;
    /// Whether the command of a comment was carried out.
    fn is_carried_out(&self, comment: u64) -> bool;
}

/// The job that speaks for a head, of all its jobs, the newest first: the newest that has a result or may still have one. One that was
/// cancelled, superseded or failed by the lab speaks only if there is no other. Those that were compared with another baseline than the
/// present one do not speak, if that is known.
pub(crate) fn speaker<'j>(jobs: &'j [JobRow], baseline: Option<&str>) -> Option<&'j JobRow> {
    let known = baseline.filter(|baseline| !baseline.is_empty());
    let is_of = |job: &&JobRow| known.is_none_or(|baseline| job.subject["baseline"] == *baseline);
    let of_baseline = || jobs.iter().filter(is_of);
    of_baseline()
        .find(|job| !job.is_without_result())
        .or_else(|| of_baseline().next())
        .or_else(|| jobs.first())
}

/// The queue of a service, of which one error is kept.
pub(crate) struct InQueue<'a> {
    service: &'a Service,
    forge: &'a str,
    project: &'a str,
    failed: RefCell<Option<QueueError>>,
}

impl<'a> InQueue<'a> {
    /// For a project of a code host.
    pub fn new(service: &'a Service, forge: &'a str, project: &'a str) -> Self {
        Self { service, forge, project, failed: RefCell::default() }
    }

    /// The error, if there was one: what was planned is void then.
    pub fn failure(self) -> Option<QueueError> {
        self.failed.into_inner()
    }

    fn asked<T: Default>(&self, answer: Result<T, QueueError>) -> T {
        answer.unwrap_or_else(|error| {
            self.failed.replace(Some(error));
            T::default()
        })
    }

    fn listed(&self, filter: &Filter) -> Vec<JobRow> {
        self.asked(self.service.queue(|queue| queue.list(filter)))
    }
}

impl Known for InQueue<'_> {
    fn newest(&self, group: &str) -> Option<JobRow> {
        self.listed(&Filter { group: Some(group.to_owned()), most: 1, ..Filter::default() }).pop()
    }
    fn of_head(&self, commit: &str) -> Vec<JobRow> {
        let (project, head) = (Some(self.project.to_owned()), Some(commit.to_owned()));
        self.listed(&Filter { project, head, ..Filter::default() })
    }
    fn pull(&self, number: u64) -> Option<PullRow> {
        self.asked(self.service.queue(|queue| queue.pulls(self.project, Some(number)))).pop()
    }
    fn is_carried_out(&self, comment: u64) -> bool {
        self.asked(self.service.queue(|queue| queue.is_carried_out(self.forge, comment)))
    }
}
