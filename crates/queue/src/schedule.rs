//! Jobs that come again and again.

use tlslab_store::sql::{Database, Row, whole};

use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;

/// A schedule.
#[derive(Clone, Debug, PartialEq)]
pub struct Schedule {
    /// Its name.
    pub name: String,
    /// When, as its configuration writes it.
    pub cron: String,
    /// The next time, milliseconds since 1970.
    pub next_at_unix_ms: u64,
}

impl<D: Database> SqlQueue<D> {
    pub(crate) fn replace_schedules(&self, schedules: &[Schedule]) -> Result<(), QueueError> {
        whole(&self.database, || {
            for row in self.database.rows("SELECT name FROM schedule", &[])? {
                let name: String = row.get(0).map_err(|cause| self.damaged(cause))?;
                if !schedules.iter().any(|schedule| schedule.name == name) {
                    self.database.execute("DELETE FROM schedule WHERE name = ?1", values![name])?;
                }
            }
            let sql = "INSERT INTO schedule (name, cron, next_at_unix_ms) VALUES (?1, ?2, ?3)
                       ON CONFLICT (name) DO UPDATE SET cron = ?2, next_at_unix_ms = ?3 WHERE schedule.cron <> ?2";
            for Schedule { name, cron, next_at_unix_ms } in schedules {
                self.database.execute(sql, values![name, cron, *next_at_unix_ms])?;
            }
            Ok(())
        })
    }

    pub(crate) fn read_due(&self) -> Result<(Vec<Schedule>, u64), QueueError> {
        let now: u64 = self.one(&format!("SELECT {}", self.now()), &[])?;
        let sql =
            "SELECT name, cron, next_at_unix_ms FROM schedule WHERE next_at_unix_ms <= ?1 ORDER BY name";
        let read = |row: &Row| -> Result<Schedule, String> {
            Ok(Schedule { name: row.get(0)?, cron: row.get(1)?, next_at_unix_ms: row.get(2)? })
        };
        let rows = self.database.rows(sql, values![now])?;
        let due: Result<_, _> =
            rows.iter().map(|row| read(row).map_err(|cause| self.damaged(cause))).collect();
        Ok((due?, now))
    }
}
