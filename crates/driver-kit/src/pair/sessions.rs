//! The sessions that handshakes resume, and the checks that distinguish such a handshake from a full one.

use tlslab_protocol::Resumption;

use super::stopped::Stopped;
use crate::Endpoint;
use crate::timing::clock::now_ns;

/// An older session is not resumed.
const MOST_AGE_NS: u64 = 60_000_000_000;

/// State that passes from one connection to the next.
pub(crate) struct Sessions<E: Endpoint> {
    /// Whether handshakes resume sessions at all.
    pub wanted: bool,
    /// Whether every connection uses the same session.
    reused: bool,
    /// The session of the previous connection, or the one for all connections.
    pub next: Option<E::Session>,
    /// When it was stored.
    left_ns: u64,
    /// The length of the server's certificate, which every full handshake carries.
    leaf_bytes: u64,
    /// The length of the server's flight in a full handshake.
    pub full_bytes: u64,
}

impl<E: Endpoint> Sessions<E> {
    /// The state before any connection. `leaf_bytes` is the length of the server's certificate.
    pub(crate) fn new(resumption: Resumption, leaf_bytes: u64) -> Self {
        let (wanted, reused) = (resumption.takes_up_session(), resumption == Resumption::TicketReused);
        Self { wanted, reused, next: None, left_ns: 0, leaf_bytes, full_bytes: 0 }
    }

    /// Stores the session that a connection has left, unless one serves all connections.
    pub(crate) fn keep(&mut self, session: Option<E::Session>) {
        if !self.reused {
            self.leave(session);
        }
    }

    /// Stores a session.
    pub(crate) fn leave(&mut self, session: Option<E::Session>) {
        self.next = session;
        self.left_ns = now_ns();
    }

    /// The session to resume, if there is one; a copy, if one serves all connections.
    pub(crate) fn take(&mut self, endpoint: &E) -> Result<Option<E::Session>, Stopped> {
        match &self.next {
            Some(session) if self.reused => {
                endpoint.copy_session(session).map(Some).map_err(Stopped::of_session)
            }
            _ => Ok(self.next.take()),
        }
    }

    /// Drops an old session: some libraries expire sessions after minutes, and there may be more between two
    /// slices.
    pub(crate) fn forget_old(&mut self) {
        if self.next.is_some() && now_ns() - self.left_ns > MOST_AGE_NS {
            self.next = None;
        }
    }

    /// Checks a full handshake: a server that sends less than its certificate has not authenticated itself.
    pub(crate) fn check_full(&self, server_flight: u64) -> Result<(), Stopped> {
        if server_flight >= self.leaf_bytes {
            return Ok(());
        }
        let leaf = self.leaf_bytes;
        Err(Stopped::of_handshake(format!(
            "the server sent {server_flight} bytes, less than its certificate's {leaf}: this was no full handshake"
        )))
    }

    /// Checks a resumed handshake: without its certificate a server sends much less than with it.
    pub(crate) fn check_resumed(&self, server_flight: u64) -> Result<(), Stopped> {
        if server_flight + self.leaf_bytes / 2 < self.full_bytes {
            return Ok(());
        }
        let full = self.full_bytes;
        Err(Stopped::of_handshake(format!(
            "the server sent {server_flight} bytes where a full handshake has {full}: no session was taken up"
        )))
    }
}
