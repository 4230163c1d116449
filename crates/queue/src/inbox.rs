//! Deliveries of forges.

use tlslab_store::sql::{Database, Row};

use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;

/// A delivery, stored once.
#[derive(Clone, Debug, PartialEq)]
pub struct Delivery {
    /// From where.
    pub forge: String,
    /// Its identifier there.
    pub id: String,
    /// The kind of event, in the forge's words.
    pub event: String,
    /// The body.
    pub body: Vec<u8>,
    /// How often handling it was put off.
    pub tries: u32,
}

impl<D: Database> SqlQueue<D> {
    pub(crate) fn keep_delivery(
        &self,
        forge: &str,
        id: &str,
        event: &str,
        body: &[u8],
    ) -> Result<bool, QueueError> {
        let now = self.now();
        let sql = format!(
            "INSERT INTO delivery (forge, id, event, body, received_unix_ms, next_try_unix_ms)
             VALUES (?1, ?2, ?3, ?4, {now}, {now}) ON CONFLICT DO NOTHING"
        );
        Ok(self.database.execute(&sql, values![forge, id, event, body.to_vec()])? == 1)
    }

    pub(crate) fn read_unhandled(&self, most: u32) -> Result<Vec<Delivery>, QueueError> {
        let sql = format!(
            "SELECT forge, id, event, body, tries FROM delivery WHERE handled IS NULL AND next_try_unix_ms <= {}
             ORDER BY received_unix_ms, id LIMIT ?1",
            self.now()
        );
        let read = |row: &Row| -> Result<Delivery, String> {
            Ok(Delivery {
                forge: row.get(0)?,
                id: row.get(1)?,
                event: row.get(2)?,
                body: row.get(3)?,
                tries: row.get(4)?,
            })
        };
        let rows = self.database.rows(&sql, values![most])?;
        rows.iter().map(|row| read(row).map_err(|cause| self.damaged(cause))).collect()
    }
}
