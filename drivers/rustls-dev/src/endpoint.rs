//! Both sides of rustls behind the kit's contract.

use std::cell::RefCell;

use tlslab_driver_kit::protocol::{Scenario, Side, SideFacts};
use tlslab_driver_kit::{
    Assignment, Buffer, Endpoint, EndpointError, Identity, Material, Primitive, Progress, Unready,
};

use crate::connection::{OneSide, Scratch};
use crate::context::Context;
use crate::sessions::Session;
use crate::{identity, primitive};

/// rustls with the provider that was built in.
pub struct Rustls;

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

/// Lends the buffers that all connections of a thread share.
fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| work(&mut scratch.borrow_mut()))
}

impl Endpoint for Rustls {
    type Context = Context;
    type Connection = OneSide;
    type Session = Session;

    fn identity(&self) -> Identity {
        identity::identity()
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
        Context::new(side, scenario, material)
    }

    fn create(&self, context: &Context) -> Result<OneSide, EndpointError> {
        OneSide::new(context)
    }

    fn session(&self, client: &mut OneSide) -> Result<Option<Session>, EndpointError> {
        Ok(client.take_session())
    }

    fn resume(&self, client: &Context, session: Session) -> Result<OneSide, EndpointError> {
        client.put_session(session);
        OneSide::new(client)
    }

    fn make_key_share(&self, server: &mut OneSide) -> Result<(), EndpointError> {
        server.make_key_share()
    }

    fn send_early(
        &self,
        client: &mut OneSide,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        with_scratch(|scratch| client.send_early(plaintext, scratch, output))
    }

    fn handshake_early(
        &self,
        server: &mut OneSide,
        input: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        with_scratch(|scratch| server.shake_hands_early(input, scratch, output, plaintext))?;
        Ok(if server.is_handshaking() { Progress::Continues } else { Progress::Done })
    }

    fn handshake(
        &self,
        connection: &mut OneSide,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        with_scratch(|scratch| connection.shake_hands(input, scratch, output))?;
        Ok(if connection.is_handshaking() { Progress::Continues } else { Progress::Done })
    }

    fn send(
        &self,
        connection: &mut OneSide,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        with_scratch(|scratch| connection.write(plaintext, scratch, output))
    }

    fn receive(
        &self,
        connection: &mut OneSide,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        with_scratch(|scratch| connection.read(input, scratch, plaintext))
    }

    fn facts(&self, connection: &OneSide) -> SideFacts {
        connection.facts()
    }

    fn primitive(
        &self,
        assignment: &Assignment,
        material: &Material,
    ) -> Result<Box<dyn Primitive + '_>, Unready> {
        primitive::primitive(assignment, material)
    }
}
