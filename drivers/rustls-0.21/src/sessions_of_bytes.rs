//! The client's memory of sessions in rustls 0.20, which stores them as bytes: room for one, which the kit takes out and puts
//! back.

use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::client::StoresClientSessions;

/// What a connection takes up: the name under which rustls looks for it, and the session.
pub type Session = (Vec<u8>, Vec<u8>);

/// Room for the latest session. rustls looks into it when it makes a connection.
#[derive(Default)]
pub struct Latest(Mutex<Option<Session>>);

impl Latest {
    /// Takes the session out.
    pub fn take(&self) -> Option<Session> {
        self.room().take()
    }

    /// Puts a session in, or nothing.
    pub fn put(&self, session: Option<Session>) {
        *self.room() = session;
    }

    fn room(&self) -> MutexGuard<'_, Option<Session>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StoresClientSessions for Latest {
    /// Keeps sessions. One group is pinned, so a hint at the server's group is nothing to remember.
    fn put(&self, name: Vec<u8>, session: Vec<u8>) -> bool {
        let is_session = name.starts_with(b"session");
        if is_session {
            Latest::put(self, Some((name, session)));
        }
        is_session
    }

    fn get(&self, name: &[u8]) -> Option<Vec<u8>> {
        self.room().as_ref().filter(|(known, _)| known == name).map(|(_, session)| session.clone())
    }
}
