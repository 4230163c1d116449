//! The commits of the branches that are measured, in the order in which they were pushed.

use tlslab_queue::{Filter, Queue, QueueError};

use crate::subject::Subject;

/// The commits that were read so far. A job's number grows with each push.
#[derive(Debug, Default)]
pub(crate) struct Pushes {
    newest: i64,
    commits: Vec<String>,
}

impl Pushes {
    /// All commits, oldest push first; pushes since the last call are read.
    ///
    /// # Errors
    /// Fails if the queue cannot be read.
    pub(crate) fn read(&mut self, queue: &dyn Queue) -> Result<&[String], QueueError> {
        let (mut newest, mut before) = (self.newest, None);
        // Newest first.
        let mut found = Vec::new();
        loop {
            let jobs = queue.list(&Filter { before, ..Filter::default() })?;
            let Some(oldest) = jobs.last().map(|job| job.key) else { break };
            newest = newest.max(jobs[0].key);
            for job in jobs.iter().take_while(|job| job.key > self.newest) {
                if let Some(Subject::Push(push)) = Subject::of(job) {
                    found.push(push.commit);
                    found.extend(push.before);
                }
            }
            if oldest <= self.newest {
                break;
            }
            before = Some(oldest);
        }
        self.newest = newest;
        self.commits.extend(found.into_iter().rev());
        Ok(&self.commits)
    }
}
