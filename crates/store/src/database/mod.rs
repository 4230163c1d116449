//! What the lab needs of a database: statements, rows and transactions.

pub(crate) mod conditions;
#[cfg_attr(not(feature = "postgres"), path = "without_postgres.rs")]
pub(crate) mod postgres;
pub(crate) mod sqlite;
pub(crate) mod value;

use std::time::Duration;

use crate::StoreError;
use value::{Row, Value};

/// A database with the schema of `schema/`. Statements name their values `?1`, `?2` and so on. What stands in
/// `/*! */` is for a server, where several write at once; a file has one writer at a time.
pub trait Database: Send + Sized + 'static {
    /// The present time, milliseconds since 1970, as SQL.
    const NOW_UNIX_MS: &'static str;
    /// The operator that holds a text against a pattern.
    const LIKE: &'static str;

    /// What that operator takes for a pattern in which `*` is any text, `?` any character and everything else
    /// itself.
    fn pattern(text: &str) -> String;

    /// Where it is, without any password.
    fn place(&self) -> &str;
    /// Another connection to the same database.
    fn again(&self) -> Result<Self, StoreError>;
    /// Does a statement; how many rows it changed.
    fn execute(&self, sql: &str, values: &[Value]) -> Result<u64, StoreError>;
    /// What a statement answers.
    fn rows(&self, sql: &str, values: &[Value]) -> Result<Vec<Row>, StoreError>;
    /// Begins a transaction that is going to write.
    fn begin(&self) -> Result<(), StoreError>;
    /// Begins a transaction that sees everything as it is at one moment, whatever others write.
    fn begin_reading(&self) -> Result<(), StoreError>;
    /// Ends it, with everything done.
    fn commit(&self) -> Result<(), StoreError>;
    /// Ends it, with nothing done.
    fn rollback(&self) -> Result<(), StoreError>;
    /// Gives room that is no longer used back to the system, as far as the database does.
    fn shrink(&self) -> Result<(), StoreError>;
    /// From now on a transaction that is committed survives a power cut, too.
    fn outlive_power_cuts(&self) -> Result<(), StoreError>;
    /// Wakes the connections that wait in [`Database::heard`] when the transaction commits. A file cannot.
    fn tell(&self) -> Result<(), StoreError>;
    /// Waits for [`Database::tell`] of another connection, at most for this time: whether it came; nothing
    /// where the database cannot wake connections.
    fn heard(&self, time: Duration) -> Result<Option<bool>, StoreError>;
    /// What it takes on disk, bytes.
    fn bytes(&self) -> Result<u64, StoreError>;
}

/// Does everything or nothing.
pub fn whole<D: Database, T, E: From<StoreError>>(
    database: &D,
    work: impl FnOnce() -> Result<T, E>,
) -> Result<T, E> {
    database.begin()?;
    ended(database, work())
}

/// Reads everything as it is at one moment.
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
            // The error that led here says more than one of the attempt to undo; a lost connection undoes by itself.
            let _ = database.rollback();
            Err(error)
        }
    }
}
