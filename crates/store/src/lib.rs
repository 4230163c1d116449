//! Runs and every one of their samples, in a database.
//!
//! [`Store`] is what a database must be able to do; [`open`] chooses one by its address. Every call is one
//! transaction: when it has returned, a kill of the lab loses nothing of it. Nothing recorded is ever
//! altered, but for a cell's state, which can only get worse, and for the flags that say that a visit or a
//! run has come to its end.
//!
//! A run that is not complete belongs to whoever holds its [`Lease`]: nobody else can write to it.
//!
//! A visit that is open has a row per sample; when it ends they become one [`sample::pack`].

mod address;
mod annotations;
mod browse;
mod compressed;
mod database;
mod error;
mod figures;
mod lease;
mod notes;
mod outcome;
mod run;
mod sample;
mod store;
#[cfg(test)]
mod tests;

use database::postgres::Postgres;
use database::sqlite::Sqlite;
use run::sql::SqlStore;

/// Statements on either database, for crates whose tables lie beside the runs.
pub mod sql {
    pub use crate::database::postgres::Postgres;
    pub use crate::database::sqlite::Sqlite;
    pub use crate::database::value::{FromValue, Row, Value, json};
    pub use crate::database::{Database, snapshot, whole};
}

pub use address::Address;
pub use browse::model::{
    Browse, Cursor, OutcomeFilter, Page, RunFilter, SampleTimes, ScenarioSamples, SeriesFilter, SeriesList,
};
pub use error::StoreError;
pub use lease::model::{LEASE, Lease, Owner};
pub use lease::renewal::Renewal;
pub use outcome::model::{Capability, OutcomeRecord, OutcomeState, OutcomeSummary};
pub use sample::pack::samples_in;
pub use store::{Appearance, Deleted, RunKind, RunSummary, SeriesSummary, Store};

/// Opens a database, or makes it, and brings its schema up to date.
pub fn open(address: &Address) -> Result<Box<dyn Store>, StoreError> {
    match address {
        Address::Sqlite(path) => Ok(Box::new(SqlStore::new(Sqlite::open(path)?))),
        Address::Postgres(url) => Ok(Box::new(SqlStore::new(Postgres::open(url)?))),
    }
}

/// Opens a database that is there already.
pub fn open_existing(address: &Address) -> Result<Box<dyn Store>, StoreError> {
    match address {
        Address::Sqlite(path) if !path.is_file() => {
            Err(StoreError::Missing { place: path.display().to_string() })
        }
        address => open(address),
    }
}

/// Opens a database to read it alone: nothing is made, migrated or written, and what writes is refused.
pub fn open_to_read(address: &Address) -> Result<Box<dyn Store>, StoreError> {
    match address {
        Address::Sqlite(path) => Ok(Box::new(SqlStore::new(Sqlite::open_to_read(path)?))),
        Address::Postgres(url) => Ok(Box::new(SqlStore::new(Postgres::open_to_read(url)?))),
    }
}

/// Opens a database for lists and pages: nothing is made, migrated or written.
pub fn open_to_browse(address: &Address) -> Result<Box<dyn Browse>, StoreError> {
    match address {
        Address::Sqlite(path) => Ok(Box::new(SqlStore::new(Sqlite::open_to_read(path)?))),
        Address::Postgres(url) => Ok(Box::new(SqlStore::new(Postgres::open_to_read(url)?))),
    }
}
