//! A database of runs with all their samples.
//!
//! [`Store`] is the interface of a database; [`open`] chooses one by its address. Every call is one
//! transaction: when it has returned, a kill of the lab loses nothing of it. Records are never changed,
//! except for a cell's state, which can only get worse, and for the flags that mark the end of a visit or a
//! run.
//!
//! An incomplete run belongs to the holder of its [`Lease`]: no other process can write to it.
//!
//! An open visit has a row per sample; at its end they become one [`sample::pack`].

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

/// Statements on either database, for crates with tables in the same database.
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

/// Opens a database, or creates it, and migrates its schema.
pub fn open(address: &Address) -> Result<Box<dyn Store>, StoreError> {
    match address {
        Address::Sqlite(path) => Ok(Box::new(SqlStore::new(Sqlite::open(path)?))),
        Address::Postgres(url) => Ok(Box::new(SqlStore::new(Postgres::open(url)?))),
    }
}

/// Opens an existing database.
pub fn open_existing(address: &Address) -> Result<Box<dyn Store>, StoreError> {
    match address {
        Address::Sqlite(path) if !path.is_file() => {
            Err(StoreError::Missing { place: path.display().to_string() })
        }
        address => open(address),
    }
}

/// Opens a database only to read it: nothing is created, migrated or written, and writes fail.
pub fn open_to_read(address: &Address) -> Result<Box<dyn Store>, StoreError> {
    match address {
        Address::Sqlite(path) => Ok(Box::new(SqlStore::new(Sqlite::open_to_read(path)?))),
        Address::Postgres(url) => Ok(Box::new(SqlStore::new(Postgres::open_to_read(url)?))),
    }
}

/// Opens a database for lists and pages: nothing is created, migrated or written.
pub fn open_to_browse(address: &Address) -> Result<Box<dyn Browse>, StoreError> {
    match address {
        Address::Sqlite(path) => Ok(Box::new(SqlStore::new(Sqlite::open_to_read(path)?))),
        Address::Postgres(url) => Ok(Box::new(SqlStore::new(Postgres::open_to_read(url)?))),
    }
}
