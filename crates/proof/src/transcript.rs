//! A connection's flights as records, with the hello messages read.

use tlslab_protocol::{Flight, ProtocolVersion, Side, Step};

use crate::wire::{
    ClientHello, ContentType, Message, Record, ServerHello, WireError, handshake_bytes, messages, records,
};

/// A TLS 1.3 connection.
pub struct Transcript<'f> {
    /// The client's first ClientHello.
    pub client_hello: ClientHello,
    /// How many it sent.
    pub client_hellos: usize,
    /// The ServerHello that is not a HelloRetryRequest.
    pub server_hello: ServerHello,
    /// Whether a HelloRetryRequest came before it.
    pub hello_retry_request: bool,
    /// All flights in order.
    pub flights: Vec<ReadFlight<'f>>,
}

/// A flight as records.
pub struct ReadFlight<'f> {
    pub from: Side,
    pub part: Part,
    pub records: Vec<Record<'f>>,
}

/// Where in a connection a flight belongs, by what it is rather than by what it was called.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// The client's, with nothing encrypted in it.
    ClientFirst,
    /// The server's, before the client's Finished.
    Server,
    /// The client's, with its Finished.
    ClientSecond,
    /// After both of these and before data.
    PostHandshake,
    /// Application data.
    Data,
}

/// Why there is no transcript.
#[derive(Debug, thiserror::Error)]
pub enum TranscriptError {
    /// A flight is not made of whole records.
    #[error("flight {number}, from the {from}: {cause}")]
    Flight { number: usize, from: Side, cause: WireError },
    /// The hello messages are not what they should be.
    #[error("what the {from} sends in the clear: {cause}")]
    Hello { from: Side, cause: WireError },
    /// It is another version, and so has another shape.
    #[error("{0}")]
    OtherVersion(ProtocolVersion),
}

impl<'f> Transcript<'f> {
    /// Reads the flights of a connection in their order.
    pub fn read(flights: &'f [Flight]) -> Result<Self, TranscriptError> {
        let flights = read_flights(flights)?;
        let in_the_clear = |side: Side| -> Vec<u8> {
            flights
                .iter()
                .filter(|flight| flight.from == side)
                .flat_map(|flight| handshake_bytes(&flight.records))
                .collect()
        };
        let hello = |from| move |cause| TranscriptError::Hello { from, cause };
        let (client, server) = (in_the_clear(Side::Client), in_the_clear(Side::Server));

        let (client_hello, more_client) =
            first(&client, "ClientHello", ClientHello::parse).map_err(hello(Side::Client))?;
        let (mut server_hello, mut more_server) =
            first(&server, "ServerHello", ServerHello::parse).map_err(hello(Side::Server))?;
        if server_hello.version != ProtocolVersion::TLS13 {
            return Err(TranscriptError::OtherVersion(server_hello.version));
        }
        let hello_retry_request = server_hello.hello_retry_request;
        if hello_retry_request {
            (server_hello, more_server) =
                first(more_server, "ServerHello", ServerHello::parse).map_err(hello(Side::Server))?;
        }
        nothing_but(more_server, &[], "nothing more in the clear").map_err(hello(Side::Server))?;
        let more_hellos = nothing_but(more_client, &[ClientHello::MESSAGE_TYPE], "nothing but a ClientHello")
            .map_err(hello(Side::Client))?;
        Ok(Self { client_hello, client_hellos: 1 + more_hellos, server_hello, hello_retry_request, flights })
    }

    /// The flights of one part.
    pub fn part(&self, part: Part) -> impl Iterator<Item = &ReadFlight<'f>> {
        self.flights.iter().filter(move |flight| flight.part == part)
    }

    /// The bytes on the wire of one side in one part.
    pub fn wire_bytes(&self, from: Side, part: Part) -> u64 {
        let flights = self.part(part).filter(|flight| flight.from == from);
        flights.flat_map(|flight| &flight.records).map(|record| record.wire_bytes() as u64).sum()
    }

    /// The records of one side in one part.
    pub fn record_count(&self, from: Side, part: Part) -> u64 {
        self.part(part).filter(|flight| flight.from == from).map(|flight| flight.records.len() as u64).sum()
    }
}

fn read_flights(flights: &[Flight]) -> Result<Vec<ReadFlight<'_>>, TranscriptError> {
    let mut client_finished = false;
    let mut read = Vec::new();
    for (index, flight) in flights.iter().enumerate() {
        let records = records(&flight.wire).map_err(|cause| TranscriptError::Flight {
            number: index + 1,
            from: flight.from,
            cause,
        })?;
        let encrypted = records.iter().any(|record| record.content_type == ContentType::ApplicationData);
        let part = match (flight.step, flight.from) {
            (Step::Data, _) => Part::Data,
            (Step::PostHandshake, _) => Part::PostHandshake,
            (Step::Handshake, _) if client_finished => Part::PostHandshake,
            (Step::Handshake, Side::Server) => Part::Server,
            (Step::Handshake, Side::Client) if encrypted => Part::ClientSecond,
            (Step::Handshake, Side::Client) => Part::ClientFirst,
        };
        client_finished |= part == Part::ClientSecond;
        read.push(ReadFlight { from: flight.from, part, records });
    }
    Ok(read)
}

/// The first message, parsed, and the bytes after it.
fn first<'b, T>(
    handshake: &'b [u8],
    expected: &'static str,
    parse: fn(&Message<'_>) -> Result<T, WireError>,
) -> Result<(T, &'b [u8]), WireError> {
    let message = messages(handshake).next().ok_or(WireError::MissingMessage { expected })??;
    Ok((parse(&message)?, &handshake[message.message_bytes()..]))
}

/// How many messages there are, all of which must be of the given types.
fn nothing_but(handshake: &[u8], types: &[u8], expected: &'static str) -> Result<usize, WireError> {
    let mut count = 0;
    for message in messages(handshake) {
        let seen = message?.message_type;
        if !types.contains(&seen) {
            return Err(WireError::UnexpectedMessage { expected, seen });
        }
        count += 1;
    }
    Ok(count)
}
