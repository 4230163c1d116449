//! Events with notices: each once, over restarts, by however many services.

use serde_json::Value;
use tlslab_store::sql::{Database, Row};

use crate::applied::{Applied, conflict};
use crate::error::QueueError;
use crate::row::values;
use crate::sql_queue::SqlQueue;

/// A delivery or message that was given up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GivenUp {
    /// The event, by which it is noted.
    pub event: String,
    /// Its identity: the key of a message or the identifier of a delivery.
    pub what: String,
    /// Why.
    pub problem: String,
}

impl<D: Database> SqlQueue<D> {
    /// Notes events and puts the messages about them into the outbox; neither if all were noted before.
    pub(crate) fn note_events(
        &self,
        events: &[String],
        messages: &[(String, Value)],
    ) -> Result<Applied, QueueError> {
        let now = self.now();
        let sql = format!("INSERT INTO notice (event, at_unix_ms) VALUES (?1, {now}) ON CONFLICT DO NOTHING");
        let mut new = 0;
        for event in events {
            new += self.database.execute(&sql, values![event])?;
        }
        if new == 0 {
            return Ok(Applied::Changed(0));
        }
        if new < events.len() as u64 {
            return Err(conflict("another service has notified of some of these events".to_owned()));
        }
        for (key, body) in messages {
            self.put_message(key, "", body)?;
        }
        Ok(Applied::Changed(new))
    }

    /// An event that lasted is over: the next one is another.
    pub(crate) fn end_event(&self, event: &str) -> Result<Applied, QueueError> {
        let sql = "DELETE FROM notice WHERE event = ?1";
        Ok(Applied::Changed(self.database.execute(sql, values![event])?))
    }

    /// Events whose names begin with this.
    pub(crate) fn read_events_noted(&self, prefix: &str) -> Result<Vec<String>, QueueError> {
        let length = prefix.chars().count();
        let sql = format!("SELECT event FROM notice WHERE substr(event, 1, {length}) = ?1 ORDER BY event");
        let rows = self.database.rows(&sql, values![prefix])?;
        rows.iter().map(|row| row.get(0).map_err(|cause| self.damaged(cause))).collect()
    }

    /// Deliveries and messages that were given up within a time and not recorded yet. A notice that was given
    /// up is no event.
    pub(crate) fn read_given_up(&self, within_ms: u64, most: u32) -> Result<Vec<GivenUp>, QueueError> {
        let since = format!("{} - ?1", self.now());
        let messages = format!(
            "SELECT 'given-up:message:' || key || ':' || CAST(version AS TEXT), key, problem FROM outbox
             WHERE given_up = 1 AND key NOT LIKE 'notify:%' AND next_try_unix_ms > {since}
               AND NOT EXISTS (SELECT 1 FROM notice WHERE event = 'given-up:message:' || key || ':' || CAST(version AS TEXT))
             ORDER BY key LIMIT ?2"
        );
        let deliveries = format!(
            "SELECT 'given-up:delivery:' || forge || ':' || id, id, handled FROM delivery
             WHERE handled LIKE 'given up%' AND received_unix_ms > {since}
               AND NOT EXISTS (SELECT 1 FROM notice WHERE event = 'given-up:delivery:' || forge || ':' || id)
             ORDER BY received_unix_ms LIMIT ?2"
        );
        let read = |row: &Row| -> Result<GivenUp, String> {
            Ok(GivenUp { event: row.get(0)?, what: row.get(1)?, problem: row.get(2)? })
        };
        let mut all = Vec::new();
        for sql in [messages, deliveries] {
            for row in self.database.rows(&sql, values![within_ms, most])? {
                all.push(read(&row).map_err(|cause| self.damaged(cause))?);
            }
        }
        Ok(all)
    }
}
