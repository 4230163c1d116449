//! Conclusions of comparisons as announced: lists need no result for them.

use std::collections::BTreeMap;

use tlslab_store::sql::{Database, Row};

use crate::applied::Applied;
use crate::error::QueueError;
use crate::job::JobRow;
use crate::row::values;
use crate::sql_queue::SqlQueue;
use crate::state::State;
use crate::verdict::Verdict;

impl<D: Database> SqlQueue<D> {
    /// The newest verdict replaces an earlier one: a regression may be accepted later.
    pub(crate) fn put_verdict(&self, job: &str, verdict: &Verdict) -> Result<Applied, QueueError> {
        let sql =
            "INSERT INTO verdict (job, mark, title, sentence) SELECT key, ?2, ?3, ?4 FROM job WHERE id = ?1
                   ON CONFLICT (job) DO UPDATE SET mark = ?2, title = ?3, sentence = ?4";
        let Verdict { mark, title, sentence } = verdict;
        Ok(Applied::Changed(self.database.execute(sql, values![job, mark, title, sentence])?))
    }

    /// Adds their verdicts to jobs that were read.
    pub(crate) fn add_verdicts(&self, jobs: &mut [JobRow]) -> Result<(), QueueError> {
        let keys = || jobs.iter().filter(|job| job.state == State::Reported).map(|job| job.key);
        let (Some(first), Some(last)) = (keys().min(), keys().max()) else { return Ok(()) };
        let sql = "SELECT job, mark, title, sentence FROM verdict WHERE job BETWEEN ?1 AND ?2";
        let read = |row: &Row| -> Result<(i64, Verdict), String> {
            Ok((row.get(0)?, Verdict { mark: row.get(1)?, title: row.get(2)?, sentence: row.get(3)? }))
        };
        let rows = self.database.rows(sql, values![first, last])?;
        let found: Result<BTreeMap<i64, Verdict>, QueueError> =
            rows.iter().map(|row| read(row).map_err(|cause| self.damaged(cause))).collect();
        let mut found = found?;
        for job in jobs.iter_mut().filter(|job| job.state == State::Reported) {
            job.verdict = found.remove(&job.key);
        }
        Ok(())
    }
}
