//! How many jobs and commands there were lately, for limits.

use tlslab_store::sql::{Database, Row, Value as Sql};

use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;
use crate::state::State;

impl<D: Database> SqlQueue<D> {
    /// If a project had so many jobs that waited for a runner within a time: when the first of them is that
    /// old, ms since 1970. Jobs without approval, and jobs that were answered at once, do not count.
    pub(crate) fn jobs_full_until(
        &self,
        project: &str,
        within_ms: u64,
        most: u32,
    ) -> Result<Option<u64>, QueueError> {
        let sql = format!(
            "SELECT created_unix_ms FROM job WHERE project = ?1 AND created_unix_ms > {} - ?2 AND turn > 0
             ORDER BY created_unix_ms DESC LIMIT 1 OFFSET ?3",
            self.now()
        );
        self.full_until(&sql, values![project, within_ms, most.saturating_sub(1)], within_ms)
    }

    /// The same of the commands of a person on a code host.
    pub(crate) fn commands_full_until(
        &self,
        forge: &str,
        person: &str,
        within_ms: u64,
        most: u32,
    ) -> Result<Option<u64>, QueueError> {
        let sql = format!(
            "SELECT at_unix_ms FROM command WHERE forge = ?1 AND person = ?2 AND at_unix_ms > {} - ?3
             ORDER BY at_unix_ms DESC LIMIT 1 OFFSET ?4",
            self.now()
        );
        self.full_until(&sql, values![forge, person, within_ms, most.saturating_sub(1)], within_ms)
    }

    fn full_until(&self, sql: &str, given: &[Sql], within_ms: u64) -> Result<Option<u64>, QueueError> {
        let rows = self.database.rows(sql, given)?;
        let read = |row: &Row| row.get::<u64>(0).map_err(|cause| self.damaged(cause));
        Ok(rows.first().map(read).transpose()?.map(|at| at + within_ms))
    }

    /// How many jobs of a project wait for a runner, without those of a group.
    pub(crate) fn count_waiting(&self, project: &str, without: &str) -> Result<u64, QueueError> {
        let sql = "SELECT count(*) FROM job WHERE project = ?1 AND ended_unix_ms = 0 AND state = ?2
                   AND (supersedes IS NULL OR supersedes <> ?3)";
        self.one(sql, values![project, State::Queued.name(), without])
    }
}
