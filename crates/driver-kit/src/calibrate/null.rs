//! An endpoint that does nothing, in as many steps as TLS 1.3 has. Its time is the harness overhead.

use tlslab_protocol::{Capabilities, Library, Operation, Scenario, Side, SideFacts};

use crate::{Buffer, Endpoint, EndpointError, Identity, Material, NoSession, Primitive, Progress, Unready};

/// An endpoint that does nothing.
pub(crate) struct Null;

/// One side of a connection that does nothing.
pub(crate) struct NullConnection {
    side: Side,
    calls: u8,
}

impl Endpoint for Null {
    type Context = Side;
    type Connection = NullConnection;
    type Session = NoSession;

    fn identity(&self) -> Identity {
        Identity {
            driver: "null",
            library: Library { name: "null".into(), version: "0".into(), components: vec![] },
            capabilities: Capabilities::default(),
        }
    }

    fn context(&self, side: Side, _: &Scenario, _: &Material) -> Result<Side, Unready> {
        Ok(side)
    }

    #[inline(never)]
    fn create(&self, side: &Side) -> Result<NullConnection, EndpointError> {
        Ok(NullConnection { side: *side, calls: 0 })
    }

    #[inline(never)]
    fn handshake(
        &self,
        connection: &mut NullConnection,
        _: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        connection.calls += 1;
        // ClientHello, the server's flight, Finished: three flights, and none after the server's second call.
        if connection.side == Side::Client || connection.calls == 1 {
            output.advance(1);
        }
        Ok(if connection.calls == 2 { Progress::Done } else { Progress::Continues })
    }

    #[inline(never)]
    fn send(
        &self,
        _: &mut NullConnection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        output.advance(plaintext.len());
        Ok(())
    }

    #[inline(never)]
    fn receive(
        &self,
        _: &mut NullConnection,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        plaintext.advance(input.len());
        Ok(())
    }

    #[inline(never)]
    fn close(
        &self,
        connection: &mut NullConnection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        // The client's second call only takes the server's byte.
        if connection.side == Side::Server || input.is_empty() {
            output.advance(1);
        }
        Ok(if input.is_empty() { Progress::Continues } else { Progress::Done })
    }

    fn facts(&self, _: &NullConnection) -> SideFacts {
        SideFacts::default()
    }
}

/// Outputs one byte for any input.
pub(crate) struct NullPrimitive;

impl Primitive for NullPrimitive {
    #[inline(never)]
    fn run(&mut self, _: Operation, _: u64, _: &mut [u8], output: &mut Buffer) -> Result<(), EndpointError> {
        output.advance(1);
        Ok(())
    }
}
