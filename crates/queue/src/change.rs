//! Changes that are applied together.

use serde_json::Value;
use tlslab_store::sql::{Database, Value as Sql, whole};

use crate::error::QueueError;
use crate::job::{JobRow, NewJob};
use crate::row::{read_job, values};
use crate::sql_queue::SqlQueue;
use crate::state::{Fault, State};

/// Which jobs a change is about: none that has ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Which {
    /// One, by its identifier.
    Job(String),
    /// All with this text in `supersedes`.
    Group(String),
}

/// Something that is to be done.
#[derive(Clone, Debug, PartialEq)]
pub enum Change {
    /// Adds a job, which takes the place of earlier ones of its group.
    Enqueue(Box<NewJob>),
    /// Lets jobs wait for a runner instead of an approval.
    Approve {
        /// Which.
        which: Which,
        /// Why.
        cause: String,
    },
    /// Ends jobs: at once, or as soon as their runner hears of it.
    Cancel {
        /// Which.
        which: Which,
        /// Why.
        cause: String,
    },
    /// Ends a job that no runner has, as failed.
    Refuse {
        /// Its identifier.
        job: String,
        /// Whose fault.
        fault: Fault,
        /// Why.
        cause: String,
    },
    /// Sends a message, in the place of an unsent one with the same key.
    Send {
        /// What it is known by.
        key: String,
        /// The job that it is about, or an empty text.
        job: String,
        /// The message.
        body: Value,
    },
    /// The transitions of a job up to this one were announced.
    Announced {
        /// The job.
        job: String,
        /// The number of its newest transition that was.
        up_to: i64,
    },
    /// A delivery was handled.
    Handled {
        /// From where.
        forge: String,
        /// Its identifier.
        id: String,
        /// What was done.
        note: String,
    },
    /// A delivery is to be handled later.
    HandleLater {
        /// From where.
        forge: String,
        /// Its identifier.
        id: String,
        /// In how long, ms.
        delay_ms: u64,
    },
    /// A schedule goes on to its next time, unless another service was first.
    Advance {
        /// Its name.
        name: String,
        /// The time that has come.
        from_unix_ms: u64,
        /// The next one.
        to_unix_ms: u64,
    },
}

/// What came of a change.
#[derive(Clone, Debug, PartialEq)]
pub enum Applied {
    /// A job was added.
    Added(String),
    /// This job is there already.
    Merged(String),
    /// So many jobs or rows were changed.
    Changed(u64),
}

impl<D: Database> SqlQueue<D> {
    pub(crate) fn apply_all(&self, changes: &[Change]) -> Result<Vec<Applied>, QueueError> {
        whole(&self.database, || changes.iter().map(|change| self.apply_one(change)).collect())
    }

    fn apply_one(&self, change: &Change) -> Result<Applied, QueueError> {
        match change {
            Change::Enqueue(job) => self.enqueue(job),
            Change::Approve { which, cause } => self.each(which, |job| match job.state {
                State::WaitingForApproval => self.step(job, State::Queued, cause),
                _ => Ok(()),
            }),
            Change::Cancel { which, cause } => self.each(which, |job| self.cancel_job(job, cause)),
            Change::Refuse { job, fault, cause } => {
                self.each(&Which::Job(job.clone()), |job| match job.state.is_leased() {
                    true => Ok(()),
                    false => self.end(job, State::Failed, cause, Some(*fault)),
                })
            }
            Change::Send { key, job, body } => self.put_message(key, job, body),
            Change::Announced { job, up_to } => {
                let sql = "UPDATE transition SET announced = 1 WHERE announced = 0 AND key <= ?2
                           AND job = (SELECT key FROM job WHERE id = ?1)";
                self.changed(sql, values![job, *up_to])
            }
            Change::Handled { forge, id, note } => {
                let sql = "UPDATE delivery SET handled = ?3 WHERE forge = ?1 AND id = ?2 AND handled IS NULL";
                match self.database.execute(sql, values![forge, id, note])? {
                    0 => Err(conflict(format!("delivery {id} was handled"))),
                    changed => Ok(Applied::Changed(changed)),
                }
            }
            Change::HandleLater { forge, id, delay_ms } => {
                let sql = format!(
                    "UPDATE delivery SET tries = tries + 1, next_try_unix_ms = {} + ?3 WHERE forge = ?1 AND id = ?2",
                    self.now()
                );
                self.changed(&sql, values![forge, id, *delay_ms])
            }
            Change::Advance { name, from_unix_ms, to_unix_ms } => {
                let sql = "UPDATE schedule SET next_at_unix_ms = ?3 WHERE name = ?1 AND next_at_unix_ms = ?2";
                match self.database.execute(sql, values![name, *from_unix_ms, *to_unix_ms])? {
                    0 => Err(conflict(format!("schedule {name} went on"))),
                    changed => Ok(Applied::Changed(changed)),
                }
            }
        }
    }

