//! The client's memory of sessions: room for one, which the kit takes out and puts back.

use rustls::client::{ClientSessionKey, ClientSessionStore, Tls12Session, Tls13Session};
use rustls::crypto::kx::NamedGroup;

use crate::latest::Latest;

/// What a connection takes up.
#[derive(Debug)]
pub enum Session {
    Tls12(Tls12Session),
    Tls13(Tls13Session),
}

impl ClientSessionStore for Latest<Session> {
    /// One group is pinned, so there is nothing to remember.
    fn set_kx_hint(&self, _: ClientSessionKey<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ClientSessionKey<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ClientSessionKey<'static>, session: Tls12Session) {
        self.put(Some(Session::Tls12(session)));
    }

    fn tls12_session(&self, _: &ClientSessionKey<'_>) -> Option<Tls12Session> {
        match &*self.room() {
            Some(Session::Tls12(session)) => Some(session.clone()),
            _ => None,
        }
    }

    fn remove_tls12_session(&self, _: &ClientSessionKey<'static>) {
        self.put(None);
    }

    fn insert_tls13_ticket(&self, _: ClientSessionKey<'static>, ticket: Tls13Session) {
        self.put(Some(Session::Tls13(ticket)));
    }

    fn take_tls13_ticket(&self, _: &ClientSessionKey<'static>) -> Option<Tls13Session> {
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
