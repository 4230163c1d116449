//! The client's memory of sessions: room for one, which the kit takes out and puts back.

use std::sync::Arc;

use rustls::ClientConfig;
use rustls::client::{ClientSessionStore, Resumption as Memory, Tls12Resumption};
use tlslab_driver_kit::protocol::{Resumption, Scenario};

use crate::api::{GivenKey, Key, NamedGroup, Tls12Session, Tls13Session};
use crate::latest::Latest;

/// The session that a connection resumes.
#[derive(Debug)]
pub enum Session {
    Tls12(Tls12Session),
    Tls13(Tls13Session),
}

/// Has a client look into `latest` where the scenario takes up sessions.
pub fn remember(config: &mut ClientConfig, latest: &Arc<Latest<Session>>, scenario: &Scenario) {
    let tls12 = match scenario.resumption {
        Resumption::SessionId => Tls12Resumption::SessionIdOnly,
        _ => Tls12Resumption::SessionIdOrTickets,
    };
    config.resumption = match scenario.resumption {
        // What a client asks for by default, without a session to take up.
        _ if scenario.defaults => Memory::store(latest.clone()),
        Resumption::None => Memory::disabled(),
        _ => Memory::store(latest.clone()).tls12_resumption(tls12),
    };
}

impl ClientSessionStore for Latest<Session> {
    /// One group is pinned, so there is nothing to remember.
    fn set_kx_hint(&self, _: GivenKey<'_>, _: NamedGroup) {}

    fn kx_hint(&self, _: &Key<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: GivenKey<'_>, session: Tls12Session) {
        self.put(Some(Session::Tls12(session)));
    }

    fn tls12_session(&self, _: &Key<'_>) -> Option<Tls12Session> {
        match &*self.room() {
            Some(Session::Tls12(session)) => Some(session.clone()),
            _ => None,
        }
    }

    fn remove_tls12_session(&self, _: &Key<'static>) {
        self.put(None);
    }

    fn insert_tls13_ticket(&self, _: GivenKey<'_>, ticket: Tls13Session) {
        self.put(Some(Session::Tls13(ticket)));
    }

    fn take_tls13_ticket(&self, _: &Key<'static>) -> Option<Tls13Session> {
        let mut room = self.room();
        match room.take() {
            Some(Session::Tls13(ticket)) => Some(ticket),
            other => {
                *room = other;
                None
            }
        }
    }
}
