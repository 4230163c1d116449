//! Results of canaries: with each job that measures time, a runner times a stack that stays the same.

use tlslab_store::sql::{Database, Row};

use crate::error::QueueError;
use crate::row::values;
use crate::showing::{CanaryVerdict, NewCanary};
use crate::sql_queue::SqlQueue;

/// The same with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Canary {
    /// The runner.
    pub runner: String,
    /// In which job.
    pub job: String,
    /// When, milliseconds since 1970.
    pub at_unix_ms: u64,
    /// Its result.
    pub is: NewCanary,
}

const COLUMNS: &str = "SELECT runner, job, at_unix_ms, readings, verdict, cause FROM canary";

impl<D: Database> SqlQueue<D> {
    pub(crate) fn put_canary(&self, runner: &str, job: &str, canary: &NewCanary) -> Result<(), QueueError> {
        let sql = format!(
            "INSERT INTO canary (runner, job, at_unix_ms, readings, verdict, cause) VALUES (?1, ?2, {}, ?3, ?4, ?5)
             ON CONFLICT DO NOTHING",
            self.now()
        );
        let NewCanary { readings, verdict, cause } = canary;
        self.database.execute(&sql, values![runner, job, readings.to_string(), verdict.name(), cause])?;
        Ok(())
    }

    /// Of a runner since it is trusted, the newest first.
    pub(crate) fn read_canaries(
        &self,
        runner: &str,
        most: u32,
        verdicts: &[CanaryVerdict],
    ) -> Result<Vec<Canary>, QueueError> {
        let names: Vec<String> = verdicts.iter().map(|verdict| format!("'{}'", verdict.name())).collect();
        let of = match names.is_empty() {
            true => String::new(),
            false => format!(" AND verdict IN ({})", names.join(", ")),
        };
        let sql = format!(
            "{COLUMNS} WHERE runner = ?1{of} AND at_unix_ms >=
               coalesce((SELECT trusted_since_unix_ms FROM runner WHERE name = ?1), 0) ORDER BY key DESC LIMIT ?2"
        );
        self.canaries_of(&self.database.rows(&sql, values![runner, most])?)
    }

    pub(crate) fn read_canary_of_job(&self, job: &str) -> Result<Option<Canary>, QueueError> {
        let rows = self
            .database
            .rows(&format!("{COLUMNS} WHERE job = ?1 ORDER BY key DESC LIMIT 1"), values![job])?;
        Ok(self.canaries_of(&rows)?.pop())
    }

    fn canaries_of(&self, rows: &[Row]) -> Result<Vec<Canary>, QueueError> {
        let read = |row: &Row| -> Result<Canary, String> {
            let is = NewCanary {
                readings: row.parsed(3)?,
                verdict: row.get::<String>(4)?.parse()?,
                cause: row.get(5)?,
            };
            Ok(Canary { runner: row.get(0)?, job: row.get(1)?, at_unix_ms: row.get(2)?, is })
        };
        rows.iter().map(|row| read(row).map_err(|cause| self.damaged(cause))).collect()
    }
}
