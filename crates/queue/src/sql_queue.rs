//! The base of a queue's statements: a database, a length of leases and a clock.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tlslab_store::StoreError;
use tlslab_store::sql::Database;

use crate::error::QueueError;
use crate::job::JobRow;
use crate::row::values;
use crate::state::{Fault, State};

/// A queue on a database of the store.
pub(crate) struct SqlQueue<D> {
    pub(crate) database: D,
    pub(crate) lease: Duration,
    /// A stopped time, for tests; 0 for the database's own.
    pub(crate) clock: Arc<AtomicU64>,
}

impl<D: Database> SqlQueue<D> {
    /// With leases of this length.
    #[cfg(test)]
    pub(crate) fn new(database: D, lease: Duration) -> Self {
        Self { database, lease, clock: Arc::default() }
    }

    /// The stopped clock: a time, milliseconds since 1970.
    #[cfg(test)]
    pub(crate) fn clock(&self) -> Arc<AtomicU64> {
        self.clock.clone()
    }

    /// The present time, as SQL.
    pub(crate) fn now(&self) -> String {
        match self.clock.load(Ordering::SeqCst) {
            0 => D::NOW_UNIX_MS.to_owned(),
            time => format!("CAST({time} AS BIGINT)"),
        }
    }

    pub(crate) fn lease_ms(&self) -> u64 {
        u64::try_from(self.lease.as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn damaged(&self, cause: String) -> QueueError {
        QueueError::Damaged { place: self.database.place().to_owned(), cause }
    }

    /// Writes a job's transition as a row.
    pub(crate) fn transition(
        &self,
        job: &JobRow,
        from: Option<State>,
        to: State,
        cause: &str,
    ) -> Result<(), StoreError> {
        let sql = format!(
            "INSERT INTO transition (job, at_unix_ms, from_state, to_state, cause, token) VALUES (?1, {}, ?2, ?3, ?4, ?5)",
            self.now()
        );
        let from = from.map_or("", State::name);
        self.database.execute(&sql, values![job.key, from, to.name(), cause, job.token]).map(drop)
    }

    /// From one state to another, without an end.
    pub(crate) fn step(&self, job: &JobRow, to: State, cause: &str) -> Result<(), QueueError> {
        let sql = "UPDATE job SET state = ?2, reason = ?3 WHERE key = ?1";
        self.database.execute(sql, values![job.key, to.name(), cause])?;
        if to == State::Queued {
            self.database.tell()?;
        }
        Ok(self.transition(job, Some(job.state), to, cause)?)
    }

    /// Moves a job to an end state.
    pub(crate) fn end(
        &self,
        job: &JobRow,
        to: State,
        cause: &str,
        fault: Option<Fault>,
    ) -> Result<(), QueueError> {
        let sql = format!(
            "UPDATE job SET state = ?2, reason = ?3, fault = ?4, ended_unix_ms = {}, lease_until_unix_ms = 0 WHERE key = ?1",
            self.now()
        );
        self.database.execute(&sql, values![job.key, to.name(), cause, fault.map(Fault::name)])?;
        Ok(self.transition(job, Some(job.state), to, cause)?)
    }
}

impl JobRow {
    /// Whether it has no result and will have none, so that the same may be requested again.
    pub fn is_without_result(&self) -> bool {
        match self.state {
            State::Cancelled | State::Superseded => true,
            State::Failed => self.fault.is_none_or(Fault::may_pass),
            State::Reported => false,
            _ => self.cancel.is_some(),
        }
    }

    /// In which state it ends when it is cancelled.
    pub(crate) fn state_if_cancelled(&self) -> State {
        match self.superseded_by {
            Some(_) => State::Superseded,
            None => State::Cancelled,
        }
    }
}
