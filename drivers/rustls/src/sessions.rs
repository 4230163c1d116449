//! The client's memory of sessions: room for one, which the kit takes out and puts back.

use rustls::NamedGroup;
use rustls::client::{ClientSessionStore, Tls12ClientSessionValue, Tls13ClientSessionValue};
use rustls::pki_types::ServerName;

use crate::latest::Latest;

/// What a connection takes up.
#[derive(Debug)]
pub enum Session {
    Tls12(Tls12ClientSessionValue),
    Tls13(Tls13ClientSessionValue),
}

impl ClientSessionStore for Latest<Session> {
    /// One group is pinned, so there is nothing to remember.
    fn set_kx_hint(&self, _: ServerName<'static>, _: NamedGroup) {}

    fn kx_hint(&self, _: &ServerName<'_>) -> Option<NamedGroup> {
        None
    }

    fn set_tls12_session(&self, _: ServerName<'static>, session: Tls12ClientSessionValue) {
        self.put(Some(Session::Tls12(session)));
    }

    fn tls12_session(&self, _: &ServerName<'_>) -> Option<Tls12ClientSessionValue> {
        match &*self.room() {
            Some(Session::Tls12(session)) => Some(session.clone()),
            _ => None,
        }
    }

    fn remove_tls12_session(&self, _: &ServerName<'static>) {
        self.put(None);
    }

    fn insert_tls13_ticket(&self, _: ServerName<'static>, ticket: Tls13ClientSessionValue) {
        self.put(Some(Session::Tls13(ticket)));
    }

    fn take_tls13_ticket(&self, _: &ServerName<'static>) -> Option<Tls13ClientSessionValue> {
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
