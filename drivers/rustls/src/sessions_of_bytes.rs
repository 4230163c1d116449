//! The client's memory of sessions in rustls 0.20, which stores them as bytes: room for one, which the kit takes out and puts
//! back.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::{NoClientSessionStorage, StoresClientSessions};
use tlslab_driver_kit::protocol::{ProtocolVersion, Resumption, Scenario};

use crate::latest::Latest;

/// The session that a connection resumes, and the name under which rustls looks for it.
pub type Session = (Vec<u8>, Vec<u8>);

/// Has a client look into `latest` where the scenario takes up sessions.
pub fn remember(config: &mut ClientConfig, latest: &Arc<Latest<Session>>, scenario: &Scenario) {
    config.session_storage = match scenario.resumption {
        Resumption::None => Arc::new(NoClientSessionStorage {}),
        _ => latest.clone(),
    };
    if scenario.defaults {
        return;
    }
    // In TLS 1.3 the setting says which kinds of pre-shared keys a client takes, without which there is no ticket.
    let by_name = matches!(scenario.resumption, Resumption::None | Resumption::SessionId);
    config.enable_tickets = !by_name || scenario.version == ProtocolVersion::TLS13;
}

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
