//! Bytes in and out of a buffered connection, which is the same in all releases of rustls before 0.24.

use std::io::{Read, Write};

use rustls::{ClientConnection, ServerConnection};
use tlslab_driver_kit::protocol::{CipherSuite, ProtocolVersion, SideFacts};
use tlslab_driver_kit::{Buffer, EndpointError, Progress};

use crate::context::Context;
use crate::endpoint::Connection;
use crate::point::Point as _;

/// A connection.
///
/// Code on the clock is inlined into the endpoint's calls.
pub struct Stream(pub rustls::Connection);

impl Stream {
    /// Makes one side of a connection.
    pub fn create(context: &Context) -> Result<Connection, EndpointError> {
        Ok(match context {
            Context::Client(config, name, latest) => Connection {
                stream: Self(ClientConnection::new(config.clone(), name.clone())?.into()),
                latest: Some(latest.clone()),
                prepared: None,
                has_closed: false,
            },
            Context::Server(config, prepared) => Connection {
                stream: Self(ServerConnection::new(config.clone())?.into()),
                latest: None,
                prepared: *prepared,
                has_closed: false,
            },
        })
    }

    /// Continues a handshake.
    #[inline]
    pub fn handshake(&mut self, mut input: &[u8], output: &mut Buffer) -> Result<Progress, EndpointError> {
        while !input.is_empty() {
            self.0.read_tls(&mut input)?;
            if let Err(error) = self.0.process_new_packets() {
                // The alert that says so.
                self.flush(output)?;
                return Err(error.into());
            }
        }
        self.flush(output)?;
        Ok(if self.0.is_handshaking() { Progress::Continues } else { Progress::Done })
    }

    /// Sends data, as much at a time as the library's buffer takes.
    #[inline]
    pub fn send(&mut self, mut plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        while !plaintext.is_empty() {
            let taken = self.0.writer().write(plaintext)?;
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
            self.0.read_tls(&mut input)?;
            let mut waiting = self.0.process_new_packets()?.plaintext_bytes_to_read();
            while waiting > 0 {
                let read = self.0.reader().read(plaintext.room())?;
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
            if self.0.read_tls(&mut input)? == 0 {
                return Err(EndpointError("bytes after the closing alert".to_owned()));
            }
            if self.0.process_new_packets()?.peer_has_closed() {
                progress = Progress::Done;
            }
        }
        if answers {
            self.0.send_close_notify();
        }
        self.flush(output)?;
        Ok(progress)
    }

    /// Sends early data with a client's first flight.
    pub fn send_early(&mut self, plaintext: &[u8], output: &mut Buffer) -> Result<(), EndpointError> {
        let early = match &mut self.0 {
            rustls::Connection::Client(client) => client.early_data(),
            rustls::Connection::Server(_) => None,
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
        let rustls::Connection::Server(server) = &mut self.0 else { return Ok(progress) };
        let Some(mut early) = server.early_data() else { return Ok(progress) };
        loop {
            match early.read(plaintext.room())? {
                0 => return Ok(progress),
                read => plaintext.advance(read),
            }
        }
    }

    /// The library's report; older releases report neither the group nor whether a session was taken up nor tickets.
    pub fn facts(&self) -> SideFacts {
        let leaf = self.0.peer_certificates().and_then(|chain| chain.first());
        SideFacts {
            version: self.0.protocol_version().map(|version| ProtocolVersion(version.point())),
            suite: self.0.negotiated_cipher_suite().map(|suite| CipherSuite(suite.suite().point())),
            #[cfg(has_negotiated_group)]
            group: self
                .0
                .negotiated_key_exchange_group()
                .map(|group| tlslab_driver_kit::protocol::Group(group.name().point())),
            #[cfg(has_handshake_kind)]
            resumed: self.0.handshake_kind().map(|kind| kind == rustls::HandshakeKind::Resumed),
            peer_certificate: leaf.map(|leaf| leaf.as_ref().to_vec()),
            tickets_received: match &self.0 {
                #[cfg(has_ticket_count)]
                rustls::Connection::Client(client) => Some(client.tls13_tickets_received()),
                _ => None,
            },
            early_data_accepted: match &self.0 {
                rustls::Connection::Client(client) => client.is_early_data_accepted().then_some(true),
                rustls::Connection::Server(_) => None,
            },
            ..SideFacts::default()
        }
    }

    fn flush(&mut self, output: &mut Buffer) -> Result<(), EndpointError> {
        while self.0.wants_write() {
            if self.0.write_tls(output)? == 0 {
                return Err(EndpointError("wrote more than the buffer has room for".to_owned()));
            }
        }
        Ok(())
    }
}

/// Why connections cannot be closed.
pub const NO_CLOSE: Option<&str> = None;
