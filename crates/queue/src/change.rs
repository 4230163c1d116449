//! Changes that are applied together.

use serde_json::Value;
use tlslab_store::sql::{Database, Value as Sql, whole};

use crate::applied::{Applied, conflict};
use crate::approval::Approval;
use crate::error::QueueError;
use crate::job::{JobRow, NewJob};
use crate::pull::PullRow;
use crate::row::{read_job, values};
use crate::sql_queue::SqlQueue;
use crate::state::{Fault, State};
use crate::verdict::Verdict;

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
    /// Adds a job, which replaces earlier ones of its group. One of the same key stays if it has not ended or
    /// has a result; one that was cancelled, superseded or failed by the lab is replaced.
    Enqueue(Box<NewJob>),
    /// All changes fail if the newest job of a group is not the one that the planner saw.
    Expect {
        /// The group.
        group: String,
        /// The number of its newest job.
        newest: Option<i64>,
    },
    /// Lets jobs wait for a runner instead of an approval.
    Approve {
        /// Which.
        which: Which,
        /// Why.
        cause: String,
    },
    /// Takes a job back from its runner, which has not begun: a maintainer has to approve it.
    Demand {
        /// Its identifier.
        job: String,
        /// The number of its lease.
        token: u64,
        /// Why.
        cause: String,
    },
    /// Takes a job back from its runner, which has not begun: no runner gets it for a while.
    Postpone {
        /// Its identifier.
        job: String,
        /// The number of its lease.
        token: u64,
        /// For how long, ms.
        delay_ms: u64,
        /// Why.
        cause: String,
    },
    /// A job takes the place of the others of its group, also of newer ones: its head is the present one
    /// again.
    Prefer {
        /// Its identifier.
        job: String,
        /// The group.
        group: String,
        /// Why.
        cause: String,
    },
    /// A job is announced again in its present state.
    AnnounceAgain {
        /// Its identifier.
        job: String,
    },
    /// A pull request as the code host describes it now.
    SeePull(PullRow),
    /// The head of a pull request was another one meanwhile: its known time begins later.
    ForgetSince {
        /// Its project.
        project: String,
        /// Its number.
        number: u64,
        /// From when on, by the clock of the code host.
        since_unix_ms: u64,
    },
    /// All changes fail if a job has a newer transition than the one that was seen.
    Unmoved {
        /// The job.
        job: String,
        /// The number of its newest transition that was seen.
        up_to: i64,
    },
    /// Marks the command of a comment as carried out. All changes fail if it was before.
    CarryOut {
        /// The code host.
        forge: String,
        /// The comment's identifier.
        comment: u64,
        /// The author, for limits; empty if it does not count.
        person: String,
    },
    /// Records events of which somebody is notified, with the messages about them. If all were recorded
    /// before, there is nothing to do; if only some were, all changes fail.
    Notice {
        /// The events.
        events: Vec<String>,
        /// The messages, each with its key.
        messages: Vec<(String, Value)>,
    },
    /// An event that lasted is over.
    NoticeOver {
        /// The event.
        event: String,
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
        /// Who caused the failure.
        fault: Fault,
        /// Why.
        cause: String,
    },
    /// Sends a message, in the place of an unsent one with the same key.
    Send {
        /// Its key.
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
    /// The conclusion of a job's comparison, as announced.
    Conclude {
        /// The job.
        job: String,
        /// The verdict.
        verdict: Verdict,
    },
    /// A delivery was handled.
    Handled {
        /// From where.
        forge: String,
        /// Its identifier.
        id: String,
        /// A note on the action.
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
    /// Moves a schedule to its next time, unless another service was first.
    Advance {
        /// Its name.
        name: String,
        /// The time that has come.
        from_unix_ms: u64,
        /// The next one.
        to_unix_ms: u64,
    },
}

impl<D: Database> SqlQueue<D> {
    pub(crate) fn apply_all(&self, changes: &[Change]) -> Result<Vec<Applied>, QueueError> {
        whole(&self.database, || changes.iter().map(|change| self.apply_one(change)).collect())
    }

    fn apply_one(&self, change: &Change) -> Result<Applied, QueueError> {
        match change {
            Change::Enqueue(job) => self.enqueue(job),
            Change::Approve { which, cause } => self.each(which, |job| match job.state {
                State::WaitingForApproval => {
                    self.set_approval(job, Approval::Given)?;
                    self.give_turn(job)?;
                    self.step(job, State::Queued, cause)
                }
                _ => Ok(()),
            }),
            Change::Expect { group, newest } => self.expect(group, *newest),
            Change::Demand { job, token, cause } => self.give_back(job, *token, |row| {
                self.set_approval(row, Approval::Awaited)?;
                self.step(row, State::WaitingForApproval, cause)
            }),
            Change::Postpone { job, token, delay_ms, cause } => self.give_back(job, *token, |row| {
                let sql = format!("UPDATE job SET not_before_unix_ms = {} + ?2 WHERE key = ?1", self.now());
                self.database.execute(&sql, values![row.key, *delay_ms])?;
                self.step(row, State::Queued, cause)
            }),
            Change::Prefer { job, group, cause } => self.take_place(job, group, cause),
            Change::AnnounceAgain { job } => {
                let sql = "UPDATE transition SET announced = 0
                           WHERE key = (SELECT max(key) FROM transition WHERE job = (SELECT key FROM job WHERE id = ?1))";
                self.changed(sql, values![job])
            }
            Change::SeePull(pull) => self.see_pull(pull),
            Change::ForgetSince { project, number, since_unix_ms } => {
                self.forget_since(project, *number, *since_unix_ms)
            }
            Change::Unmoved { job, up_to } => self.unmoved(job, *up_to),
            Change::CarryOut { forge, comment, person } => self.carry_out(forge, *comment, person),
            Change::Notice { events, messages } => self.note_events(events, messages),
            Change::NoticeOver { event } => self.end_event(event),
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
            Change::Conclude { job, verdict } => self.put_verdict(job, verdict),
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
        let waits = job.approval == Approval::Awaited;
        let state = match (job.is_answered, waits) {
            (true, _) => State::Reported,
            (false, true) => State::WaitingForApproval,
            (false, false) => State::Queued,
        };
        self.make_room(job)?;
        let turn = match state {
            State::Reported | State::WaitingForApproval => 0,
            _ => {
                let labels = labels_text(&job.labels);
                self.next_turn(&job.project, &labels, job.priority, job.supersedes.as_deref())?
            }
        };
        let now = self.now();
        let ended = if job.is_answered { now.as_str() } else { "0" };
        let sql = format!(
            "INSERT INTO job (id, project, subject, body, labels, needs_sandbox, priority, dedup, supersedes, state, reason,
                              most_attempts, created_unix_ms, not_before_unix_ms, is_timed, only_runner, approval, head, turn, ended_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, {now}, {now} + ?13, ?14, ?15, ?16, ?17, ?18, {ended}) ON CONFLICT DO NOTHING"
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
                job.only_runner.clone(),
                job.approval.name(),
                job.head.clone(),
                turn
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
            self.take_place(&job.id, group, &job.cause)?;
        }
        if state == State::Queued {
            self.database.tell()?;
        }
        Ok(Applied::Added(job.id.clone()))
    }

    /// A job of the same key that has no result and will have none gives its key away.
    fn make_room(&self, job: &NewJob) -> Result<(), QueueError> {
        let Some(key) = &job.dedup else { return Ok(()) };
        let held = self.locked("dedup = ?1", values![key])?;
        for row in held.iter().filter(|row| row.is_without_result()) {
            self.database.execute("UPDATE job SET dedup = NULL WHERE key = ?1", values![row.key])?;
        }
        Ok(())
    }

    /// A job takes the place of the others of its group that have not ended.
    fn take_place(&self, id: &str, group: &str, cause: &str) -> Result<Applied, QueueError> {
        let others = self.locked("supersedes = ?1 AND ended_unix_ms = 0 AND id <> ?2", values![group, id])?;
        let count = others.len() as u64;
        for row in others {
            let sql = "UPDATE job SET superseded_by = ?2 WHERE key = ?1";
            self.database.execute(sql, values![row.key, id])?;
            let row = JobRow { superseded_by: Some(id.to_owned()), ..row };
            self.cancel_job(&row, cause)?;
        }
        Ok(Applied::Changed(count))
    }

    fn unmoved(&self, job: &str, up_to: i64) -> Result<Applied, QueueError> {
        let sql = "SELECT max(key) FROM transition WHERE job = (SELECT key FROM job WHERE id = ?1)";
        match self.one::<Option<i64>>(sql, values![job])? {
            Some(newest) if newest > up_to => Err(conflict(format!("job {job} went on"))),
            _ => Ok(Applied::Changed(0)),
        }
    }

    fn expect(&self, group: &str, newest: Option<i64>) -> Result<Applied, QueueError> {
        let sql = "SELECT max(key) FROM job WHERE supersedes = ?1";
        let found: Option<i64> = self.one(sql, values![group])?;
        match found == newest {
            true => Ok(Applied::Changed(0)),
            false => Err(conflict(format!("another job of {group} was added"))),
        }
    }

    fn set_approval(&self, job: &JobRow, approval: Approval) -> Result<(), QueueError> {
        let sql = "UPDATE job SET approval = ?2 WHERE key = ?1";
        self.database.execute(sql, values![job.key, approval.name()])?;
        Ok(())
    }

    /// Ends the lease of a job that was not begun, without counting an attempt. Another lease is not
    /// affected.
    fn give_back(
        &self,
        id: &str,
        token: u64,
        work: impl Fn(&JobRow) -> Result<(), QueueError>,
    ) -> Result<Applied, QueueError> {
        let held = self.locked("id = ?1 AND token = ?2 AND lease_until_unix_ms > 0", values![id, token])?;
        for row in &held {
            let sql = "UPDATE job SET token = token + 1, lease_until_unix_ms = 0 WHERE key = ?1";
            self.database.execute(sql, values![row.key])?;
            match &row.cancel {
                Some(asked) => self.end(row, row.state_if_cancelled(), asked, None)?,
                None => work(row)?,
            }
        }
        Ok(Applied::Changed(held.len() as u64))
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

    /// Jobs that no other transaction changes before this one ends.
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

/// Labels as a column has them, in order, so that equal sets are equal texts.
pub(crate) fn labels_text(labels: &[String]) -> String {
    let mut labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.join(",")
}
