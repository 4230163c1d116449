//! Where the tests have their queues.

use std::sync::Arc;
use std::time::Duration;

use tlslab_store::Address;
use tlslab_store::sql::{Postgres, Sqlite};
use tlslab_testing::postgres::Server;

use crate::Queue;
use crate::sql_queue::SqlQueue;

/// An empty database.
pub(super) struct Place {
    pub address: Address,
    _folder: Option<Arc<tempfile::TempDir>>,
}

/// A queue, and a function that sets its clock.
type Stopped = (Box<dyn Queue>, Box<dyn Fn(u64)>);

impl Place {
    pub(super) fn sqlite() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("queue.sqlite");
        Self { address: Address::Sqlite(path), _folder: Some(folder.into()) }
    }

    pub(super) fn postgres() -> Self {
        let server = Server::shared(false).unwrap_or_else(|cause| panic!("{cause}"));
        Self { address: Address::Postgres(server.new_database().unwrap()), _folder: None }
    }

    pub(super) fn open(&self, lease: Duration) -> Box<dyn Queue> {
        crate::open(&self.address, lease).unwrap()
    }

    /// A queue with a stopped clock, and a function that moves it.
    pub(super) fn stopped(&self) -> Stopped {
        match &self.address {
            Address::Sqlite(path) => Self::parts(SqlQueue::new(Sqlite::open(path).unwrap(), super::LONG)),
            Address::Postgres(url) => Self::parts(SqlQueue::new(Postgres::open(url).unwrap(), super::LONG)),
        }
    }

    fn parts<D: tlslab_store::sql::Database>(queue: SqlQueue<D>) -> Stopped {
        let clock = queue.clock();
        (Box::new(queue), Box::new(move |time| clock.store(time, std::sync::atomic::Ordering::SeqCst)))
    }
}

/// Each of these functions is a test on every database.
macro_rules! on_every_database {
    ($($test:ident),* $(,)?) => {
        mod sqlite {
            $(#[test] fn $test() { super::$test(&$crate::tests::places::Place::sqlite()); })*
        }

        mod postgres {
            $(#[test] fn $test() { super::$test(&$crate::tests::places::Place::postgres()); })*
        }
    };
}
pub(crate) use on_every_database;
