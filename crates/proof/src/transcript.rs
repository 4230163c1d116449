//! A connection's flights as records, with the hello messages parsed.

use tlslab_protocol::{Flight, ProtocolVersion, Side, Step};

use crate::BySide;
use crate::wire::{
    ClearHandshake, ClientHello, ContentType, Message, Record, ServerHello, WireError, handshake_bytes,
    messages, records,
};

/// A connection of TLS 1.2 or 1.3.
pub(crate) struct Transcript<'f> {
    /// The client's first ClientHello.
    pub client_hello: ClientHello,
    /// The number of ClientHellos.
    pub client_hellos: usize,
    /// The ClientHello that answers a HelloRetryRequest.
    pub second_client_hello: Option<ClientHello>,
    /// The ServerHello that is not a HelloRetryRequest.
    pub server_hello: ServerHello,
    /// Whether a HelloRetryRequest came before it.
    pub hello_retry_request: bool,
    /// The cleartext handshake of TLS 1.2; `None` in TLS 1.3, which encrypts it.
    pub clear: Option<BySide<ClearHandshake>>,
    /// All flights in order.
    pub flights: Vec<ReadFlight<'f>>,
}

/// A flight as records.
pub(crate) struct ReadFlight<'f> {
    pub from: Side,
    pub part: Part,
    pub records: Vec<Record<'f>>,
}

/// The part of a connection that a flight belongs to, by its content rather than by its label.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The client's hello messages, and early data if there is some.
    ClientFirst,
    /// The server's flight, up to its Finished.
    Server,
    /// The client's flight with its Finished.
    ClientSecond,
    /// After both of these and before data.
    PostHandshake,
    /// Application data.
    Data,
    /// Closing alerts.
    Close,
}

/// Why there is no transcript.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TranscriptError {
    /// A flight is not made of whole records.
    #[error("flight {number}, from the {from}: {cause}")]
    Flight { number: usize, from: Side, cause: WireError },
    /// The hello messages are not what they should be.
    #[error("what the {from} sends in the clear: {cause}")]
    Hello { from: Side, cause: WireError },
    /// The version is another one, with another structure.
    #[error("{0}")]
    OtherVersion(ProtocolVersion),
}

impl<'f> Transcript<'f> {
    /// Reads the flights of a connection in order.
    pub(crate) fn read(flights: &'f [Flight]) -> Result<Self, TranscriptError> {
        let flights = read_records(flights)?;
        let hello = |from| move |cause| TranscriptError::Hello { from, cause };
        let client = handshake_of(&flights, Side::Client);
        let (client_hello, more_client) =
            first(&client, "ClientHello", ClientHello::parse).map_err(hello(Side::Client))?;
        let server = handshake_of(&flights, Side::Server);
        let (server_hello, more_server) =
            first(&server, "ServerHello", ServerHello::parse).map_err(hello(Side::Server))?;
        match server_hello.version {
            ProtocolVersion::TLS13 => {
                Self::encrypted(&flights, Hellos { client_hello, more_client, server_hello, more_server })
            }
            ProtocolVersion::TLS12 => Self::in_the_clear(&flights, client_hello, server_hello),
            other => Err(TranscriptError::OtherVersion(other)),
        }
    }

