//! Pull requests as their code host last described them, and comments whose command was carried out.

use tlslab_store::sql::{Database, Row, Value as Sql};

use crate::applied::{Applied, conflict};
use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;

/// A pull request.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct PullRow {
    /// Its project.
    pub project: String,
    /// Its number.
    pub number: u64,
    /// The commit at its head.
    pub head: String,
    /// The earliest time, by the clock of the code host, at which that was known to be its head.
    pub since_unix_ms: u64,
    /// Whether it is open.
    pub is_open: bool,
    /// Its title.
    pub title: String,
    /// The branch that it comes from.
    pub branch: String,
    /// The commit that its head is compared with; empty if it was not queried.
    pub baseline: String,
}

impl<D: Database> SqlQueue<D> {
    /// Of one head the earliest time is kept; another head begins with its own. Rows older than the known
    /// time of another head change nothing: two services may see a pull request in another order than they
    /// write it.
    pub(crate) fn see_pull(&self, pull: &PullRow) -> Result<Applied, QueueError> {
        let sql = "INSERT INTO pull (project, number, head, since_unix_ms, is_open, title, branch, baseline)
                   VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
                   ON CONFLICT (project, number) DO UPDATE SET
                     since_unix_ms = CASE WHEN pull.head = ?3 AND pull.since_unix_ms < ?4 THEN pull.since_unix_ms ELSE ?4 END,
                     baseline = CASE WHEN pull.head = ?3 AND ?8 = '' THEN pull.baseline ELSE ?8 END,
                     head = ?3, is_open = ?5, title = ?6, branch = ?7
                   WHERE pull.head = ?3 OR pull.since_unix_ms <= ?4";
        let PullRow { project, number, head, since_unix_ms, is_open, title, branch, baseline } = pull;
        let given = values![project, *number, head, *since_unix_ms, *is_open, title, branch, baseline];
        Ok(Applied::Changed(self.database.execute(sql, given)?))
    }

    /// Another head was seen at this time: an earlier sighting of this head does not count any more.
    pub(crate) fn forget_since(
        &self,
        project: &str,
        number: u64,
        since_unix_ms: u64,
    ) -> Result<Applied, QueueError> {
        let sql =
            "UPDATE pull SET since_unix_ms = ?3 WHERE project = ?1 AND number = ?2 AND since_unix_ms < ?3";
        Ok(Applied::Changed(self.database.execute(sql, values![project, number, since_unix_ms])?))
    }

    /// Pull requests of a project with this head.
    pub(crate) fn read_pulls_of_head(&self, project: &str, head: &str) -> Result<Vec<PullRow>, QueueError> {
        self.pulls_where("project = ?1 AND head = ?2", values![project, head])
    }

    pub(crate) fn read_pulls(&self, project: &str, number: Option<u64>) -> Result<Vec<PullRow>, QueueError> {
        match number {
            Some(number) => self.pulls_where("project = ?1 AND number = ?2", values![project, number]),
            None => self.pulls_where("project = ?1", values![project]),
        }
    }

    /// Those of a project with these numbers.
    pub(crate) fn read_pulls_numbered(
        &self,
        project: &str,
        numbers: &[u64],
    ) -> Result<Vec<PullRow>, QueueError> {
        if numbers.is_empty() {
            return Ok(Vec::new());
        }
        let numbers: Vec<String> = numbers.iter().map(u64::to_string).collect();
        let condition = format!("project = ?1 AND number IN ({})", numbers.join(", "));
        self.pulls_where(&condition, values![project])
    }

    fn pulls_where(&self, condition: &str, given: &[Sql]) -> Result<Vec<PullRow>, QueueError> {
        let sql = format!(
            "SELECT project, number, head, since_unix_ms, is_open, title, branch, baseline FROM pull
             WHERE {condition} ORDER BY number"
        );
        let read = |row: &Row| -> Result<PullRow, String> {
            Ok(PullRow {
                project: row.get(0)?,
                number: row.get(1)?,
                head: row.get(2)?,
                since_unix_ms: row.get(3)?,
                is_open: row.get(4)?,
                title: row.get(5)?,
                branch: row.get(6)?,
                baseline: row.get(7)?,
            })
        };
        let rows = self.database.rows(&sql, given)?;
        rows.iter().map(|row| read(row).map_err(|cause| self.damaged(cause))).collect()
    }

    pub(crate) fn carry_out(&self, forge: &str, comment: u64, person: &str) -> Result<Applied, QueueError> {
        let now = self.now();
        let sql = format!(
            "INSERT INTO command (forge, comment, at_unix_ms, person) VALUES (?1, ?2, {now}, ?3) ON CONFLICT DO NOTHING"
        );
        match self.database.execute(&sql, values![forge, comment, person])? {
            0 => Err(conflict(format!("the command of comment {comment} was carried out"))),
            added => Ok(Applied::Changed(added)),
        }
    }

    pub(crate) fn is_carried_out(&self, forge: &str, comment: u64) -> Result<bool, QueueError> {
        let sql = "SELECT count(*) FROM command WHERE forge = ?1 AND comment = ?2";
        Ok(self.one::<u64>(sql, values![forge, comment])? > 0)
    }
}
