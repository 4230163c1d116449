//! Browsers that are signed in at the pages with a token. Of the identifier in their cookie only its hash is
//! kept; a token that is replaced or revoked ends its sessions.

use tlslab_store::sql::Database;

use crate::access::{Access, read_access_row};
use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;

impl<D: Database> SqlQueue<D> {
    /// Begins a session for a token, and deletes those that have ended.
    pub(crate) fn begin_session(
        &self,
        id_hash: &str,
        token_hash: &str,
        for_ms: u64,
    ) -> Result<(), QueueError> {
        let now = self.now();
        self.database.execute(&format!("DELETE FROM session WHERE until_unix_ms <= {now}"), &[])?;
        let sql = format!(
            "INSERT INTO session (id_hash, token_hash, until_unix_ms) VALUES (?1, ?2, {now} + ?3) ON CONFLICT DO NOTHING"
        );
        self.database.execute(&sql, values![id_hash, token_hash, for_ms])?;
        Ok(())
    }

    /// The rights of a session, while it and its token are valid.
    pub(crate) fn read_session(&self, id_hash: &str) -> Result<Option<Access>, QueueError> {
        let sql = format!(
            "SELECT access.name, access.scopes FROM session JOIN access ON access.token_hash = session.token_hash
             WHERE session.id_hash = ?1 AND session.until_unix_ms > {} AND access.ended_unix_ms = 0",
            self.now()
        );
        let rows = self.database.rows(&sql, values![id_hash])?;
        rows.first().map(|row| read_access_row(row).map_err(|cause| self.damaged(cause))).transpose()
    }

    /// Ends a session; whether there was one.
    pub(crate) fn end_session(&self, id_hash: &str) -> Result<bool, QueueError> {
        let sql = "DELETE FROM session WHERE id_hash = ?1";
        Ok(self.database.execute(sql, values![id_hash])? == 1)
    }
}
