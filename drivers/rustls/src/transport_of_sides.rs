//! Bytes in and out of a buffered connection of rustls's development branch, where a client's and a server's became types without one
//! for both.

use std::io::{Read, Write};

#[cfg(has_connection_trait)]
use rustls::Connection as _;
use rustls::{ClientConnection, HandshakeKind, ServerConnection};
use tlslab_driver_kit::protocol::{CipherSuite, Group, ProtocolVersion, SideFacts};
use tlslab_driver_kit::{Buffer, EndpointError, Progress};

use crate::context::Context;
use crate::endpoint::Connection;
use crate::point::Point as _;

/// A connection whose reading has no limit. Code on the clock is inlined into the endpoint's calls.
pub struct Stream {
    side: Either,
    /// Unprocessed input, if the connection does not keep it.
    #[cfg(has_input_buffer)]
    received: Vec<u8>,
}

enum Either {
    Client(ClientConnection),
    Server(ServerConnection),
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
        Ok(match context {
            Context::Client(config, name, latest) => {
                #[cfg(has_connect)]
                let client = config.connect(name.clone()).build()?;
                #[cfg(not(has_connect))]
                let client = ClientConnection::new(config.clone(), name.clone())?;
                Connection {
                    stream: Self::of(Either::Client(client)),
                    latest: Some(latest.clone()),
                    prepared: None,
                    has_closed: false,
                }
            }
            Context::Server(config, prepared) => Connection {
                stream: Self::of(Either::Server(ServerConnection::new(config.clone())?)),
                latest: None,
                prepared: *prepared,
                has_closed: false,
            },
        })
    }

    fn of(#[cfg_attr(not(has_received_limit), allow(unused_mut))] mut side: Either) -> Self {
        // What one call decrypts is read after it.
        #[cfg(has_received_limit)]
        either!(&mut side, connection => connection.set_plaintext_buffer_limit(None));
        Self {
            side,
            #[cfg(has_input_buffer)]
            received: Vec::new(),
        }
    }

    /// Continues a handshake.
    #[inline]
    pub fn handshake(&mut self, mut input: &[u8], output: &mut Buffer) -> Result<Progress, EndpointError> {
        while !input.is_empty() {
            if let Err(error) = self.take_in(&mut input)? {
                // The alert that says so.
                self.flush(output)?;
                return Err(error.into());
            }
        }
        self.flush(output)?;
        let is_handshaking = either!(&self.side, connection => connection.is_handshaking());
        Ok(if is_handshaking { Progress::Continues } else { Progress::Done })
    }

    /// Sends data, as much at a time as the library's buffer takes.
    #[inline]
    pub fn send(&mut self, mut plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        while !plaintext.is_empty() {
            let taken = either!(&mut self.side, connection => connection.writer().write(plaintext))?;
            if taken == 0 {
                return Err(EndpointError("the library takes no data".to_owned()));
            }
            plaintext = &plaintext[taken..];
            self.flush(output)?;
        }
        Ok(())
    }

    /// Receives data.
    #[inline]
    pub fn receive(&mut self, mut input: &[u8], plaintext: &mut Buffer) -> Result<(), EndpointError> {
        while !input.is_empty() {
            let mut waiting = self.take_in(&mut input)??.plaintext_bytes_to_read();
            while waiting > 0 {
                let read = either!(&mut self.side, connection => connection.reader().read(plaintext.room()))?;
                plaintext.advance(read);
                waiting -= read;
            }
        }
        Ok(())
    }

    /// Takes the peer's closing alert, if there is input, and sends this side's, if it `answers`.
    #[inline]
    pub fn close(
        &mut self,
        mut input: &[u8],
        output: &mut Buffer,
        answers: bool,
    ) -> Result<Progress, EndpointError> {
        let mut progress = Progress::Continues;
        while !input.is_empty() {
            let before = input.len();
            if self.take_in(&mut input)??.peer_has_closed() {
                progress = Progress::Done;
            }
            if input.len() == before {
                return Err(EndpointError("bytes after the closing alert".to_owned()));
            }
        }
        if answers {
            either!(&mut self.side, connection => connection.send_close_notify());
        }
        self.flush(output)?;
        Ok(progress)
    }

    /// Sends early data with a client's first flight.
    pub fn send_early(&mut self, plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        let early = match &mut self.side {
            Either::Client(client) => client.early_data(),
            Either::Server(_) => None,
        };
        let refused = || EndpointError("rustls takes no early data with this session".to_owned());
        early.ok_or_else(refused)?.write_all(plaintext)?;
        self.flush(output)
    }

    /// Continues a server's handshake, and reads the accepted early data.
    pub fn handshake_early(
        &mut self,
        input: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let progress = self.handshake(input, output)?;
        let Either::Server(server) = &mut self.side else { return Ok(progress) };
        let Some(mut early) = server.early_data() else { return Ok(progress) };
        loop {
            match early.read(plaintext.room())? {
                0 => return Ok(progress),
                read => plaintext.advance(read),
            }
        }
    }

    /// The library's report.
    pub fn facts(&self) -> SideFacts {
        either!(&self.side, connection => SideFacts {
            version: connection.protocol_version().map(|version| ProtocolVersion(version.point())),
            suite: connection.negotiated_cipher_suite().map(|suite| CipherSuite(suite.suite().point())),
            group: connection.negotiated_key_exchange_group().map(|group| Group(group.name().point())),
            resumed: connection.handshake_kind().map(|kind| kind == HandshakeKind::Resumed),
            #[cfg(has_peer_identity)]
            peer_certificate: match connection.peer_identity().map(|identity| &*identity) {
                Some(crate::api::Identity::X509(chain)) => Some(chain.end_entity.to_vec()),
                _ => None,
            },
            #[cfg(not(has_peer_identity))]
            peer_certificate: connection
                .peer_certificates()
                .and_then(|chain| chain.first())
                .map(|leaf| leaf.as_ref().to_vec()),
            ..self.facts_of_client()
        })
    }

    fn facts_of_client(&self) -> SideFacts {
        match &self.side {
            Either::Client(client) => SideFacts {
                tickets_received: Some(client.tls13_tickets_received()),
                early_data_accepted: client.is_early_data_accepted().then_some(true),
                ..SideFacts::default()
            },
            Either::Server(_) => SideFacts::default(),
        }
    }

    /// Has the connection take wire bytes: it reads some of them, or all.
    #[cfg(not(has_input_buffer))]
    fn take_in(
        &mut self,
        input: &mut &[u8],
    ) -> Result<Result<rustls::IoState, rustls::Error>, EndpointError> {
        Ok(either!(&mut self.side, connection => {
            connection.read_tls(input)?;
            connection.process_new_packets()
        }))
    }

    /// Has the connection take wire bytes: all of them, and those before them whose record was not whole.
    #[cfg(has_input_buffer)]
    fn take_in(
        &mut self,
        input: &mut &[u8],
    ) -> Result<Result<rustls::IoState, rustls::Error>, EndpointError> {
        self.received.extend_from_slice(std::mem::take(input));
        let mut buffer = rustls::SliceInput::new(&mut self.received);
        let taken = either!(&mut self.side, connection => connection.process_new_packets(&mut buffer));
        let used = buffer.into_used();
        self.received.drain(..used);
        Ok(taken)
    }

    fn flush(&mut self, output: &mut Buffer) -> Result<(), EndpointError> {
        either!(&mut self.side, connection => while connection.wants_write() {
            if connection.write_tls(output)? == 0 {
                return Err(EndpointError("wrote more than the buffer has room for".to_owned()));
            }
        });
        Ok(())
    }
}

/// Why connections cannot be closed.
pub const NO_CLOSE: Option<&str> = None;
