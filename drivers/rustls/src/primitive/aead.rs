//! Records sealed and opened by a suite's own encrypter and decrypter. They work on whole records: the message gets its
//! content type behind it, and what is sealed comes in memory of its own.

use rustls::crypto::cipher::{
    InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks, OutboundOpaqueMessage,
    OutboundPlainMessage,
};
use rustls::{
    ClientConnection, ConnectionTrafficSecrets, ContentType, ProtocolVersion, ServerConnection,
    Tls13CipherSuite,
};
use tlslab_driver_kit::protocol::{Algorithm, CipherSuite, Group, Operation, Scenario, Work};
use tlslab_driver_kit::{Assignment, Buffer, EndpointError, Material, Primitive, Unready};

use crate::endpoint::{self, Context};
use crate::provider::BUILT_IN;

/// A record's header, which is authenticated, bytes.
const HEADER: usize = 5;

/// The most that a record holds, bytes.
const RECORD: usize = 16 * 1024;

struct Records {
    encrypter: Box<dyn MessageEncrypter>,
    decrypter: Box<dyn MessageDecrypter>,
    own_keys: Option<(Vec<u8>, [u8; 12])>,
    sealed: Option<OutboundOpaqueMessage>,
    opened_bytes: Option<usize>,
}

pub fn new(assignment: &Assignment, material: &Material) -> Result<Box<dyn Primitive>, Unready> {
    let Algorithm::Aead(point) = assignment.algorithm else {
        return Err(Unready::Failed("an AEAD was to be made of something else".to_owned()));
    };
    let suite = super::suite(point).ok_or_else(|| Unready::Unsupported(BUILT_IN.lacks(point)))?;
    if assignment.header.len() != HEADER {
        return Err(Unready::Unsupported(
            "rustls seals records of TLS 1.3, whose header has 5 bytes, and takes no other header".to_owned(),
        ));
    }
    if assignment.bytes > RECORD {
        return Err(Unready::Unsupported(format!(
            "rustls seals records, which have at most {RECORD} bytes, and no longer messages"
        )));
    }
    let records = match <[u8; 32]>::try_from(assignment.key.as_slice()) {
        Ok(key) => Records::with(suite, [key, key].map(|key| (key.into(), Iv::new(assignment.iv))), None),
        // A shorter key cannot be given to the library: it is taken from a connection.
        Err(_) => of_connection(point, suite, material)?,
    };
    Ok(Box::new(records))
}

type Keys = (rustls::crypto::cipher::AeadKey, Iv);

impl Records {
    fn with(
        suite: &Tls13CipherSuite,
        [(key, iv), (same_key, same_iv)]: [Keys; 2],
        own_keys: Option<(Vec<u8>, [u8; 12])>,
    ) -> Self {
        Self {
            encrypter: suite.aead_alg.encrypter(key, iv),
            decrypter: suite.aead_alg.decrypter(same_key, same_iv),
            own_keys,
            sealed: None,
            opened_bytes: None,
        }
    }
}

/// With the key that a handshake gives the client to write with and the server to read with.
fn of_connection(
    point: CipherSuite,
    suite: &Tls13CipherSuite,
    material: &Material,
) -> Result<Records, Unready> {
    let scenario = scenario(point)?;
    let (Context::Client(client, name, _), Context::Server(server, _)) =
        (endpoint::client(&scenario, material)?, endpoint::server(&scenario, material)?)
    else {
        return Err(Unready::Failed("the contexts are of the wrong sides".to_owned()));
    };
    let (mut client, mut server) = ((*client).clone(), (*server).clone());
    (client.enable_secret_extraction, server.enable_secret_extraction) = (true, true);
    let mut client = ClientConnection::new(client.into(), name)?;
    let mut server = ServerConnection::new(server.into())?;
    while client.is_handshaking() || server.is_handshaking() {
        let mut wire = Vec::new();
        while client.wants_write() {
            client.write_tls(&mut wire)?;
        }
        deliver(&wire, |rest| server.read_tls(rest))?;
        server.process_new_packets()?;
        wire.clear();
        while server.wants_write() {
            server.write_tls(&mut wire)?;
        }
        deliver(&wire, |rest| client.read_tls(rest))?;
        client.process_new_packets()?;
    }
    let written = keys(client.dangerous_extract_secrets()?.tx.1)?;
    let read = keys(server.dangerous_extract_secrets()?.rx.1)?;
    let iv = written.1.as_ref().try_into()?;
    let own_keys = Some((written.0.as_ref().to_vec(), iv));
    Ok(Records::with(suite, [written, read], own_keys))
}

fn deliver(wire: &[u8], mut read: impl FnMut(&mut &[u8]) -> std::io::Result<usize>) -> Result<(), Unready> {
    let mut rest = wire;
    while !rest.is_empty() {
        read(&mut rest)?;
    }
    Ok(())
}

fn keys(secrets: ConnectionTrafficSecrets) -> Result<Keys, Unready> {
    match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv }
        | ConnectionTrafficSecrets::Aes256Gcm { key, iv }
        | ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => Ok((key, iv)),
        _ => Err(Unready::Unsupported(format!("{} hands out no keys of this suite", BUILT_IN.name))),
    }
}

/// Any connection with this suite.
fn scenario(suite: CipherSuite) -> Result<Scenario, Unready> {
    let group = [Group::X25519, Group::SECP256R1].into_iter().find(|group| BUILT_IN.has_group(*group));
    let group = group.ok_or_else(|| Unready::Unsupported(BUILT_IN.lacks("group on a curve")))?;
    Ok(Scenario { group, suite, ..Scenario::plain(Work::Handshake) })
}

impl Primitive for Records {
    fn run(
        &mut self,
        operation: Operation,
        sequence: u64,
        input: &mut [u8],
        _: &mut Buffer,
    ) -> Result<(), EndpointError> {
        if operation == Operation::AeadSeal {
            let message = OutboundPlainMessage {
                typ: ContentType::ApplicationData,
                version: ProtocolVersion::TLSv1_3,
                payload: OutboundChunks::Single(input),
            };
            self.sealed = Some(self.encrypter.encrypt(message, sequence)?);
        } else {
            let message =
                InboundOpaqueMessage::new(ContentType::ApplicationData, ProtocolVersion::TLSv1_2, input);
            self.opened_bytes = Some(self.decrypter.decrypt(message, sequence)?.payload.len());
        }
        Ok(())
    }

    fn collect(&mut self, input: &[u8], output: &mut Buffer) {
        if let Some(sealed) = self.sealed.take() {
            output.append(sealed.payload.as_ref());
        }
        if let Some(bytes) = self.opened_bytes.take() {
            output.append(&input[..bytes]);
        }
    }

    fn own_keys(&self) -> Option<(Vec<u8>, [u8; 12])> {
        self.own_keys.clone()
    }
}
