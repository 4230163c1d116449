//! The tests' databases. Each test runs on every kind; if one is unavailable, its tests fail.

use std::sync::Arc;

use tlslab_testing::postgres::Server;

use crate::database::sqlite;
use crate::run::sql::SqlStore;
use crate::{Address, Store};

/// An empty database.
pub(super) struct Place {
    pub address: Address,
    _folder: Option<Arc<tempfile::TempDir>>,
}

impl Place {
    /// A new file.
    pub(super) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("below").join("runs.sqlite");
        Self { address: Address::Sqlite(path), _folder: Some(folder.into()) }
    }

    /// A new database on a real server.
    pub(super) fn postgres() -> Self {
        let server = Server::shared(false).unwrap_or_else(|cause| panic!("{cause}"));
        Self { address: Address::Postgres(server.new_database().unwrap()), _folder: None }
    }

    /// An existing database.
    pub(super) fn at(address: Address) -> Self {
        Self { address, _folder: None }
    }

    /// Another of its kind.
    pub(super) fn another(&self) -> Self {
        match self.address {
            Address::Sqlite(_) => Self::sqlite(),
            Address::Postgres(_) => Self::postgres(),
        }
    }

    /// Opens it, as often as one likes.
    pub(super) fn open(&self) -> Box<dyn Store> {
        crate::open(&self.address).unwrap()
    }

    /// Executes statements that no lab uses.
    pub(super) fn execute(&self, sql: &str) {
        match &self.address {
            Address::Sqlite(path) => {
                let connection = rusqlite::Connection::open(path).unwrap();
                connection.busy_timeout(std::time::Duration::from_secs(10)).unwrap();
                connection.execute_batch(sql).unwrap();
            }
            Address::Postgres(url) => {
                postgres::Client::connect(url, postgres::NoTls).unwrap().batch_execute(sql).unwrap();
            }
        }
    }

    /// Marks it as a newer lab's.
    pub(super) fn make_newer(&self) {
        match self.address {
            Address::Sqlite(_) => self.execute("PRAGMA user_version = 99"),
            Address::Postgres(_) => self.execute("INSERT INTO migration VALUES (99)"),
        }
    }
}

/// The file's database itself.
pub(super) fn file(path: &std::path::Path) -> SqlStore<sqlite::Sqlite> {
    SqlStore::new(sqlite::Sqlite::open(path).unwrap())
}

/// Each of these functions is a test on every database.
macro_rules! on_every_database {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $test() { super::$test(&super::Place::sqlite()); })*
        }

        mod postgres {
            $(#[test] fn $test() { super::$test(&super::Place::postgres()); })*
        }
    };
}
pub(crate) use on_every_database;
