//! Of two sides that stop, the first has the reason: the other was only waiting for it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::stopped::Stopped;

/// State by which two threads learn that the other has stopped.
#[derive(Default)]
pub(super) struct FirstStop {
    /// Whether either has stopped.
    pub over: AtomicBool,
    stopped: Mutex<Option<Stopped>>,
}

impl FirstStop {
    /// Does a side's work, and records if it stops.
    pub(super) fn noting<T>(&self, work: impl FnOnce() -> Result<T, Stopped>) -> Option<T> {
        match work() {
            Ok(done) => Some(done),
            Err(stopped) => {
                let mut first = self.stopped.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
                first.get_or_insert(stopped);
                drop(first);
                self.over.store(true, Ordering::Release);
                None
            }
        }
    }

    /// Whether either has stopped.
    pub(super) fn is_over(&self) -> bool {
        self.over.load(Ordering::Acquire)
    }

    /// The side that stopped first, if any.
    pub(super) fn into_inner(self) -> Option<Stopped> {
        self.stopped.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
