//! The queue's data of a project.

use tlslab_queue::{Filter, JobRow, PullRow, QueueError};

use crate::service::Service;

/// The queue's data of a project; each query may fail.
pub(crate) trait Known {
    /// The newest job of a group.
    fn newest(&self, group: &str) -> Result<Option<JobRow>, QueueError>;
    /// The jobs that decide the status of a commit, the newest first.
    fn of_head(&self, commit: &str) -> Result<Vec<JobRow>, QueueError>;
    /// A pull request as last seen.
    fn pull(&self, number: u64) -> Result<Option<PullRow>, QueueError>;
    /// Pull requests with this head, as they were seen last.
    fn pulls_of_head(&self, commit: &str) -> Result<Vec<PullRow>, QueueError>;
    /// Whether the command of a comment was carried out.
    fn is_carried_out(&self, comment: u64) -> Result<bool, QueueError>;
}

/// The job that counts for a head, of all its jobs, the newest first: the newest that has a result or may
/// still get one. A job that was cancelled, superseded or failed by the lab counts only if there is no other.
/// Jobs with another baseline than the present one do not count, if that is known.
pub(crate) fn speaker<'j>(jobs: &'j [JobRow], baseline: Option<&str>) -> Option<&'j JobRow> {
    let known = baseline.filter(|baseline| !baseline.is_empty());
    let is_of = |job: &&JobRow| known.is_none_or(|baseline| job.subject["baseline"] == *baseline);
    let of_baseline = || jobs.iter().filter(is_of);
    of_baseline()
        .find(|job| !job.is_without_result())
        .or_else(|| of_baseline().next())
        .or_else(|| jobs.first())
}

/// The queue of a service.
pub(crate) struct InQueue<'a> {
    /// The service.
    pub service: &'a Service,
    /// The code host.
    pub forge: &'a str,
    /// The project.
    pub project: &'a str,
}

impl Known for InQueue<'_> {
    fn newest(&self, group: &str) -> Result<Option<JobRow>, QueueError> {
        let filter = Filter { group: Some(group.to_owned()), most: 1, ..Filter::default() };
        Ok(self.service.queue(|queue| queue.list(&filter))?.pop())
    }
    fn of_head(&self, commit: &str) -> Result<Vec<JobRow>, QueueError> {
        let (project, head) = (Some(self.project.to_owned()), Some(commit.to_owned()));
        self.service.queue(|queue| queue.list(&Filter { project, head, ..Filter::default() }))
    }
    fn pull(&self, number: u64) -> Result<Option<PullRow>, QueueError> {
        Ok(self.service.queue(|queue| queue.pulls(self.project, Some(number)))?.pop())
    }
    fn pulls_of_head(&self, commit: &str) -> Result<Vec<PullRow>, QueueError> {
        self.service.queue(|queue| queue.pulls_of_head(self.project, commit))
    }
    fn is_carried_out(&self, comment: u64) -> Result<bool, QueueError> {
        self.service.queue(|queue| queue.is_carried_out(self.forge, comment))
    }
}
