//! Runners that a service knows.

use serde::Serialize;
use serde_json::Value;
use sha2::{Digest, Sha256};
use tlslab_store::sql::{Database, Row, whole};

use crate::duty::{Duty, Origin};
use crate::error::QueueError;
use crate::quiet::QuietHours;
use crate::row::{read_labels, values};
use crate::sql_queue::SqlQueue;
use crate::state::State;

/// A runner that is to be known.
#[derive(Clone, Debug, PartialEq)]
pub struct NewRunner {
    /// Its name.
    pub name: String,
    /// The hash of its key.
    pub key_hash: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// Hours in which it takes no job.
    pub quiet: QuietHours,
    /// How it was registered.
    pub origin: Origin,
}

/// A machine that takes jobs.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Runner {
    /// Its name.
    pub name: String,
    /// Its labels.
    pub labels: Vec<String>,
    /// Its newest start.
    pub boot: String,
    /// When it was heard of last, milliseconds since 1970; 0 if never.
    pub seen_unix_ms: u64,
    /// Facts that it reported.
    pub facts: Value,
    /// How it was registered.
    pub origin: Origin,
    /// Its duty.
    pub duty: Duty,
    /// Why, in a sentence.
    pub duty_cause: String,
    /// Since when, milliseconds since 1970; 0 if it was never changed.
    pub duty_unix_ms: u64,
    /// Hours in which it takes no job.
    pub quiet: String,
}

/// The stored hash of a secret of 256 random bits.
pub fn hash_key(key: &str) -> String {
    hex::encode(Sha256::digest(key.as_bytes()))
}

const COLUMNS: &str = "SELECT name, labels, boot, seen_unix_ms, facts, origin, duty, duty_cause, duty_unix_ms, quiet FROM runner";

impl<D: Database> SqlQueue<D> {
    pub(crate) fn put_runner(&self, runner: &NewRunner) -> Result<(), QueueError> {
        // A runner with an earlier one's name is another machine; and if a key is replaced, the former one
        // was, too.
        let sql = format!(
            "INSERT INTO runner (name, key_hash, labels, quiet, origin, boot, seen_unix_ms, facts, trusted_since_unix_ms)
             VALUES (?1, ?2, ?3, ?4, ?5, '', 0, '{{}}', {})
             ON CONFLICT (name) DO UPDATE SET key_hash = ?2, labels = ?3, quiet = ?4, origin = ?5,
               old_key_hash = CASE WHEN runner.key_hash = ?2 THEN runner.old_key_hash END",
            self.now()
        );
        let NewRunner { name, key_hash, labels, quiet, origin } = runner;
        let labels = crate::change::labels_text(labels);
        self.database.execute(&sql, values![name, key_hash, labels, quiet.to_string(), origin.name()])?;
        Ok(())
    }

    /// A new key; the former one stays valid for this time.
    pub(crate) fn replace_key(
        &self,
        name: &str,
        key_hash: &str,
        overlap_ms: u64,
    ) -> Result<bool, QueueError> {
        let sql = format!(
            "UPDATE runner SET old_key_hash = key_hash, old_key_until_unix_ms = {} + ?3, key_hash = ?2 WHERE name = ?1",
            self.now()
        );
        Ok(self.database.execute(&sql, values![name, key_hash, overlap_ms])? == 1)
    }

    pub(crate) fn read_runner(&self, key_hash: &str) -> Result<Option<Runner>, QueueError> {
        let sql = format!(
            "{COLUMNS} WHERE key_hash = ?1 OR (old_key_hash = ?1 AND old_key_until_unix_ms > {})",
            self.now()
        );
        let rows = self.database.rows(&sql, values![key_hash])?;
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

    /// Its renewal of a lease shows that it is alive.
    pub(crate) fn mark_heard(&self, name: &str) -> Result<(), QueueError> {
        let sql = format!("UPDATE runner SET seen_unix_ms = {} WHERE name = ?1", self.now());
        self.database.execute(&sql, values![name])?;
        Ok(())
    }

    pub(crate) fn read_runners(&self) -> Result<Vec<Runner>, QueueError> {
        let rows = self.database.rows(&format!("{COLUMNS} ORDER BY name"), &[])?;
        rows.iter().map(|row| self.runner(row)).collect()
    }

    pub(crate) fn runner_named(&self, name: &str) -> Result<Option<Runner>, QueueError> {
        let rows = self.database.rows(&format!("{COLUMNS} WHERE name = ?1"), values![name])?;
        rows.first().map(|row| self.runner(row)).transpose()
    }

    /// Sets the duty of a runner. If `discards_reference`, its canaries so far are discarded as reference.
    pub(crate) fn change_duty(
        &self,
        name: &str,
        duty: Duty,
        cause: &str,
        discards_reference: bool,
    ) -> Result<Option<Runner>, QueueError> {
        whole(&self.database, || {
            self.write_duty(name, duty, cause, discards_reference)?;
            self.runner_named(name)
        })
    }

    /// The same as a part of something else.
    pub(crate) fn write_duty(
        &self,
        name: &str,
        duty: Duty,
        cause: &str,
        discards_reference: bool,
    ) -> Result<(), QueueError> {
        let now = self.now();
        let trusted =
            if discards_reference { format!(", trusted_since_unix_ms = {now}") } else { String::new() };
        let sql = format!(
            "UPDATE runner SET duty = ?2, duty_cause = ?3, duty_unix_ms = {now}{trusted} WHERE name = ?1"
        );
        self.database.execute(&sql, values![name, duty.name(), cause])?;
        Ok(())
    }

    pub(crate) fn delete_runner(&self, name: &str) -> Result<bool, QueueError> {
        whole(&self.database, || {
            // Jobs that only this runner may take would wait forever.
            let own = "only_runner = ?1 AND ended_unix_ms = 0 AND lease_until_unix_ms = 0";
            for job in self.locked(own, values![name])? {
                self.end(&job, State::Cancelled, &format!("runner {name} is gone"), None)?;
            }
            Ok(self.database.execute("DELETE FROM runner WHERE name = ?1", values![name])? == 1)
        })
    }

    /// Why a runner gets no job at the moment, if it gets none.
    pub(crate) fn rests(&self, runner: &Runner, now_unix_ms: u64) -> Option<String> {
        let why = |what: &str| Some(format!("{what}: {}", runner.duty_cause));
        match runner.duty {
            Duty::Drains => return why("it takes no more jobs"),
            Duty::Paused => return why("it is paused"),
            Duty::Works | Duty::Quarantined => {}
        }
        // Hours that cannot be parsed count as none: they were checked when the runner was registered.
        let hours: QuietHours = runner.quiet.parse().unwrap_or_default();
        hours.has(now_unix_ms).then(|| format!("these are its quiet hours: {hours}, UTC"))
    }

    fn runner(&self, row: &Row) -> Result<Runner, QueueError> {
        let read = || -> Result<Runner, String> {
            Ok(Runner {
                name: row.get(0)?,
                labels: read_labels(&row.get::<String>(1)?),
                boot: row.get(2)?,
                seen_unix_ms: row.get(3)?,
                facts: row.parsed(4)?,
                origin: row.get::<String>(5)?.parse()?,
                duty: row.get::<String>(6)?.parse()?,
                duty_cause: row.get(7)?,
                duty_unix_ms: row.get(8)?,
                quiet: row.get(9)?,
            })
        };
        read().map_err(|cause| self.damaged(cause))
    }
}
