//! Room for one session, which the kit takes out and puts back.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Room for the latest session. rustls looks into it when it makes a connection.
#[derive(Debug)]
pub struct Latest<S>(Mutex<Option<S>>);

impl<S> Default for Latest<S> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<S> Latest<S> {
    /// Takes the session out.
    pub fn take(&self) -> Option<S> {
        self.room().take()
    }

    /// Puts a session in, or nothing.
    pub fn put(&self, session: Option<S>) {
        *self.room() = session;
    }

    /// The room itself.
    pub fn room(&self) -> MutexGuard<'_, Option<S>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
