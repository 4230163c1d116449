//! Runs that a runner sends in pieces: in the database, so that any service can continue where another one
//! has stopped.

use tlslab_store::sql::{Database, whole};

use crate::error::QueueError;
use crate::job::Hold;
use crate::row::values;
use crate::sql_queue::SqlQueue;

impl<D: Database> SqlQueue<D> {
    /// The stored bytes of a lease.
    pub(crate) fn read_received(&self, hold: &Hold) -> Result<u64, QueueError> {
        let sql = "SELECT CAST(coalesce(sum(length), 0) AS BIGINT) FROM piece
                   WHERE token = ?2 AND job = (SELECT key FROM job WHERE id = ?1)";
        self.one(sql, values![&hold.job, hold.token])
    }

    /// Adds a piece if it begins where the last one ended; returns the number of bytes then.
    pub(crate) fn put_piece(&self, hold: &Hold, from: u64, piece: &[u8]) -> Result<u64, QueueError> {
        whole(&self.database, || {
            // Others that add to the same job wait.
            let Some(job) = self.locked("id = ?1", values![&hold.job])?.pop() else { return Ok(0) };
            let has = self.read_received(hold)?;
            if from != has || piece.is_empty() {
                return Ok(has);
            }
            let sql = "INSERT INTO piece (job, token, from_byte, length, body) VALUES (?1, ?2, ?3, ?4, ?5)";
            self.database.execute(sql, values![job.key, hold.token, from, piece.len(), piece.to_vec()])?;
            Ok(has + piece.len() as u64)
        })
    }

    /// The piece that begins at a byte.
    pub(crate) fn read_piece(&self, hold: &Hold, from: u64) -> Result<Option<Vec<u8>>, QueueError> {
        let sql = "SELECT body FROM piece WHERE token = ?2 AND from_byte = ?3 AND job = (SELECT key FROM job WHERE id = ?1)";
        let rows = self.database.rows(sql, values![&hold.job, hold.token, from])?;
        rows.first().map(|row| row.get(0)).transpose().map_err(|cause| self.damaged(cause))
    }

    pub(crate) fn delete_pieces(&self, hold: &Hold) -> Result<(), QueueError> {
        let sql = "DELETE FROM piece WHERE token = ?2 AND job = (SELECT key FROM job WHERE id = ?1)";
        self.database.execute(sql, values![&hold.job, hold.token])?;
        Ok(())
    }

    /// Of leases that are over.
    pub(crate) fn delete_left_pieces(&self) -> Result<u64, QueueError> {
        let sql = "DELETE FROM piece WHERE NOT EXISTS
                   (SELECT 1 FROM job WHERE job.key = piece.job AND job.token = piece.token AND job.ended_unix_ms = 0)";
        Ok(self.database.execute(sql, &[])?)
    }
}
