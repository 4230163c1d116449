//! Of two sides that stop, the first says why: the other has but waited for it.

use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

use super::stopped::Stopped;

/// What two threads know of each other's end.
#[derive(Default)]
pub(super) struct FirstStop {
    /// Whether either has stopped.
    pub over: AtomicBool,
    stopped: Mutex<Option<Stopped>>,
}

impl FirstStop {
    /// Does a side's work, and notes if it stops.
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

    /// Who stopped first, if anybody did.
    pub(super) fn into_inner(self) -> Option<Stopped> {
        self.stopped.into_inner().unwrap_or_else(|poisoned| poisoned.into_inner())
    }
}
