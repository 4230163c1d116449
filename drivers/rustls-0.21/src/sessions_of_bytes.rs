//! The client's memory of sessions in rustls 0.20, which stores them as bytes: room for one, which the kit takes out and puts
//! back.

use rustls::client::StoresClientSessions;

use crate::latest::Latest;

/// What a connection takes up: the name under which rustls looks for it, and the session.
pub type Session = (Vec<u8>, Vec<u8>);

impl StoresClientSessions for Latest<Session> {
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
