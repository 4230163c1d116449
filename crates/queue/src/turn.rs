//! Which job is next: by priority, then project after project, then the oldest.
//!
//! Each project's jobs have consecutive turns within a priority and a set of labels, and a project that had
//! none waiting joins at the present turn: start-time fair queueing (Goyal, Vin and Cheng, SIGCOMM 1996) with
//! jobs of equal size. The next job is then the first of an index, however many wait and however many have
//! ended.

use std::collections::BTreeSet;

use tlslab_store::sql::{Database, Value as Sql};

use crate::change::labels_text;
use crate::error::QueueError;
use crate::job::{JobRow, Taker};
use crate::row::{read_labels, values};
use crate::sql_queue::SqlQueue;

/// The sets of labels of waiting jobs, each by one look into the index.
const LABELS: &str = "WITH RECURSIVE known (labels) AS (
      SELECT min(labels) FROM job WHERE state = 'queued'
      UNION ALL
      SELECT (SELECT min(job.labels) FROM job WHERE job.state = 'queued' AND job.labels > known.labels)
      FROM known WHERE known.labels IS NOT NULL)
    SELECT labels FROM known WHERE labels IS NOT NULL";

impl<D: Database> SqlQueue<D> {
    /// The turn of a project's next job of a priority on runners with these labels. A job that has ended
    /// without a runner, or is about to, has used no turn.
    pub(crate) fn next_turn(
        &self,
        project: &str,
        labels: &str,
        priority: i64,
        supersedes: Option<&str>,
    ) -> Result<i64, QueueError> {
        let sql = "SELECT coalesce((SELECT turn FROM job WHERE project = ?1 AND labels = ?2 AND priority = ?3 AND turn > 0
                                      AND (leased_unix_ms > 0 OR (state = 'queued' AND (supersedes IS NULL OR supersedes <> ?4)))
                                    ORDER BY turn DESC LIMIT 1), 0),
                          coalesce((SELECT turn FROM job WHERE labels = ?2 AND priority = ?3 AND leased_unix_ms > 0
                                    ORDER BY turn DESC LIMIT 1), 0)";
        let given = values![project, labels, priority, supersedes.unwrap_or_default()];
        let rows = self.database.rows(sql, given)?;
        let row = rows.first().ok_or_else(|| self.damaged("a statement has no answer".to_owned()))?;
        let damaged = |cause| self.damaged(cause);
        let (own, present): (i64, i64) = (row.get(0).map_err(damaged)?, row.get(1).map_err(damaged)?);
        Ok((own + 1).max(present))
    }

    /// A job that was not in line gets its turn.
    pub(crate) fn give_turn(&self, job: &JobRow) -> Result<(), QueueError> {
        let labels = labels_text(&job.labels);
        let turn = self.next_turn(&job.project, &labels, job.priority, job.supersedes.as_deref())?;
        let sql = "UPDATE job SET turn = ?2 WHERE key = ?1 AND turn = 0";
        self.database.execute(sql, values![job.key, turn])?;
        Ok(())
    }

    /// The job that a runner may take next.
    pub(crate) fn next_for(&self, taker: &Taker, is_quarantined: bool) -> Result<Option<JobRow>, QueueError> {
        let mut waiting = format!("state = 'queued' AND not_before_unix_ms <= {}", self.now());
        if !taker.has_sandbox {
            waiting.push_str(" AND needs_sandbox = 0");
        }
        if taker.slot > 0 {
            waiting.push_str(" AND is_timed = 0");
        }
        waiting.push_str(match is_quarantined {
            true => " AND only_runner = ?1",
            false => " AND (only_runner IS NULL OR only_runner = ?1)",
        });
        let sql = format!(
            "SELECT -priority, turn, key FROM job WHERE {waiting} AND labels = ?2
             ORDER BY priority DESC, turn, key LIMIT 1 /*! FOR UPDATE SKIP LOCKED */"
        );
        let has: BTreeSet<&str> = taker.labels.iter().map(String::as_str).collect();
        let mut first: Option<(i64, i64, i64)> = None;
        let name = taker.name.as_str();
        for labels in self.labels_waiting()? {
            if !read_labels(&labels).iter().all(|label| has.contains(label.as_str())) {
                continue;
            }
            let given: &[Sql] = values![name, labels];
            let Some(row) = self.database.rows(&sql, given)?.pop() else { continue };
            let place =
                (|| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))().map_err(|cause| self.damaged(cause))?;
            first = Some(first.map_or(place, |first| first.min(place)));
        }
        let Some((.., key)) = first else { return Ok(None) };
        Ok(self.locked("key = ?1", values![key])?.pop())
    }

    fn labels_waiting(&self) -> Result<Vec<String>, QueueError> {
        let rows = self.database.rows(LABELS, &[])?;
        rows.iter().map(|row| row.get(0).map_err(|cause| self.damaged(cause))).collect()
    }
}
