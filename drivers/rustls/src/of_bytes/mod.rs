//! Bytes in and out of a connection that takes and gives plain byte buffers.

#[cfg_attr(not(has_transports), path = "sides_of_trait.rs")]
mod sides;

use std::cell::RefCell;
use std::mem;

#[cfg(not(has_transports))]
use rustls::Connection as _;
use rustls::crypto::Identity;
use rustls::{Error, HandshakeKind};
use tlslab_driver_kit::protocol::{CipherSuite, Group, ProtocolVersion, SideFacts};
use tlslab_driver_kit::{Buffer, EndpointError, Progress};

use crate::context::Context;
use crate::endpoint::Connection;
use crate::point::Point as _;
pub use sides::NO_CLOSE;
use sides::{
    Client, Server, accept, connect, is_early_data_accepted, read, read_close, read_early, send_close, write,
    write_early,
};

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

/// One side of a connection. Code on the clock is inlined into the endpoint's calls.
pub struct Stream {
    side: Either,
    /// Output that could not be sent when the library wrote it: the client's first flight, from its creation.
    unsent: Vec<u8>,
    /// The beginning of a record whose rest has not come yet; empty whenever records arrive whole.
    partial: Vec<u8>,
}

enum Either {
    Client(Client),
    Server(Server),
}

/// Does the same with either side.
macro_rules! either {
    ($side:expr, $connection:ident => $work:expr) => {
        match $side {
            Either::Client($connection) => $work,
            Either::Server($connection) => $work,
        }
    };
}

impl Stream {
    /// Makes one side of a connection.
    pub fn create(context: &Context) -> Result<Connection, EndpointError> {
        let (mut unsent, partial) = (Vec::new(), Vec::new());
        let (side, latest, prepared) = match context {
            Context::Client(config, name, latest) => {
                let client = connect(config, name, &mut unsent)?;
                (Either::Client(client), Some(latest.clone()), None)
            }
            Context::Server(config, prepared) => (Either::Server(accept(config)?), None, *prepared),
        };
        let stream = Self { side, unsent, partial };
        Ok(Connection { stream, latest, prepared, has_closed: false })
    }

    /// Continues a handshake.
    #[inline]
    pub fn handshake(&mut self, wire: &[u8], output: &mut Buffer) -> Result<Progress, EndpointError> {
        with_scratch(|scratch| {
            let taken = self.take_in(wire, scratch, |_| Err(early()));
            self.flush(output);
            // After a failure, its alert.
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
            either!(&mut self.side, connection => write(connection, plaintext, wire))?;
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

    /// Takes the peer's closing alert, if there is input, and sends this side's, if it `answers`.
    #[inline]
    pub fn close(
        &mut self,
        wire: &[u8],
        output: &mut Buffer,
        answers: bool,
    ) -> Result<Progress, EndpointError> {
        with_scratch(|scratch| {
            self.begin(wire, scratch);
            let Scratch { input, output: answer } = scratch;
            let is_closed = either!(&mut self.side, connection => {
                let is_closed = !input.is_empty() && read_close(connection, input, answer)?;
                if answers {
                    send_close(connection, answer)?;
                }
                is_closed
            });
            self.flush(output);
            output.append(answer);
            Ok(if is_closed { Progress::Done } else { Progress::Continues })
        })
    }

    /// Sends early data with a client's first flight.
    pub fn send_early(&mut self, plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        self.flush(output);
        let refused = || EndpointError("rustls takes no early data with this session".to_owned());
        let Either::Client(client) = &mut self.side else { return Err(refused()) };
        with_scratch(|Scratch { output: wire, .. }| {
            wire.clear();
            let taken = write_early(client, plaintext, wire).ok_or_else(refused)??;
            output.append(wire);
            let bytes = plaintext.len();
            let short = || EndpointError(format!("rustls took {taken} of {bytes} bytes of early data"));
            if taken < bytes { Err(short()) } else { Ok(()) }
        })
    }

    /// Continues a server's handshake, and reads the accepted early data.
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

    /// The library's report.
    pub fn facts(&self) -> SideFacts {
        either!(&self.side, connection => SideFacts {
            version: connection.protocol_version().map(|version| ProtocolVersion(version.point())),
            suite: connection.negotiated_cipher_suite().map(|suite| CipherSuite(suite.suite().point())),
            group: connection.negotiated_key_exchange_group().map(|group| Group(group.name().point())),
            resumed: connection.handshake_kind().map(|kind| kind == HandshakeKind::Resumed),
            peer_certificate: match connection.peer_identity().map(sides::identity) {
                Some(Identity::X509(chain)) => Some(chain.end_entity.to_vec()),
                _ => None,
            },
            ..self.facts_of_client()
        })
    }

    fn facts_of_client(&self) -> SideFacts {
        match &self.side {
            Either::Client(client) => SideFacts {
                tickets_received: Some(client.tls13_tickets_received()),
                early_data_accepted: is_early_data_accepted(client).then_some(true),
                ..SideFacts::default()
            },
            Either::Server(_) => SideFacts::default(),
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
        let used = either!(&mut self.side, connection => read(connection, input, output, take))?;
        self.partial.extend_from_slice(&input[used..]);
        Ok(())
    }

    fn flush(&mut self, output: &mut Buffer) {
        if !self.unsent.is_empty() {
            output.append(&mem::take(&mut self.unsent));
        }
    }

    fn progress(&self) -> Progress {
        let is_handshaking = either!(&self.side, connection => connection.is_handshaking());
        if is_handshaking { Progress::Continues } else { Progress::Done }
    }
}

fn early() -> Error {
    Error::General("data before the handshake's end".to_owned())
}
