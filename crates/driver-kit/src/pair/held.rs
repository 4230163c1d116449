//! State between requests of connections whose other side is in another process.

use crate::{Buffer, Endpoint};

/// Connections by their numbers, and the sessions that clients could resume.
pub(crate) struct Held<E: Endpoint> {
    /// Per side. A connection keeps its address for its life, as it would in a program.
    pub connections: [Vec<Option<One<E>>>; 2],
    pub sessions: Vec<Option<E::Session>>,
    /// Made at the first request of its kind, so that other requests do not pay for it.
    pub output: Option<Buffer>,
}

/// A connection, and the number of its handshake calls.
pub(crate) struct One<E: Endpoint> {
    pub connection: Box<E::Connection>,
    pub calls: usize,
}

impl<E: Endpoint> Default for Held<E> {
    fn default() -> Self {
        Self { connections: [Vec::new(), Vec::new()], sessions: Vec::new(), output: None }
    }
}
