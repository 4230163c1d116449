//! The two ends of one connection.

use tlslab_protocol::Side;

use super::link::Link;
use crate::Endpoint;
use crate::timing::meter::Meter;
use crate::timing::phase::Phase;

/// The two ends of one connection.
pub(crate) struct Ends<E: Endpoint> {
    pub client: E::Connection,
    pub server: E::Connection,
    pub link: Link,
}

/// Frees both ends, each on its own clock.
pub(crate) fn free<E: Endpoint, M: Meter>(ends: Ends<E>, meter: &mut M) {
    let Ends { client, server, link } = ends;
    meter.enter(Side::Client, Phase::Free);
    drop(client);
    drop(link.client);
    meter.enter(Side::Server, Phase::Free);
    drop(server);
    drop(link.server);
    meter.leave();
}
