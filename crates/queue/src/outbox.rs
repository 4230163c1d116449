//! Messages that are to be sent.

use serde_json::Value;
use tlslab_store::sql::{Database, Row, whole};

use crate::applied::Applied;
use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;

/// In `given_up`: it was tried too often.
pub(crate) const GIVEN_UP: u32 = 1;
/// The value of `given_up` for an outdated message.
pub(crate) const OUTDATED: u32 = 2;

/// For how many leases a message is its sender's: two minutes, unless leases are shorter for tests.
const CLAIMED_LEASES: u64 = 2;

/// A message.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Its key.
    pub key: String,
    /// The job that it is about, or an empty text.
    pub job: String,
    /// The message.
    pub body: Value,
    /// How many texts it has had.
    pub version: u64,
    /// The receiver's identifier of the one that was sent before.
    pub remote: Option<u64>,
    /// How often this text was tried.
    pub tries: u32,
    /// Until when it is its sender's.
    pub claimed_until_unix_ms: u64,
}

impl<D: Database> SqlQueue<D> {
    /// The newest text takes the place of an unsent one; the same text is not sent again.
    pub(crate) fn put_message(&self, key: &str, job: &str, body: &Value) -> Result<Applied, QueueError> {
        let sql = format!(
            "INSERT INTO outbox (key, job, body, version, sent, next_try_unix_ms, claimed_until_unix_ms, tries, problem)
             VALUES (?1, ?2, ?3, 1, 0, {now}, 0, 0, '')
             ON CONFLICT (key) DO UPDATE SET job = ?2, body = ?3, version = outbox.version + 1, tries = 0, problem = '', given_up = 0,
                next_try_unix_ms = CASE WHEN outbox.sent < outbox.version THEN outbox.next_try_unix_ms ELSE {now} END
             WHERE outbox.body <> ?3 OR outbox.given_up > 0",
            now = self.now()
        );
        Ok(Applied::Changed(self.database.execute(&sql, values![key, job, body.to_string()])?))
    }

    pub(crate) fn claim_next_message(&self) -> Result<Option<Message>, QueueError> {
        whole(&self.database, || {
            let now = self.now();
            let sql = format!(
                "SELECT key, job, body, version, remote, tries, {now} FROM outbox
                 WHERE sent < version AND next_try_unix_ms <= {now} AND claimed_until_unix_ms <= {now}
                 ORDER BY next_try_unix_ms, key LIMIT 1 /*! FOR UPDATE SKIP LOCKED */"
            );
            let rows = self.database.rows(&sql, &[])?;
            let Some(row) = rows.first() else { return Ok(None) };
            let read = |row: &Row| -> Result<Message, String> {
                Ok(Message {
                    key: row.get(0)?,
                    job: row.get(1)?,
                    body: row.parsed(2)?,
                    version: row.get(3)?,
                    remote: row.get(4)?,
                    tries: row.get(5)?,
                    claimed_until_unix_ms: row.get::<u64>(6)? + self.lease_ms() * CLAIMED_LEASES,
                })
            };
            let message = read(row).map_err(|cause| self.damaged(cause))?;
            let sql = "UPDATE outbox SET claimed_until_unix_ms = ?2 WHERE key = ?1";
            self.database.execute(sql, values![&message.key, message.claimed_until_unix_ms])?;
            Ok(Some(message))
        })
    }

    pub(crate) fn mark_sent(&self, message: &Message, remote: Option<u64>) -> Result<(), QueueError> {
        // A newer text may have come meanwhile: it is still to be sent.
        let sql = "UPDATE outbox SET sent = ?2, remote = coalesce(?3, remote), claimed_until_unix_ms = 0, problem = ''
                   WHERE key = ?1 AND sent < ?2";
        self.database.execute(sql, values![&message.key, message.version, remote])?;
        Ok(())
    }

    pub(crate) fn is_current(&self, message: &Message) -> Result<bool, QueueError> {
        let now = self.now();
        let sql = format!(
            "SELECT count(*) FROM outbox WHERE key = ?1 AND version = ?2 AND sent < version AND claimed_until_unix_ms > {now}"
        );
        Ok(self.one::<u64>(&sql, values![&message.key, message.version])? > 0)
    }

    /// A newer text came before this one was sent: it is free at once, unless another service has claimed it.
    pub(crate) fn release_message(&self, message: &Message) -> Result<(), QueueError> {
        let sql = "UPDATE outbox SET claimed_until_unix_ms = 0 WHERE key = ?1 AND claimed_until_unix_ms = ?2";
        self.database.execute(sql, values![&message.key, message.claimed_until_unix_ms])?;
        Ok(())
    }

    /// It is not tried again; the same text may be sent later all the same.
    pub(crate) fn drop_message(&self, message: &Message, mark: u32, why: &str) -> Result<(), QueueError> {
        let sql = "UPDATE outbox SET sent = ?2, claimed_until_unix_ms = 0, problem = ?3,
                     given_up = CASE WHEN version = ?2 THEN ?4 ELSE CAST(0 AS BIGINT) END
                   WHERE key = ?1 AND sent < ?2";
        self.database.execute(sql, values![&message.key, message.version, why, mark])?;
        Ok(())
    }

    pub(crate) fn count_given_up(&self) -> Result<(u64, u64), QueueError> {
        let deliveries = self.one("SELECT count(*) FROM delivery WHERE handled LIKE 'given up%'", &[])?;
        Ok((deliveries, self.one("SELECT count(*) FROM outbox WHERE given_up = 1", &[])?))
    }

    pub(crate) fn delay_message(
        &self,
        message: &Message,
        delay_ms: u64,
        problem: &str,
    ) -> Result<(), QueueError> {
        let sql = format!(
            "UPDATE outbox SET next_try_unix_ms = {} + ?2, claimed_until_unix_ms = 0, tries = tries + 1, problem = ?3 WHERE key = ?1",
            self.now()
        );
        self.database.execute(&sql, values![&message.key, delay_ms, problem])?;
        Ok(())
    }

    pub(crate) fn count_messages(&self) -> Result<(u64, u64), QueueError> {
        let sql = format!(
            "SELECT count(*), coalesce(max({} - next_try_unix_ms), 0) FROM outbox WHERE sent < version",
            self.now()
        );
        let rows = self.database.rows(&sql, &[])?;
        let row = rows.first().ok_or_else(|| self.damaged("a statement has no answer".to_owned()))?;
        let damaged = |cause| self.damaged(cause);
        let overdue_ms: i64 = row.get(1).map_err(damaged)?;
        Ok((row.get(0).map_err(damaged)?, u64::try_from(overdue_ms).unwrap_or_default()))
    }
}