    /// TLS 1.3: everything after the hello messages is encrypted.
    fn encrypted(flights: &[RawFlight<'f>], hellos: Hellos<'_>) -> Result<Self, TranscriptError> {
        let hello = |from| move |cause| TranscriptError::Hello { from, cause };
        let Hellos { client_hello, more_client, mut server_hello, mut more_server } = hellos;
        let hello_retry_request = server_hello.hello_retry_request;
        if hello_retry_request {
            (server_hello, more_server) =
                first(more_server, "ServerHello", ServerHello::parse).map_err(hello(Side::Server))?;
        }
        nothing_but(more_server, &[], "nothing more in the clear").map_err(hello(Side::Server))?;
        let more_hellos = nothing_but(more_client, &[ClientHello::MESSAGE_TYPE], "nothing but a ClientHello")
            .map_err(hello(Side::Client))?;
        let second = (more_hellos > 0).then(|| first(more_client, "ClientHello", ClientHello::parse));
        let second_client_hello = second.transpose().map_err(hello(Side::Client))?.map(|(second, _)| second);
        let flights = parts(flights, ProtocolVersion::TLS13);
        let client_hellos = 1 + more_hellos;
        Ok(Self {
            client_hello,
            client_hellos,
            second_client_hello,
            server_hello,
            hello_retry_request,
            clear: None,
            flights,
        })
    }

    /// TLS 1.2: everything up to each side's ChangeCipherSpec is cleartext.
    fn in_the_clear(
        flights: &[RawFlight<'f>],
        client_hello: ClientHello,
        server_hello: ServerHello,
    ) -> Result<Self, TranscriptError> {
        let mut client_hellos = 0;
        let mut read = |from| -> Result<ClearHandshake, WireError> {
            let mut clear = ClearHandshake::default();
            for message in messages(&clear_handshake_of(flights, from)) {
                let message = message?;
                client_hellos += usize::from(message.message_type == ClientHello::MESSAGE_TYPE);
                clear.read(&message, server_hello.suite)?;
            }
            Ok(clear)
        };
        let hello = |from| move |cause| TranscriptError::Hello { from, cause };
        let clear = BySide {
            client: read(Side::Client).map_err(hello(Side::Client))?,
            server: read(Side::Server).map_err(hello(Side::Server))?,
        };
        let flights = parts(flights, ProtocolVersion::TLS12);
        let (clear, hello_retry_request, second_client_hello) = (Some(clear), false, None);
        Ok(Self {
            client_hello,
            client_hellos,
            second_client_hello,
            server_hello,
            hello_retry_request,
            clear,
            flights,
        })
    }

    /// The lengths of records that the client sent as application data with a ClientHello, before it had
    /// received anything.
    pub(crate) fn early_records(&self) -> impl Iterator<Item = usize> {
        let records = self.part(Part::ClientFirst).flat_map(|flight| &flight.records);
        let encrypted = records.filter(|record| record.content_type == ContentType::ApplicationData);
        encrypted.map(|record| record.fragment.len())
    }

    /// Whether the session was resumed: in TLS 1.3 the server accepted a pre-shared key; in TLS 1.2 it
    /// presented no certificate, and the client had nothing to answer.
    pub(crate) fn resumed(&self) -> bool {
        match &self.clear {
            Some(clear) => clear.server.certificate.is_none() && clear.client.answer.is_none(),
            None => self.server_hello.pre_shared_key,
        }
    }

    /// The flights of one part.
    pub(crate) fn part(&self, part: Part) -> impl Iterator<Item = &ReadFlight<'f>> {
        self.flights.iter().filter(move |flight| flight.part == part)
    }

    /// The bytes on the wire of one side in one part.
    pub(crate) fn wire_bytes(&self, from: Side, part: Part) -> u64 {
        let flights = self.part(part).filter(|flight| flight.from == from);
        flights.flat_map(|flight| &flight.records).map(|record| record.wire_bytes() as u64).sum()
    }

    /// The bytes of TLS 1.3's encrypted handshake messages of one side in one part, including padding:
    /// without the tag and the type that every record has.
    pub(crate) fn encrypted_bytes(&self, from: Side, part: Part) -> u64 {
        let flights = self.part(part).filter(|flight| flight.from == from);
        let records = flights.flat_map(|flight| &flight.records);
        let encrypted = records.filter(|record| record.content_type == ContentType::ApplicationData);
        encrypted.map(|record| record.fragment.len().saturating_sub(TAG_AND_TYPE_BYTES) as u64).sum()
    }

    /// The records of one side in one part.
    pub(crate) fn record_count(&self, from: Side, part: Part) -> u64 {
        self.part(part).filter(|flight| flight.from == from).map(|flight| flight.records.len() as u64).sum()
    }
}

/// The overhead of every encrypted record of TLS 1.3, bytes: a tag of 16 bytes and the content's type.
const TAG_AND_TYPE_BYTES: usize = 17;

/// A flight as records, before its part is known.
struct RawFlight<'f> {
    from: Side,
    step: Step,
    records: Vec<Record<'f>>,
}

/// The first hello messages, and the handshake's bytes after them.
struct Hellos<'b> {
    client_hello: ClientHello,
    more_client: &'b [u8],
    server_hello: ServerHello,
    more_server: &'b [u8],
}

fn read_records(flights: &[Flight]) -> Result<Vec<RawFlight<'_>>, TranscriptError> {
    let mut read = Vec::new();
    for (index, flight) in flights.iter().enumerate() {
        let from = flight.from;
        let records = records(&flight.wire).map_err(|cause| TranscriptError::Flight {
            number: index + 1,
            from,
            cause,
        })?;
        read.push(RawFlight { from, step: flight.step, records });
    }
    Ok(read)
}

/// Everything in one side's handshake records.
fn handshake_of(flights: &[RawFlight<'_>], from: Side) -> Vec<u8> {
    let flights = flights.iter().filter(|flight| flight.from == from);
    flights.flat_map(|flight| handshake_bytes(&flight.records)).collect()
}

/// Everything in one side's handshake records before its ChangeCipherSpec, after which TLS 1.2 encrypts them.
fn clear_handshake_of(flights: &[RawFlight<'_>], from: Side) -> Vec<u8> {
    let flights = flights.iter().filter(|flight| flight.from == from);
    let records = flights.flat_map(|flight| &flight.records);
    let clear: Vec<Record<'_>> =
        records.take_while(|record| record.content_type != ContentType::ChangeCipherSpec).cloned().collect();
    handshake_bytes(&clear)
}

fn parts<'f>(flights: &[RawFlight<'f>], version: ProtocolVersion) -> Vec<ReadFlight<'f>> {
    // The record that ends a side's cleartext. In TLS 1.3 the ChangeCipherSpec has no meaning.
    let encrypted = match version {
        ProtocolVersion::TLS12 => ContentType::ChangeCipherSpec,
        _ => ContentType::ApplicationData,
    };
    let mut client_finished = false;
    let mut read = Vec::new();
    for RawFlight { from, step, records } in flights {
        let is_encrypted = records.iter().any(|record| record.content_type == encrypted);
        let opens = records.first().is_some_and(|record| record.content_type == ContentType::Handshake);
        let part = match (step, from) {
            (Step::Data, _) => Part::Data,
            (Step::Close, _) => Part::Close,
            (Step::PostHandshake, _) => Part::PostHandshake,
            // In a full handshake of TLS 1.2 the server's Finished comes last.
            (Step::Handshake, Side::Server) if version == ProtocolVersion::TLS12 => Part::Server,
            (Step::Handshake, _) if client_finished => Part::PostHandshake,
            (Step::Handshake, Side::Server) => Part::Server,
            // Early data comes with the ClientHello.
            (Step::Handshake, Side::Client)
                if is_encrypted && !(opens && version == ProtocolVersion::TLS13) =>
            {
                Part::ClientSecond
            }
            (Step::Handshake, Side::Client) => Part::ClientFirst,
        };
        client_finished |= part == Part::ClientSecond;
        read.push(ReadFlight { from: *from, part, records: records.clone() });
    }
    read
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
