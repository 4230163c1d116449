//! Both sides' contexts.

use tlslab_protocol::{Scenario, Side};

use crate::timing::meter::Meter;
use crate::timing::phase::Phase;
use crate::{Endpoint, Material, Unready};

/// The client's context and the server's.
pub(crate) struct Contexts<E: Endpoint> {
    pub client: E::Context,
    pub server: E::Context,
}

impl<E: Endpoint> Contexts<E> {
    /// Makes both contexts.
    pub(crate) fn make<M: Meter>(
        endpoint: &E,
        scenario: &Scenario,
        material: &Material,
        meter: &mut M,
    ) -> Result<Self, Unready> {
        meter.enter(Side::Client, Phase::Context);
        let client = endpoint.context(Side::Client, scenario, material)?;
        meter.enter(Side::Server, Phase::Context);
        let server = endpoint.context(Side::Server, scenario, material)?;
        meter.leave();
        Ok(Self { client, server })
    }

    /// The library and contexts from which connections are made.
    pub(crate) fn place<'a>(&'a self, endpoint: &'a E) -> Place<'a, E> {
        Place { endpoint, client: &self.client, server: &self.server }
    }
}

/// A library and the contexts of both sides.
pub(crate) struct Place<'a, E: Endpoint> {
    pub endpoint: &'a E,
    pub client: &'a E::Context,
    pub server: &'a E::Context,
}

impl<E: Endpoint> Clone for Place<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<E: Endpoint> Copy for Place<'_, E> {}
