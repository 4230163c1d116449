//! Notes and capabilities of stacks in a database.

use crate::StoreError;
use crate::database::value::{Row, values};
use crate::database::{Database, whole};
use crate::outcome::model::Capability;
use crate::run::sql::SqlStore;

impl<D: Database> SqlStore<D> {
    /// One after the other, in one transaction.
    pub(crate) fn write_entries(&self, kind: &str, entries: &[(String, String)]) -> Result<(), StoreError> {
        let insert = format!(
            "INSERT INTO entry (kind, key, body, noted_unix_ms) VALUES (?1, ?2, ?3, {})",
            D::NOW_UNIX_MS
        );
        // On a server, labs store notes of one kind one after the other: their order is that in which they
        // become visible.
        let alone = "SELECT ?1 /*! FROM pg_advisory_xact_lock(hashtextextended(?1, 0)) */";
        whole(&self.database, || {
            self.database.rows(alone, values![kind])?;
            for (key, body) in entries {
                // A repeated note becomes the last one.
                self.database
                    .execute("DELETE FROM entry WHERE kind = ?1 AND key = ?2", values![kind, key])?;
                self.database.execute(&insert, values![kind, key, body])?;
            }
            Ok(())
        })
    }

    pub(crate) fn read_entries(&self, kind: &str, prefix: &str) -> Result<Vec<(String, String)>, StoreError> {
        let sql =
            "SELECT key, body FROM entry WHERE kind = ?1 AND substr(key, 1, length(?2)) = ?2 ORDER BY number";
        let entry = |row: &Row| Ok((row.get(0)?, row.get(1)?));
        let rows = self.database.rows(sql, values![kind, prefix])?;
        rows.iter().map(entry).collect::<Result<_, String>>().map_err(|cause| self.broken(cause))
    }

    pub(crate) fn write_capability(&self, capability: &Capability) -> Result<(), StoreError> {
        let sql = format!(
            "INSERT INTO capability (stack, driver_digest, description, noted_unix_ms) VALUES (?1, ?2, ?3, {})
             ON CONFLICT (stack) DO UPDATE SET driver_digest = excluded.driver_digest,
             description = excluded.description, noted_unix_ms = excluded.noted_unix_ms",
            D::NOW_UNIX_MS
        );
        let Capability { stack, driver_digest, description, .. } = capability;
        self.database.execute(&sql, values![stack, driver_digest, description]).map(drop)
    }

    pub(crate) fn read_capabilities(&self) -> Result<Vec<Capability>, StoreError> {
        let sql = "SELECT stack, driver_digest, description, noted_unix_ms FROM capability ORDER BY stack";
        let capability = |row: &Row| {
            Ok(Capability {
                stack: row.get(0)?,
                driver_digest: row.get(1)?,
                description: row.get(2)?,
                noted_unix_ms: row.get(3)?,
            })
        };
        let rows = self.database.rows(sql, values![])?;
        rows.iter().map(capability).collect::<Result<_, String>>().map_err(|cause| self.broken(cause))
    }
}
