//! One side of a connection, whichever it is.

use std::mem;
use std::sync::Arc;

use rustls::crypto::Identity;
use rustls::{
    ClientSide, CommonState, Connection, Error, HandshakeKind, ServerSide, SideData, SliceInput, Tcp,
};
use tlslab_driver_kit::protocol::{CipherSuite, Group, ProtocolVersion, SideFacts};
use tlslab_driver_kit::{Buffer, EndpointError};

use crate::context::Context;
use crate::latest::Latest;
use crate::prepared::PreparedGroup;
use crate::sessions::Session;

/// Buffers that all connections of a thread share: the library decrypts in the one and appends to the other.
#[derive(Default)]
pub struct Scratch {
    input: Vec<u8>,
    output: Vec<u8>,
}

/// One side of a connection.
pub struct OneSide {
    side: Either,
    /// What the library wrote where nothing could be sent: the client's first flight, when it was made.
    unsent: Vec<u8>,
    /// The beginning of a record whose rest has not come yet; empty whenever records arrive whole.
    partial: Vec<u8>,
    /// Where a client's session goes.
    latest: Option<Arc<Latest<Session>>>,
    /// Where a server's key share is made beforehand.
    prepared: Option<&'static PreparedGroup>,
}

enum Either {
    Client(Connection<ClientSide, Tcp>),
    Server(Connection<ServerSide, Tcp>),
}

impl OneSide {
    /// Makes a connection.
    pub fn new(context: &Context) -> Result<Self, EndpointError> {
        let mut unsent = Vec::new();
        let (side, latest, prepared) = match context {
            Context::Client(config, name, latest) => {
                let client = config.connect(name.clone()).build(&mut unsent)?;
                (Either::Client(client), Some(latest.clone()), None)
            }
            Context::Server(config, prepared) => {
                (Either::Server(Connection::<ServerSide, _>::new(config.clone())?), None, *prepared)
            }
        };
        Ok(Self { side, unsent, partial: Vec::new(), latest, prepared })
    }

    /// Makes the key share that this server is going to send.
    pub fn make_key_share(&self) -> Result<(), EndpointError> {
        let prepared = self.prepared.ok_or_else(|| EndpointError("nothing is to be prepared".to_owned()))?;
        Ok(prepared.begin()?)
    }

    /// Sends the first flight with early data.
    pub fn send_early(
        &mut self,
        plaintext: &[u8],
        scratch: &mut Scratch,
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        self.flush(output);
        let Scratch { output: wire, .. } = scratch;
        wire.clear();
        let Either::Client(client) = &mut self.side else {
            return Err(EndpointError("only a client sends early data".to_owned()));
        };
        let refused = || EndpointError("rustls takes no early data with this session".to_owned());
        let taken = client.early_data().ok_or_else(refused)?.write(plaintext.into(), wire)?;
        if taken < plaintext.len() {
            return Err(EndpointError(format!(
                "rustls took {taken} of {} bytes of early data",
                plaintext.len()
            )));
        }
        output.append(wire);
        Ok(())
    }

    /// Takes a client's flight, appends the early data in it and the answer to it.
    pub fn shake_hands_early(
        &mut self,
        wire: &[u8],
        scratch: &mut Scratch,
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        let Scratch { input, output: answer } = scratch;
        input.clear();
        input.append(&mut self.partial);
        input.extend_from_slice(wire);
        answer.clear();
        let Either::Server(server) = &mut self.side else {
            return Err(EndpointError("only a server takes early data".to_owned()));
        };
        let mut slice = SliceInput::new(input);
        let mut messages = server.read_tls(&mut slice, answer);
        while let Some(payload) = messages.next_early_data() {
            plaintext.append(payload?.bytes());
        }
        if let Some(payload) = messages.next_payload() {
            payload?;
            return Err(EndpointError("data before the handshake's end".to_owned()));
        }
        drop(messages);
        let used = slice.into_used();
        self.partial.extend_from_slice(&input[used..]);
        self.flush(output);
        output.append(&scratch.output);
        Ok(())
    }

    /// What the next connection can take up.
    pub fn take_session(&self) -> Option<Session> {
        self.latest.as_ref().and_then(|latest| latest.take())
    }

    /// Whether the handshake goes on.
    pub fn is_handshaking(&self) -> bool {
        self.common().is_handshaking()
    }

    /// Takes a flight and appends the answer to it.
    pub fn shake_hands(
        &mut self,
        wire: &[u8],
        scratch: &mut Scratch,
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        let taken = self
            .take_in(wire, scratch, |_| Err(Error::General("data before the handshake's end".to_owned())));
        self.flush(output);
        // Where it failed, the alert that says so.
        output.append(&scratch.output);
        Ok(taken?)
    }

    /// Takes records and appends the plaintext in them.
    pub fn read(
        &mut self,
        wire: &[u8],
        scratch: &mut Scratch,
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        self.take_in(wire, scratch, |payload| {
            plaintext.append(payload);
            Ok(())
        })?;
        self.unsent.extend_from_slice(&scratch.output);
        Ok(())
    }

    /// Encrypts plaintext as one write.
    pub fn write(
        &mut self,
        plaintext: &[u8],
        scratch: &mut Scratch,
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        let wire = &mut scratch.output;
        wire.clear();
        match &mut self.side {
            Either::Client(client) => client.write(plaintext.into(), wire),
            Either::Server(server) => server.write(plaintext.into(), wire),
        }?;
        self.flush(output);
        output.append(wire);
        Ok(())
    }

    /// What the library reports about the connection.
    pub fn facts(&self) -> SideFacts {
        let common = self.common();
        SideFacts {
            version: common.protocol_version().map(|version| ProtocolVersion(version.into())),
            suite: common.negotiated_cipher_suite().map(|suite| CipherSuite(suite.suite().into())),
            group: common.negotiated_key_exchange_group().map(|group| Group(group.name().into())),
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

    /// Has the library take wire bytes; what answers them is in the scratch output then.
    fn take_in(
        &mut self,
        wire: &[u8],
        scratch: &mut Scratch,
        take: impl FnMut(&[u8]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let Scratch { input, output } = scratch;
        input.clear();
        input.append(&mut self.partial);
        input.extend_from_slice(wire);
        output.clear();
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

    fn common(&self) -> &CommonState {
        match &self.side {
            Either::Client(client) => client,
            Either::Server(server) => server,
        }
    }
}

/// Returns how many bytes were used up.
fn read<S: SideData>(
    connection: &mut Connection<S, Tcp>,
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
