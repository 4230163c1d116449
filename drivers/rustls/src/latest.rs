//! Room for one session, which the kit takes out and puts back.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Room for the latest session. rustls looks into it when it makes a connection.
#[derive(Debug)]
pub struct Latest<S> {
    room: Mutex<Option<S>>,
    /// Whether nothing is kept, so that each connection is a client's first.
    forgets: bool,
}

impl<S> Default for Latest<S> {
    fn default() -> Self {
        Self { room: Mutex::new(None), forgets: false }
    }
}

impl<S> Latest<S> {
    /// A room that keeps nothing.
    pub fn forgetful() -> Self {
        Self { forgets: true, ..Self::default() }
    }

    /// Takes the session out.
    pub fn take(&self) -> Option<S> {
        self.room().take()
    }

    /// Puts a session in, or nothing.
    pub fn put(&self, session: Option<S>) {
        *self.room() = session.filter(|_| !self.forgets);
    }

    /// The room itself.
    pub fn room(&self) -> MutexGuard<'_, Option<S>> {
        self.room.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
