//! Connections to the queue's database. The service waits for a database that is away; it never ends because
//! of it.

use std::collections::VecDeque;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

use tlslab_queue::{LEASE, Queue, QueueError};
use tlslab_store::Address;

/// Requests that use a server at once: more would wait for each other there, and each connection costs it
/// memory.
const MOST: usize = 12;

/// A database, and connections to it.
pub(crate) struct Pool {
    address: Address,
    lease: Duration,
    idle: Mutex<Vec<Box<dyn Queue>>>,
    line: Line,
    /// A clock that a test moves.
    clock: Arc<AtomicU64>,
}

impl Pool {
    /// Of a database that need not be there yet.
    pub(crate) fn new(address: Address, lease: Option<Duration>) -> Self {
        // A file has one writer at a time.
        let places = if matches!(address, Address::Sqlite(_)) { 1 } else { MOST };
        let line = Line::new(places);
        Self { address, lease: lease.unwrap_or(LEASE), idle: Mutex::default(), line, clock: Arc::default() }
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
        let _place = self.line.enter();
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let queue = match idle {
            Some(queue) => queue,
            None => self.open()?,
        };
        let done = work(&*queue);
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        match done {
            // The others may be as dead: they are opened again.
            Err(QueueError::Store(_)) => idle.clear(),
            _ => idle.push(queue),
        }
        done
    }

    /// A separate connection.
    pub(crate) fn open(&self) -> Result<Box<dyn Queue>, QueueError> {
        tlslab_queue::open_with_clock(&self.address, self.lease, self.clock.clone())
    }
}

/// So many may be at work at once; others wait in line, first come, first served, without processor time.
struct Line {
    state: Mutex<(usize, VecDeque<Arc<Condvar>>)>,
}

/// A place at work.
struct AtWork<'l>(&'l Line);

impl Line {
    fn new(places: usize) -> Self {
        Self { state: Mutex::new((places, VecDeque::new())) }
    }

    fn enter(&self) -> AtWork<'_> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.0 > 0 {
            state.0 -= 1;
            return AtWork(self);
        }
        let called = Arc::new(Condvar::new());
        state.1.push_back(called.clone());
        // A thread that leaves gives its place to the first in line and removes that one from it.
        while state.1.iter().any(|waiting| Arc::ptr_eq(waiting, &called)) {
            state = called.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        AtWork(self)
    }
}

impl Drop for AtWork<'_> {
    fn drop(&mut self) {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        match state.1.pop_front() {
            Some(first) => first.notify_one(),
            None => state.0 += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn never_more_are_at_work_than_there_are_places_and_all_get_one() {
        let (line, inside, most) = (Line::new(3), AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..16 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _place = line.enter();
                        let now = inside.fetch_add(1, Ordering::SeqCst) + 1;
                        most.fetch_max(now, Ordering::SeqCst);
                        std::thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
        assert_eq!(line.state.lock().unwrap().0, 3);
    }
}
