//! Runs and every one of their samples, in a database.
//!
//! [`Store`] is what a database must be able to do; [`open`] chooses one by its address. Every call is one transaction:
//! when it has returned, a kill of the lab loses nothing of it. Nothing recorded is ever altered, but for a cell's
//! state, which can only get worse, and for the flags that say that a visit or a run has come to its end.
//!
//! A run that is not complete belongs to whoever holds its [`Lease`]: nobody else can write to it.
//!
//! A visit that is open has a row per sample; when it ends they become one [`pack`].

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

use compressed as unpack;
use database::sqlite::reading as sqlite_reading;
use database::{conditions, postgres, sqlite, value};
use lease::{fence, renewal, sql as leases};
use outcome::sql as outcomes;
use run::{reading, sql as runs};
use sample::{detail, journal, pack};

/// Statements on either database, for crates whose tables lie beside the runs.
pub mod sql {
    pub use crate::database::{Database, snapshot, whole};
    pub use crate::postgres::Postgres;
    pub use crate::sqlite::Sqlite;
    pub use crate::value::{FromValue, Row, Value, json};
}

pub use address::Address;
pub use browse::{
    Browse, Cursor, OutcomeFilter, Page, RunFilter, SampleTimes, ScenarioSamples, SeriesFilter, SeriesList,
};
pub use error::StoreError;
pub use lease::{LEASE, Lease, Owner};
pub use outcome::{Capability, OutcomeRecord, OutcomeState, OutcomeSummary};
pub use pack::samples_in;
pub use renewal::Renewal;
pub use store::{Appearance, Deleted, RunKind, RunSummary, SeriesSummary, Store};

/// Opens a database, or makes it, and brings its schema up to date.
pub fn open(address: &Address) -> Result<Box<dyn Store>, StoreError> {
    match address {
        Address::Sqlite(path) => Ok(Box::new(runs::SqlStore::new(sqlite::Sqlite::open(path)?))),
        Address::Postgres(url) => Ok(Box::new(runs::SqlStore::new(postgres::Postgres::open(url)?))),
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
        Address::Sqlite(path) => Ok(Box::new(runs::SqlStore::new(sqlite::Sqlite::open_to_read(path)?))),
        Address::Postgres(url) => Ok(Box::new(runs::SqlStore::new(postgres::Postgres::open_to_read(url)?))),
    }
}

/// Opens a database for lists and pages: nothing is made, migrated or written.
pub fn open_to_browse(address: &Address) -> Result<Box<dyn Browse>, StoreError> {
    match address {
        Address::Sqlite(path) => Ok(Box::new(runs::SqlStore::new(sqlite::Sqlite::open_to_read(path)?))),
        Address::Postgres(url) => Ok(Box::new(runs::SqlStore::new(postgres::Postgres::open_to_read(url)?))),
    }
}
