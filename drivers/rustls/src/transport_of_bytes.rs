//! Bytes in and out of a connection that takes and gives plain byte buffers.

use std::cell::RefCell;
use std::mem;

use rustls::crypto::Identity;
use rustls::{ClientSide, CommonState, Error, HandshakeKind, ServerSide, SideData, SliceInput, Tcp};
use tlslab_driver_kit::protocol::{CipherSuite, Group, ProtocolVersion, SideFacts};
use tlslab_driver_kit::{Buffer, EndpointError, Progress};

use crate::context::Context;
use crate::endpoint::Connection;
use crate::point::Point as _;

/// Buffers that all connections of a thread share: the library decrypts in the one and appends to the other.
#[derive(Default)]
struct Scratch {
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

fn with_scratch<T>(work: impl FnOnce(&mut Scratch) -> T) -> T {
    SCRATCH.with(|scratch| work(&mut scratch.borrow_mut()))
}

/// One side of a connection. What is on the clock is inlined into the endpoint's calls.
pub struct Stream {
    side: Either,
    /// What the library wrote where nothing could be sent: the client's first flight, when it was made.
    unsent: Vec<u8>,
    /// The beginning of a record whose rest has not come yet; empty whenever records arrive whole.
    partial: Vec<u8>,
}

enum Either {
    Client(rustls::Connection<ClientSide, Tcp>),
    Server(rustls::Connection<ServerSide, Tcp>),
}

impl Stream {
    /// Makes one side of a connection.
    pub fn create(context: &Context) -> Result<Connection, EndpointError> {
        let (mut unsent, partial) = (Vec::new(), Vec::new());
        let (side, latest, prepared) = match context {
            Context::Client(config, name, latest) => {
                let client = config.connect(name.clone()).build(&mut unsent)?;
                (Either::Client(client), Some(latest.clone()), None)
            }
            Context::Server(config, prepared) => {
                (Either::Server(rustls::Connection::new(config.clone())?), None, *prepared)
            }
        };
        Ok(Connection { stream: Self { side, unsent, partial }, latest, prepared })
    }

    /// Goes on with a handshake.
    #[inline]
    pub fn handshake(&mut self, wire: &[u8], output: &mut Buffer) -> Result<Progress, EndpointError> {
        with_scratch(|scratch| {
            let taken = self.take_in(wire, scratch, |_| Err(early()));
            self.flush(output);
            // Where it failed, the alert that says so.
            output.append(&scratch.output);
            Ok::<_, EndpointError>(taken?)
        })?;
        Ok(self.progress())
    }

    /// Sends data as one write.
    #[inline]
    pub fn send(&mut self, plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        with_scratch(|Scratch { output: wire, .. }| {
            wire.clear();
            match &mut self.side {
                Either::Client(client) => client.write(plaintext.into(), wire),
                Either::Server(server) => server.write(plaintext.into(), wire),
            }?;
            self.flush(output);
            output.append(wire);
            Ok(())
        })
    }

    /// Receives data.
    #[inline]
    pub fn receive(&mut self, wire: &[u8], plaintext: &mut Buffer) -> Result<(), EndpointError> {
        with_scratch(|scratch| {
            self.take_in(wire, scratch, |payload| {
                plaintext.append(payload);
                Ok(())
            })?;
            self.unsent.extend_from_slice(&scratch.output);
            Ok(())
        })
    }

    /// Sends early data with a client's first flight.
    pub fn send_early(&mut self, plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        self.flush(output);
        let refused = || EndpointError("rustls takes no early data with this session".to_owned());
        let Either::Client(client) = &mut self.side else { return Err(refused()) };
        let mut early = client.early_data().ok_or_else(refused)?;
        with_scratch(|Scratch { output: wire, .. }| {
            wire.clear();
            let taken = early.write(plaintext.into(), wire)?;
            output.append(wire);
            let bytes = plaintext.len();
            let short = || EndpointError(format!("rustls took {taken} of {bytes} bytes of early data"));
            if taken < bytes { Err(short()) } else { Ok(()) }
        })
    }

