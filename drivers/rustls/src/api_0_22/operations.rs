//! The operations of a provider of rustls 0.23, through the traits by which rustls calls it.

use std::sync::Arc;

use rustls::crypto::cipher::{
    AeadKey, InboundOpaqueMessage, Iv, MessageDecrypter, MessageEncrypter, OutboundChunks,
    OutboundOpaqueMessage, OutboundPlainMessage,
};
use rustls::pki_types::SignatureVerificationAlgorithm;
use rustls::sign::{Signer, SigningKey};
use rustls::{
    ClientConnection, ConnectionTrafficSecrets, ContentType, Error, ProtocolVersion, ServerConnection,
    SignatureScheme, SupportedCipherSuite, Tls13CipherSuite,
};
use tlslab_driver_kit::protocol::{Group, Operation, Scenario, Work};
use tlslab_driver_kit::{Assignment, Buffer, EndpointError, Material, Primitive, Progress, Unready};

use super::{CryptoProvider, StartedKeyExchange, client_config, server_config, server_name};
use crate::point::Point as _;
use crate::provider::BUILT_IN;
use crate::transport::Stream;

/// Why there are no record primitives.
pub const NO_RECORDS: Option<&str> = None;

/// A key that signs again and again.
pub type Signing = Box<dyn Signer>;

/// A key with the scheme that it signs by.
pub fn signing(key: Arc<dyn SigningKey>, scheme: SignatureScheme) -> Option<Signing> {
    key.choose_scheme(&[scheme])
}

/// Signs.
pub fn sign(signing: &Signing, message: &[u8]) -> Result<Vec<u8>, Error> {
    signing.sign(message)
}

/// The verification algorithms of each scheme.
pub fn checks(
    provider: &CryptoProvider,
) -> &'static [(SignatureScheme, &'static [&'static dyn SignatureVerificationAlgorithm])] {
    provider.signature_verification_algorithms.mapping
}

/// An exchange whose share goes with any peer's.
pub fn single(exchange: StartedKeyExchange) -> StartedKeyExchange {
    exchange
}

/// A provider's suites of TLS 1.3.
pub fn tls13_suites(provider: &CryptoProvider) -> Vec<&'static Tls13CipherSuite> {
    provider.cipher_suites.iter().filter_map(SupportedCipherSuite::tls13).collect()
}

/// Records sealed and opened by a suite's own encrypter and decrypter. Sealed records come in separate memory.
struct Records {
    encrypter: Box<dyn MessageEncrypter>,
    decrypter: Box<dyn MessageDecrypter>,
    own_keys: Option<(Vec<u8>, [u8; 12])>,
    sealed: Option<OutboundOpaqueMessage>,
    opened_bytes: Option<usize>,
}

/// Seals and opens records.
pub fn records(
    suite: &'static Tls13CipherSuite,
    assignment: &Assignment,
    material: &Material,
) -> Result<Box<dyn Primitive>, Unready> {
    let ([(key, iv), (same_key, same_iv)], own_keys) = match <[u8; 32]>::try_from(assignment.key.as_slice()) {
        Ok(key) => ([key, key].map(|key| (key.into(), Iv::new(assignment.iv))), None),
        // A shorter key cannot be given to the library: it is taken from a connection.
        Err(_) => {
            let keys = of_connection(suite, material)?;
            let own = (keys[0].0.as_ref().to_vec(), keys[0].1.as_ref().try_into()?);
            (keys, Some(own))
        }
    };
    Ok(Box::new(Records {
        encrypter: suite.aead_alg.encrypter(key, iv),
        decrypter: suite.aead_alg.decrypter(same_key, same_iv),
        own_keys,
        sealed: None,
        opened_bytes: None,
    }))
}

type Keys = (AeadKey, Iv);

/// The key that a handshake gives the client to write with and the server to read with.
fn of_connection(suite: &Tls13CipherSuite, material: &Material) -> Result<[Keys; 2], Unready> {
    let group = [Group::X25519, Group::SECP256R1].into_iter().find(|group| BUILT_IN.group(*group).is_ok());
    let group = group.ok_or_else(|| Unready::Unsupported(BUILT_IN.lacks("group on a curve")))?;
    let suite = tlslab_driver_kit::protocol::CipherSuite(suite.common.suite.point());
    let scenario = Scenario { group, suite, ..Scenario::plain(Work::Handshake) };
    let mut client = client_config(BUILT_IN.pinned(&scenario)?, &scenario, material)?;
    let mut server = server_config(BUILT_IN.pinned(&scenario)?, &scenario, material)?;
    (client.enable_secret_extraction, server.enable_secret_extraction) = (true, true);
    let failed = |error: EndpointError| Unready::Failed(error.0);
    let name = server_name(&material.server_name)?;
    let mut client = Stream(ClientConnection::new(client.into(), name)?.into());
    let mut server = Stream(ServerConnection::new(server.into())?.into());
    shake_hands(&mut client, &mut server).map_err(failed)?;
    let written = keys(client.0.dangerous_extract_secrets()?.tx.1)?;
    Ok([written, keys(server.0.dangerous_extract_secrets()?.rx.1)?])
}

fn shake_hands(client: &mut Stream, server: &mut Stream) -> Result<(), EndpointError> {
    let [mut to_client, mut to_server] = [(); 2].map(|()| Buffer::with_capacity(MOST_OF_FLIGHT));
    while client.handshake(to_client.filled(), &mut to_server)? == Progress::Continues {
        to_client.clear();
        server.handshake(to_server.filled(), &mut to_client)?;
        to_server.clear();
    }
    server.handshake(to_server.filled(), &mut to_client)?;
    Ok(())
}

const MOST_OF_FLIGHT: usize = 64 * 1024;

fn keys(secrets: ConnectionTrafficSecrets) -> Result<Keys, Unready> {
    match secrets {
        ConnectionTrafficSecrets::Aes128Gcm { key, iv }
        | ConnectionTrafficSecrets::Aes256Gcm { key, iv }
        | ConnectionTrafficSecrets::Chacha20Poly1305 { key, iv } => Ok((key, iv)),
        _ => Err(Unready::Unsupported(format!("{} hands out no keys of this suite", BUILT_IN.name))),
    }
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
