//! Deletes old rows, a few at a time, so that transactions stay short.

use tlslab_store::sql::Database;

use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;

/// Something that is deleted when it is old.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kept {
    /// Deliveries that were handled.
    Deliveries,
    /// The logs of jobs that have ended.
    Logs,
    /// Their results. Those of the heads of open pull requests stay: their status rests on them.
    Results,
    /// Jobs that have ended, with their steps, verdicts and messages. Jobs of open pull requests' heads stay,
    /// and so do those of the branch: they order the commits of the history.
    Jobs,
}

/// Whether a job's commit is the head of an open pull request.
const OF_OPEN_PULL: &str = "EXISTS (SELECT 1 FROM pull WHERE pull.project = job.project AND pull.head = job.head AND pull.is_open = 1)";

impl<D: Database> SqlQueue<D> {
    /// Deletes at most so many that are older, in ms; how many rows that were.
    pub(crate) fn delete_some(&self, kept: Kept, older_than_ms: u64, most: u32) -> Result<u64, QueueError> {
        let before = format!("{} - ?1", self.now());
        let ended = format!("ended_unix_ms > 0 AND ended_unix_ms < {before}");
        let statements = match kept {
            Kept::Deliveries => vec![format!(
                "DELETE FROM delivery WHERE (forge, id) IN (SELECT forge, id FROM delivery
                   WHERE handled IS NOT NULL AND received_unix_ms < {before} LIMIT ?2)"
            )],
            Kept::Logs => vec![format!(
                "DELETE FROM event WHERE job IN (SELECT key FROM job WHERE {ended}
                   AND EXISTS (SELECT 1 FROM event WHERE event.job = job.key) LIMIT ?2)"
            )],
            Kept::Results => ["result", "rejected"]
                .map(|table| {
                    format!(
                        "DELETE FROM {table} WHERE job IN (SELECT key FROM job WHERE {ended} AND NOT {OF_OPEN_PULL}
                           AND EXISTS (SELECT 1 FROM {table} WHERE {table}.job = job.key) LIMIT ?2)"
                    )
                })
                .to_vec(),
            Kept::Jobs => vec![
                format!(
                    "DELETE FROM job WHERE key IN (SELECT key FROM job WHERE {ended} AND NOT {OF_OPEN_PULL}
                       AND subject NOT LIKE '%\"kind\":\"push\"%' LIMIT ?2)"
                ),
                format!(
                    "DELETE FROM outbox WHERE key IN (SELECT key FROM outbox WHERE sent >= version AND job <> ''
                       AND next_try_unix_ms < {before} AND NOT EXISTS (SELECT 1 FROM job WHERE job.id = outbox.job) LIMIT ?2)"
                ),
            ],
        };
        let mut deleted = 0;
        for sql in statements {
            deleted += self.database.execute(&sql, values![older_than_ms, most])?;
        }
        Ok(deleted)
    }
}
