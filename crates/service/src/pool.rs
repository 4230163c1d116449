//! Connections to the queue's database. The service waits for a database that is away; it never ends because
//! of it.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tlslab_queue::{LEASE, Queue, QueueError};
use tlslab_store::Address;

/// Connections that are kept open for the next call.
const KEPT: usize = 8;

/// A database, and connections to it.
pub(crate) struct Pool {
    address: Address,
    lease: Duration,
    idle: Mutex<Vec<Box<dyn Queue>>>,
    /// A file has one writer at a time: waiting here is fair, and takes no processor time.
    turn: Option<Mutex<()>>,
    /// A clock that a test moves.
    clock: Arc<AtomicU64>,
}

impl Pool {
    /// Of a database that need not be there yet.
    pub(crate) fn new(address: Address, lease: Option<Duration>) -> Self {
        let turn = matches!(address, Address::Sqlite(_)).then(Mutex::default);
        Self { address, lease: lease.unwrap_or(LEASE), idle: Mutex::default(), turn, clock: Arc::default() }
    }

    /// With another clock than the database's.
    #[cfg(test)]
    pub(crate) fn with_clock(self, clock: &Arc<AtomicU64>) -> Self {
        Self { clock: clock.clone(), ..self }
    }

    /// How long a lease lasts.
    pub(crate) fn lease(&self) -> Duration {
        self.lease
    }

    /// The database.
    pub(crate) fn address(&self) -> &Address {
        &self.address
    }

    /// Does something with a connection. One that failed is closed.
    pub(crate) fn with<T>(
        &self,
        work: impl FnOnce(&dyn Queue) -> Result<T, QueueError>,
    ) -> Result<T, QueueError> {
        let _turn = self.turn.as_ref().map(|turn| turn.lock().unwrap_or_else(PoisonError::into_inner));
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let queue = match idle {
            Some(queue) => queue,
            None => tlslab_queue::open_with_clock(&self.address, self.lease, self.clock.clone())?,
        };
        let done = work(&*queue);
        if !matches!(done, Err(QueueError::Store(_))) {
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            if idle.len() < KEPT {
                idle.push(queue);
            }
        } else {
            // The others may be as dead: they are opened again.
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).clear();
        }
        done
    }
}