    fn enqueue(&self, job: &NewJob) -> Result<Applied, QueueError> {
        let state = if job.needs_approval { State::WaitingForApproval } else { State::Queued };
        let now = self.now();
        let sql = format!(
            "INSERT INTO job (id, project, subject, body, labels, needs_sandbox, priority, dedup, supersedes, state, reason,
                              most_attempts, created_unix_ms, not_before_unix_ms, is_timed, only_runner)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, {now}, {now} + ?13, ?14, ?15) ON CONFLICT DO NOTHING"
        );
        let (subject, body) = (job.subject.to_string(), job.body.to_string());
        let (labels, needs_sandbox) = (labels_text(&job.labels), i64::from(job.needs_sandbox));
        let added = self.database.execute(
            &sql,
            values![
                &job.id,
                &job.project,
                subject,
                body,
                labels,
                needs_sandbox,
                job.priority,
                job.dedup.clone(),
                job.supersedes.clone(),
                state.name(),
                &job.cause,
                job.most_attempts,
                job.delay_ms,
                job.is_timed,
                job.only_runner.clone()
            ],
        )?;
        if added == 0 {
            let sql = "SELECT id FROM job WHERE id = ?1 OR dedup = ?2";
            let rows = self.database.rows(sql, values![&job.id, job.dedup.clone()])?;
            let id = rows.first().map(|row| row.get(0)).transpose().map_err(|cause| self.damaged(cause))?;
            return Ok(Applied::Merged(id.unwrap_or_else(|| job.id.clone())));
        }
        let added = self.locked("id = ?1", values![&job.id])?;
        for row in &added {
            self.transition(row, None, state, &job.cause)?;
        }
        if let Some(group) = &job.supersedes {
            let earlier = "supersedes = ?1 AND ended_unix_ms = 0 AND id <> ?2";
            for row in self.locked(earlier, values![group, &job.id])? {
                let sql = "UPDATE job SET superseded_by = ?2 WHERE key = ?1";
                self.database.execute(sql, values![row.key, &job.id])?;
                let row = JobRow { superseded_by: Some(job.id.clone()), ..row };
                self.cancel_job(&row, &job.cause)?;
            }
        }
        Ok(Applied::Added(job.id.clone()))
    }

    /// Ends it at once if no runner has it; asks its runner to otherwise.
    fn cancel_job(&self, job: &JobRow, cause: &str) -> Result<(), QueueError> {
        if !job.state.is_leased() {
            return self.end(job, job.state_if_cancelled(), cause, None);
        }
        if job.cancel.is_none() {
            let sql = "UPDATE job SET cancel = ?2 WHERE key = ?1";
            self.database.execute(sql, values![job.key, cause])?;
            self.transition(job, Some(job.state), job.state, &format!("to be cancelled: {cause}"))?;
        }
        Ok(())
    }

    fn each(
        &self,
        which: &Which,
        work: impl Fn(&JobRow) -> Result<(), QueueError>,
    ) -> Result<Applied, QueueError> {
        let (condition, value) = match which {
            Which::Job(id) => ("id = ?1 AND ended_unix_ms = 0", id),
            Which::Group(group) => ("supersedes = ?1 AND ended_unix_ms = 0", group),
        };
        let jobs = self.locked(condition, values![value])?;
        jobs.iter().try_for_each(work)?;
        Ok(Applied::Changed(jobs.len() as u64))
    }

    /// Jobs that nobody else changes before the transaction ends.
    pub(crate) fn locked(&self, condition: &str, given: &[Sql]) -> Result<Vec<JobRow>, QueueError> {
        let columns = crate::row::COLUMNS;
        let sql = format!("SELECT {columns} FROM job WHERE {condition} ORDER BY key /*! FOR UPDATE */");
        let rows = self.database.rows(&sql, given)?;
        rows.iter().map(|row| read_job(row).map_err(|cause| self.damaged(cause))).collect()
    }

    fn changed(&self, sql: &str, given: &[Sql]) -> Result<Applied, QueueError> {
        Ok(Applied::Changed(self.database.execute(sql, given)?))
    }
}

fn conflict(what: String) -> QueueError {
    QueueError::Conflict { what }
}

/// Labels as a column has them, in order, so that equal sets are equal texts.
pub(crate) fn labels_text(labels: &[String]) -> String {
    let mut labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.join(",")
}
