//! Both sides of rustls behind the kit's contract.

use std::mem;
use std::sync::Arc;

use tlslab_driver_kit::protocol::{Scenario, Side, SideFacts};
use tlslab_driver_kit::{
    Assignment, Buffer, Endpoint, EndpointError, Identity, Material, Primitive, Progress, Unready,
};

use crate::context::Context;
use crate::latest::Latest;
use crate::provider::PreparedGroup;
use crate::sessions::Session;
use crate::transport::Stream;
use crate::{identity, primitive};

/// rustls with the provider that was built in.
pub struct Rustls;

/// One side of a connection.
pub struct Connection {
    pub stream: Stream,
    /// The store of a client's session.
    pub latest: Option<Arc<Latest<Session>>>,
    /// The store of a server's pregenerated key share.
    pub prepared: Option<&'static PreparedGroup>,
    /// Whether it has sent its closing alert.
    pub has_closed: bool,
}

impl Endpoint for Rustls {
    type Context = Context;
    type Connection = Connection;
    type Session = Session;

    fn identity(&self) -> Identity {
        identity::identity()
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
        Context::new(side, scenario, material)
    }

    fn create(&self, context: &Context) -> Result<Connection, EndpointError> {
        Stream::create(context)
    }

    fn session(&self, client: &mut Connection) -> Result<Option<Session>, EndpointError> {
        Ok(client.latest.as_ref().and_then(|latest| latest.take()))
    }

    fn resume(&self, client: &Context, session: Session) -> Result<Connection, EndpointError> {
        if let Context::Client(_, _, latest) = client {
            latest.put(Some(session));
        }
        self.create(client)
    }

    fn make_key_share(&self, server: &mut Connection) -> Result<(), EndpointError> {
        let prepared =
            server.prepared.ok_or_else(|| EndpointError("nothing is to be prepared".to_owned()))?;
        Ok(prepared.begin()?)
    }

    fn send_early(
        &self,
        client: &mut Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        client.stream.send_early(plaintext, output)
    }

    fn handshake_early(
        &self,
        server: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        server.stream.handshake_early(input, output, plaintext)
    }

    fn handshake(
        &self,
        connection: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        connection.stream.handshake(input, output)
    }

    fn send(
        &self,
        connection: &mut Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        connection.stream.send(plaintext, output)
    }

    fn receive(
        &self,
        connection: &mut Connection,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        connection.stream.receive(input, plaintext)
    }

    fn close(
        &self,
        connection: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let has_closed = mem::replace(&mut connection.has_closed, true);
        connection.stream.close(input, output, !has_closed)
    }

    fn facts(&self, connection: &Connection) -> SideFacts {
        connection.stream.facts()
    }

    fn primitive(
        &self,
        assignment: &Assignment,
        material: &Material,
    ) -> Result<Box<dyn Primitive + '_>, Unready> {
        primitive::primitive(assignment, material)
    }
}