    /// Goes on with a server's handshake, and reads the early data that it has accepted.
    pub fn handshake_early(
        &mut self,
        wire: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        with_scratch(|scratch| {
            self.begin(wire, scratch);
            let Scratch { input, output: answer } = scratch;
            let Either::Server(server) = &mut self.side else { return Err(early()) };
            let used = read_early(server, input, answer, plaintext)?;
            self.partial.extend_from_slice(&input[used..]);
            self.flush(output);
            output.append(answer);
            Ok(())
        })?;
        Ok(self.progress())
    }

    /// What the library reports.
    pub fn facts(&self) -> SideFacts {
        let common = self.common();
        SideFacts {
            version: common.protocol_version().map(|version| ProtocolVersion(version.point())),
            suite: common.negotiated_cipher_suite().map(|suite| CipherSuite(suite.suite().point())),
            group: common.negotiated_key_exchange_group().map(|group| Group(group.name().point())),
            signature_scheme: None,
            resumed: common.handshake_kind().map(|kind| kind == HandshakeKind::Resumed),
            peer_certificate: match common.peer_identity().map(|identity| &**identity) {
                Some(Identity::X509(chain)) => Some(chain.end_entity.to_vec()),
                _ => None,
            },
            tickets_received: match &self.side {
                Either::Client(client) => Some(client.tls13_tickets_received()),
                Either::Server(_) => None,
            },
            early_data_accepted: match &self.side {
                Either::Client(client) => client.side().is_early_data_accepted().then_some(true),
                Either::Server(_) => None,
            },
        }
    }

    /// Makes the scratch buffers ready: the input has what came earlier before the wire bytes.
    fn begin(&mut self, wire: &[u8], scratch: &mut Scratch) {
        let Scratch { input, output } = scratch;
        input.clear();
        input.append(&mut self.partial);
        input.extend_from_slice(wire);
        output.clear();
    }

    /// Has the library take wire bytes; what answers them is in the scratch output then.
    fn take_in(
        &mut self,
        wire: &[u8],
        scratch: &mut Scratch,
        take: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        self.begin(wire, scratch);
        let Scratch { input, output } = scratch;
        let used = match &mut self.side {
            Either::Client(client) => read(client, input, output, take),
            Either::Server(server) => read(server, input, output, take),
        }?;
        self.partial.extend_from_slice(&input[used..]);
        Ok(())
    }

    fn flush(&mut self, output: &mut Buffer) {
        if !self.unsent.is_empty() {
            output.append(&mem::take(&mut self.unsent));
        }
    }

    fn progress(&self) -> Progress {
        if self.common().is_handshaking() { Progress::Continues } else { Progress::Done }
    }

    fn common(&self) -> &CommonState {
        match &self.side {
            Either::Client(client) => client,
            Either::Server(server) => server,
        }
    }
}

fn early() -> Error {
    Error::General("data before the handshake's end".to_owned())
}

/// Returns how many bytes were used up.
fn read<S: SideData>(
    connection: &mut rustls::Connection<S, Tcp>,
    wire: &mut [u8],
    answer: &mut Vec<u8>,
    mut take: impl FnMut(&[u8]) -> Result<(), Error>,
) -> Result<usize, Error> {
    let mut input = SliceInput::new(wire);
    let mut messages = connection.read_tls(&mut input, answer);
    while let Some(payload) = messages.next_payload() {
        take(payload?.bytes())?;
    }
    drop(messages);
    Ok(input.into_used())
}

/// The same for a flight in which early data is expected.
fn read_early(
    server: &mut rustls::Connection<ServerSide, Tcp>,
    wire: &mut [u8],
    answer: &mut Vec<u8>,
    plaintext: &mut Buffer,
) -> Result<usize, Error> {
    let mut input = SliceInput::new(wire);
    let mut messages = server.read_tls(&mut input, answer);
    while let Some(payload) = messages.next_early_data() {
        plaintext.append(payload?.bytes());
    }
    if let Some(payload) = messages.next_payload() {
        payload?;
        return Err(early());
    }
    drop(messages);
    Ok(input.into_used())
}
