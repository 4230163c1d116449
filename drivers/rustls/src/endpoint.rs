//! Both sides of rustls behind the kit's contract.

use std::io::{Read, Write};
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::NoServerSessionStorage;
use rustls::version::TLS13;
use rustls::{
    ClientConfig, ClientConnection, Connection, HandshakeKind, RootCertStore, ServerConfig, ServerConnection,
};
use tlslab_driver_kit::protocol::{
    CipherSuite, Group, ProtocolVersion, Scenario, Side, SideFacts, Verification,
};
use tlslab_driver_kit::{Buffer, Endpoint, EndpointError, Identity, Material, Progress, Unready};

use crate::provider::BUILT_IN;
use crate::{identity, verifier};

/// rustls with the provider that was built in.
pub struct Rustls;

/// A side's configuration, shared by its connections.
pub enum Context {
    Client(Arc<ClientConfig>, ServerName<'static>),
    Server(Arc<ServerConfig>),
}

impl Endpoint for Rustls {
    type Context = Context;
    type Connection = Connection;

    fn identity(&self) -> Identity {
        identity::identity()
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
        if scenario.version != ProtocolVersion::TLS13 {
            return Err(Unready::Unsupported(identity::NO_TLS12.to_owned()));
        }
        match side {
            Side::Client => client(scenario, material),
            Side::Server => server(scenario, material),
        }
    }

    fn create(&self, context: &Context) -> Result<Connection, EndpointError> {
        let mut connection = match context {
            Context::Client(config, name) => {
                Connection::from(ClientConnection::new(config.clone(), name.clone())?)
            }
            Context::Server(config) => Connection::from(ServerConnection::new(config.clone())?),
        };
        // The default takes 64 KiB of a write and returns; a scenario's write is one call.
        connection.set_buffer_limit(None);
        Ok(connection)
    }

    fn handshake(
        &self,
        connection: &mut Connection,
        mut input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        while !input.is_empty() {
            connection.read_tls(&mut input)?;
            connection.process_new_packets()?;
        }
        flush(connection, output)?;
        Ok(if connection.is_handshaking() { Progress::Continues } else { Progress::Done })
    }

    fn send(
        &self,
        connection: &mut Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        connection.writer().write_all(plaintext)?;
        flush(connection, output)
    }

    fn receive(
        &self,
        connection: &mut Connection,
        mut input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        while !input.is_empty() {
            connection.read_tls(&mut input)?;
            let mut waiting = connection.process_new_packets()?.plaintext_bytes_to_read();
            while waiting > 0 {
                let read = connection.reader().read(plaintext.room())?;
                plaintext.advance(read);
                waiting -= read;
            }
        }
        Ok(())
    }

    fn facts(&self, connection: &Connection) -> SideFacts {
        SideFacts {
            version: connection.protocol_version().map(|version| ProtocolVersion(version.into())),
            suite: connection.negotiated_cipher_suite().map(|suite| CipherSuite(suite.suite().into())),
            group: connection.negotiated_key_exchange_group().map(|group| Group(group.name().into())),
            signature_scheme: None,
            resumed: connection.handshake_kind().map(|kind| kind == HandshakeKind::Resumed),
            peer_certificate: connection
                .peer_certificates()
                .and_then(|chain| chain.first())
                .map(|leaf| leaf.to_vec()),
            tickets_received: match connection {
                Connection::Client(client) => Some(client.tls13_tickets_received()),
                Connection::Server(_) => None,
            },
        }
    }
}

fn flush(connection: &mut Connection, output: &mut Buffer) -> Result<(), EndpointError> {
    while connection.wants_write() {
        if connection.write_tls(output)? == 0 {
            return Err(EndpointError("wrote more than the buffer has room for".to_owned()));
        }
    }
    Ok(())
}

fn client(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    if let (Some(reason), Verification::Chain | Verification::ChainAndName) =
        (BUILT_IN.no_chains, scenario.verification)
    {
        return Err(Unready::Unsupported(reason.to_owned()));
    }
    let provider = Arc::new(BUILT_IN.pinned(scenario)?);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(material.root.clone()))?;
    let verifier = verifier::for_level(scenario.verification, roots, &provider)?;
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[&TLS13])?
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    config.resumption = Resumption::disabled();
    Ok(Context::Client(Arc::new(config), ServerName::try_from(material.server_name.clone())?))
}

fn server(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    let chain = material.chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
    let key = PrivatePkcs8KeyDer::from(material.key.clone()).into();
    let mut config = ServerConfig::builder_with_provider(Arc::new(BUILT_IN.pinned(scenario)?))
        .with_protocol_versions(&[&TLS13])?
        .with_no_client_auth()
        .with_single_cert(chain, key)?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    config.send_tls13_tickets = scenario.tickets as usize;
    if scenario.tickets > 0 {
        let ticketer = BUILT_IN.ticketer.ok_or_else(|| Unready::Unsupported(identity::no_tickets()))?;
        config.ticketer = ticketer()?;
    }
    Ok(Context::Server(Arc::new(config)))
}
