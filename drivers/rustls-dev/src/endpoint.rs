//! Both sides of rustls behind the kit's contract.

use std::cell::RefCell;

use tlslab_driver_kit::protocol::{Scenario, Side, SideFacts};
use tlslab_driver_kit::{Buffer, Endpoint, EndpointError, Identity, Material, Progress, Unready};

use crate::connection::{OneSide, Scratch};
use crate::context::Context;
use crate::identity;
use crate::sessions::Session;

/// rustls with the provider that was built in.
#[derive(Default)]
pub struct Rustls {
    scratch: RefCell<Scratch>,
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
        client.send_early(plaintext, &mut self.scratch.borrow_mut(), output)
    }

    fn handshake_early(
        &self,
        server: &mut OneSide,
        input: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        server.shake_hands_early(input, &mut self.scratch.borrow_mut(), output, plaintext)?;
        Ok(if server.is_handshaking() { Progress::Continues } else { Progress::Done })
    }

    fn handshake(
        &self,
        connection: &mut OneSide,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        connection.shake_hands(input, &mut self.scratch.borrow_mut(), output)?;
        Ok(if connection.is_handshaking() { Progress::Continues } else { Progress::Done })
    }

    fn send(
        &self,
        connection: &mut OneSide,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        connection.write(plaintext, &mut self.scratch.borrow_mut(), output)
    }

    fn receive(
        &self,
        connection: &mut OneSide,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        connection.read(input, &mut self.scratch.borrow_mut(), plaintext)
    }

    fn facts(&self, connection: &OneSide) -> SideFacts {
        connection.facts()
    }
}
