//! Short connections with an endpoint that does nothing, and with some that close in the wrong way.

use tlslab_protocol::{Outcome, Scenario, Side, SideFacts, Step, Transport, Work};

use crate::calibrate::null::{Null, NullConnection};
use crate::pair::Pair;
use crate::pair::verify::verify;
use crate::{Buffer, Endpoint, EndpointError, Identity, Material, NoSession, Progress, Unready};

/// A way to close.
#[derive(Clone, Copy)]
enum Way {
    Right,
    /// The client reports its peer's alert before it came.
    Early,
    /// The server takes the client's alert without sending its own.
    Silent,
    /// The server sends its alert without having seen the client's.
    Blind,
    /// The client answers the server's alert.
    Chatty,
}

/// Does nothing, and closes in one of the ways.
struct Closing(Way);

impl Endpoint for Closing {
    type Context = Side;
    type Connection = NullConnection;
    type Session = NoSession;

    fn identity(&self) -> Identity {
        Null.identity()
    }

    fn context(&self, side: Side, _: &Scenario, _: &Material) -> Result<Side, Unready> {
        Ok(side)
    }

    fn create(&self, side: &Side) -> Result<NullConnection, EndpointError> {
        Null.create(side)
    }

    fn handshake(
        &self,
        connection: &mut NullConnection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        Null.handshake(connection, input, output)
    }

    fn send(
        &self,
        connection: &mut NullConnection,
        data: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        Null.send(connection, data, output)
    }

    fn receive(
        &self,
        connection: &mut NullConnection,
        input: &[u8],
        data: &mut Buffer,
    ) -> Result<(), EndpointError> {
        Null.receive(connection, input, data)
    }

    fn close(
        &self,
        connection: &mut NullConnection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let before = output.len();
        let progress = Null.close(connection, input, output)?;
        let is_server = output.len() > before && !input.is_empty();
        match self.0 {
            Way::Early if input.is_empty() => return Ok(Progress::Done),
            Way::Silent if is_server => output.truncate(before),
            Way::Blind if is_server => return Ok(Progress::Continues),
            Way::Chatty if output.is_empty() => output.advance(1),
            _ => {}
        }
        Ok(progress)
    }

    fn facts(&self, connection: &NullConnection) -> SideFacts {
        Null.facts(connection)
    }
}

const REQUEST: Work = Work::Request { request_bytes: 200, response_bytes: 8192 };

fn pair(endpoint: &Closing, transport: Transport) -> Pair<'_, Closing> {
    let scenario = Scenario { transport, ..Scenario::plain(REQUEST) };
    Pair::new(endpoint, scenario, Material::none()).unwrap()
}

#[test]
fn a_request_goes_one_way_its_response_the_other_and_both_sides_close() {
    for transport in [Transport::Memory, Transport::Loopback] {
        let measured = pair(&Closing(Way::Right), transport).slice(5).unwrap();
        let (client, server) = (&measured.client, &measured.server);
        assert_eq!((client.plaintext_sent, client.plaintext_received), (1_000, 40_960));
        assert_eq!((server.plaintext_sent, server.plaintext_received), (40_960, 1_000));
        // A byte for each flight of the handshake and for each alert.
        assert_eq!((client.wire_bytes, server.wire_bytes), (5 * (2 + 200 + 1), 5 * (1 + 8192 + 1)));
        assert!(client.phases.total_ns() + server.phases.total_ns() <= measured.elapsed_ns);
        for side in [client, server] {
            let phases = side.phases;
            let parts = [phases.create_ns, phases.handshake_ns, phases.send_ns, phases.receive_ns];
            assert!(parts.iter().all(|ns| *ns > 0) && phases.close_ns > 0 && phases.free_ns > 0);
            assert_eq!(side.latencies.total(), 5);
        }
        if transport == Transport::Memory {
            assert_eq!((client.clock_reads, server.clock_reads), (5 * 8, 5 * 7));
        }
    }
}

#[test]
fn a_verified_connection_shows_request_response_and_alerts_in_their_order() {
    let Outcome::Completed(facts) = verify(&mut pair(&Closing(Way::Right), Transport::Memory), None) else {
        panic!("refused");
    };
    assert_eq!(facts.plaintext_sent, 8_392);
    let shown: Vec<(Side, Step, usize)> = facts
        .flights
        .iter()
        .filter(|flight| flight.step != Step::Handshake)
        .map(|flight| (flight.from, flight.step, flight.wire.len()))
        .collect();
    let expected = [
        (Side::Client, Step::Data, 200),
        (Side::Server, Step::Data, 8192),
        (Side::Client, Step::Close, 1),
        (Side::Server, Step::Close, 1),
    ];
    assert_eq!(shown, expected);
}

#[test]
fn a_connection_that_is_not_closed_by_both_sides_is_a_failure() {
    let said = |way| pair(&Closing(way), Transport::Memory).slice(1).unwrap_err();
    let early =
        "the client stopped while it closed: it reports its peer's closing alert before that was sent";
    assert_eq!(said(Way::Early), early);
    assert_eq!(said(Way::Silent), "the server stopped while it closed: it sent no closing alert");
    let blind = "the server stopped while it closed: it has not seen its peer's closing alert";
    assert_eq!(said(Way::Blind), blind);
    assert_eq!(said(Way::Chatty), "the client stopped while it closed: it sent more after its closing alert");
}
