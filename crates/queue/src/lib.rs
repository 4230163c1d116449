//! Jobs of a service: waiting, running and ended.
//!
//! [`Queue`] is a service's interface; [`open`] makes one on the database of the store. A job is leased to
//! one runner at a time. Its token grows with each lease, and writes under an older token change nothing.
//! Every transition is a row, written in the same transaction as its cause; so are handled deliveries and
//! messages to be sent. The database's clock decides.

mod access;
mod applied;
mod approval;
mod calls;
mod canary;
mod change;
mod duty;
mod error;
mod inbox;
mod job;
mod keep;
mod lease;
mod limit;
mod list;
mod notice;
mod outbox;
mod piece;
mod pull;
mod queue;
mod quiet;
mod row;
mod runner;
mod schedule;
mod session;
mod showing;
mod sql_queue;
mod state;
#[cfg(test)]
mod tests;
mod turn;
mod verdict;
mod verdicts;

pub use access::{Access, Scope};
pub use applied::Applied;
pub use approval::Approval;
pub use canary::Canary;
pub use change::{Change, Which};
pub use duty::{Duty, Origin};
pub use error::QueueError;
pub use inbox::Delivery;
pub use job::{Finish, Hold, JobRow, Leased, NewJob, Renewed, Settled, Taken, Taker, Transition};
pub use keep::Kept;
pub use list::{Filter, Phase};
pub use notice::GivenUp;
pub use outbox::Message;
pub use pull::PullRow;
pub use queue::Queue;
pub use quiet::QuietHours;
pub use runner::{NewRunner, Runner, hash_key};
pub use schedule::Schedule;
pub use showing::{CanaryVerdict, NewCanary};
pub use state::{Fault, State};
pub use verdict::Verdict;

use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::time::Duration;

use tlslab_store::Address;
use tlslab_store::sql::{Database, Postgres, Sqlite};

/// The duration of a lease that is not renewed.
pub const LEASE: Duration = Duration::from_secs(60);

/// Opens the queue in a database, and creates and migrates its tables if necessary.
///
/// # Errors
/// Fails if the database cannot be reached, or is another program's.
pub fn open(address: &Address, lease: Duration) -> Result<Box<dyn Queue>, QueueError> {
    open_with_clock(address, lease, Arc::default())
}

/// As [`open`], with a clock for tests: milliseconds since 1970, or 0 for the database's own.
///
/// # Errors
/// Fails as [`open`] does.
pub fn open_with_clock(
    address: &Address,
    lease: Duration,
    clock: Arc<AtomicU64>,
) -> Result<Box<dyn Queue>, QueueError> {
    fn ready<D: Database>(
        database: D,
        lease: Duration,
        clock: Arc<AtomicU64>,
    ) -> Result<Box<dyn Queue>, QueueError> {
        database.outlive_power_cuts()?;
        Ok(Box::new(sql_queue::SqlQueue { database, lease, clock }))
    }
    match address {
        Address::Sqlite(path) => ready(Sqlite::open(path)?, lease, clock),
        Address::Postgres(url) => ready(Postgres::open(url)?, lease, clock),
    }
}
