//! The lab's interface to a database: statements, rows and transactions.

pub(crate) mod conditions;
#[cfg_attr(not(feature = "postgres"), path = "without_postgres.rs")]
pub(crate) mod postgres;
pub(crate) mod sqlite;
pub(crate) mod value;

use std::time::Duration;

use crate::StoreError;
use value::{Row, Value};

/// A database with the schema of `schema/`. Statements name their values `?1`, `?2` and so on. Text in `/*!
/// */` is for a server, which has several simultaneous writers; a file has one writer at a time.
pub trait Database: Send + Sized + 'static {
    /// The present time, milliseconds since 1970, as SQL.
    const NOW_UNIX_MS: &'static str;
    /// The operator that compares a text with a pattern.
    const LIKE: &'static str;

    /// That operator's form of a pattern in which `*` is any text, `?` any character and everything else
    /// itself.
    fn pattern(text: &str) -> String;

    /// Its address, without a password.
    fn place(&self) -> &str;
    /// Another connection to the same database.
    fn again(&self) -> Result<Self, StoreError>;
    /// Executes a statement and returns the number of changed rows.
    fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError>;
    /// Returns the rows of a statement.
    fn rows(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError>;
    /// Begins a transaction that will write.
    fn begin(&self) -> Result<(), StoreError>;
    /// Begins a transaction with a consistent view, whatever others write.
    fn begin_reading(&self) -> Result<(), StoreError>;
    /// Commits it.
    fn commit(&self) -> Result<(), StoreError>;
    /// Rolls it back.
    fn rollback(&self) -> Result<(), StoreError>;
    /// Returns unused space to the system, if the database supports that.
    fn shrink(&self) -> Result<(), StoreError>;
    /// Later commits survive a power cut, too.
    fn outlive_power_cuts(&self) -> Result<(), StoreError>;
    /// Wakes the connections that wait in [`Database::heard`] when the transaction commits. A file cannot do
    /// this.
    fn tell(&self) -> Result<(), StoreError>;
    /// Waits for [`Database::tell`] of another connection, at most for this time, and returns whether it
    /// arrived; `None` if the database cannot wake connections.
    fn heard(&self, time: Duration) -> Result<Option<bool>, StoreError>;
    /// Its size on disk, bytes.
    fn bytes(&self) -> Result<u64, StoreError>;
}

/// Does all of the work or nothing.
pub fn whole<D: Database, T, E: From<StoreError>>(
    database: &D,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    database.begin()?;
    ended(database, work())
}

/// Reads with a consistent view.
pub fn snapshot<D: Database, T>(
    database: &D,
    work: impl FnOnce() -> Result<T, StoreError>,
) -> Result<T, StoreError> {
    database.begin_reading()?;
    ended(database, work())
}

fn ended<D: Database, T, E: From<StoreError>>(database: &D, worked: Result<T, E>) -> Result<T, E> {
    match worked {
        Ok(done) => {
            database.commit()?;
            Ok(done)
        }
        Err(error) => {
            // The original error matters more than one of the rollback; a lost connection rolls back
            // automatically.
            let _ = database.rollback();
            Err(error)
        }
    }
}
