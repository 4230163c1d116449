//! The two ends of one connection.

use tlslab_protocol::Side;

use super::link::Link;
use crate::Endpoint;
use crate::memory::connection_buffer::ConnectionBuffer;
use crate::timing::meter::Meter;
use crate::timing::phase::Phase;

/// The two ends of one connection.
pub(crate) struct Ends<E: Endpoint> {
    pub client: E::Connection,
    pub server: E::Connection,
    pub link: Link,
    /// The client's and the server's.
    pub buffers: [ConnectionBuffer; 2],
}

/// Frees both ends, each on its own clock.
pub(crate) fn free<E: Endpoint, M: Meter>(ends: Ends<E>, meter: &mut M) {
    let Ends { client, server, link, buffers: [client_buffer, server_buffer] } = ends;
    meter.enter(Side::Client, Phase::Free);
    drop(client);
    drop(link.client);
    drop(client_buffer);
    meter.enter(Side::Server, Phase::Free);
    drop(server);
    drop(link.server);
    drop(server_buffer);
    meter.leave();
}
