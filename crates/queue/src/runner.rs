//! Runners that a service knows.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tlslab_store::sql::{Database, Row};

use crate::error::QueueError;
use crate::row::{read_labels, values};
use crate::sql_queue::SqlQueue;

/// A machine that takes jobs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Runner {
    /// Its name.
    pub name: String,
    /// What it has.
    pub labels: Vec<String>,
    /// Its newest start.
    pub boot: String,
    /// When it was heard of last, milliseconds since 1970; 0 if never.
    pub seen_unix_ms: u64,
    /// What it said of itself.
    pub facts: Value,
}

/// What is kept of a secret of 256 random bits.
pub fn hash_key(key: &str) -> String {
    hex::encode(Sha256::digest(key.as_bytes()))
}

const COLUMNS: &str = "SELECT name, labels, boot, seen_unix_ms, facts FROM runner";

impl<D: Database> SqlQueue<D> {
    pub(crate) fn put_runner(&self, name: &str, key_hash: &str, labels: &[String]) -> Result<(), QueueError> {
        let sql = "INSERT INTO runner (name, key_hash, labels, boot, seen_unix_ms, facts) VALUES (?1, ?2, ?3, '', 0, '{}')
                   ON CONFLICT (name) DO UPDATE SET key_hash = ?2, labels = ?3";
        self.database.execute(sql, values![name, key_hash, crate::change::labels_text(labels)])?;
        Ok(())
    }

    pub(crate) fn read_runner(&self, key_hash: &str) -> Result<Option<Runner>, QueueError> {
        let rows = self.database.rows(&format!("{COLUMNS} WHERE key_hash = ?1"), values![key_hash])?;
        rows.first().map(|row| self.runner(row)).transpose()
    }

    pub(crate) fn mark_seen(&self, name: &str, boot: &str, facts: Option<&Value>) -> Result<(), QueueError> {
        let sql = format!(
            "UPDATE runner SET seen_unix_ms = {}, boot = ?2, facts = coalesce(?3, facts) WHERE name = ?1",
            self.now()
        );
        self.database.execute(&sql, values![name, boot, facts.map(Value::to_string)])?;
        Ok(())
    }

    pub(crate) fn read_runners(&self) -> Result<Vec<Runner>, QueueError> {
        let rows = self.database.rows(&format!("{COLUMNS} ORDER BY name"), &[])?;
        rows.iter().map(|row| self.runner(row)).collect()
    }

    pub(crate) fn delete_runner(&self, name: &str) -> Result<(), QueueError> {
        self.database.execute("DELETE FROM runner WHERE name = ?1", values![name])?;
        Ok(())
    }

    fn runner(&self, row: &Row) -> Result<Runner, QueueError> {
        let read = || -> Result<Runner, String> {
            Ok(Runner {
                name: row.get(0)?,
                labels: read_labels(&row.get::<String>(1)?),
                boot: row.get(2)?,
                seen_unix_ms: row.get(3)?,
                facts: row.parsed(4)?,
            })
        };
        read().map_err(|cause| self.damaged(cause))
    }
}
