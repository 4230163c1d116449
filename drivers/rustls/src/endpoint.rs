//! Both sides of rustls behind the kit's contract.

use std::sync::Arc;

use rustls::client::{Resumption as Memory, Tls12Resumption};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::danger::ClientCertVerifier;
use rustls::server::{NoClientAuth, NoServerSessionStorage, ServerSessionMemoryCache, WebPkiClientVerifier};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection, SupportedProtocolVersion,
};
use tlslab_driver_kit::protocol::{
    CipherSuite, Group, ProtocolVersion, Resumption, Scenario, ServerKeyShare, Side, SideFacts, Verification,
};
use tlslab_driver_kit::{
    Assignment, Buffer, ClientMaterial, Endpoint, EndpointError, Identity, Material, Primitive, Progress,
    Unready,
};

use crate::latest::Latest;
use crate::point::Point as _;
use crate::provider::{BUILT_IN, PreparedGroup};
use crate::sessions::Session;
use crate::{identity, primitive, transport, verifier};

/// Sessions that a server keeps: one is in use.
const MOST_SESSIONS: usize = 256;

/// rustls with the provider that was built in.
pub struct Rustls;

/// A side's configuration, shared by its connections.
pub enum Context {
    Client(Arc<ClientConfig>, ServerName<'static>, Arc<Latest<Session>>),
    Server(Arc<ServerConfig>, Option<&'static PreparedGroup>),
}

/// One side of a connection, and where a client's session goes.
pub struct Connection {
    rustls: rustls::Connection,
    latest: Option<Arc<Latest<Session>>>,
    prepared: Option<&'static PreparedGroup>,
}

impl Endpoint for Rustls {
    type Context = Context;
    type Connection = Connection;
    type Session = Session;

    fn identity(&self) -> Identity {
        identity::identity()
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
        match side {
            Side::Client => client(scenario, material),
            Side::Server => server(scenario, material),
        }
    }

    fn create(&self, context: &Context) -> Result<Connection, EndpointError> {
        Ok(match context {
            Context::Client(config, name, latest) => {
                let client = ClientConnection::new(config.clone(), name.clone())?;
                let latest = Some(latest.clone());
                Connection { rustls: transport::unlimited(client), latest, prepared: None }
            }
            Context::Server(config, prepared) => {
                let server = ServerConnection::new(config.clone())?;
                Connection { rustls: transport::unlimited(server), latest: None, prepared: *prepared }
            }
        })
    }

    fn session(&self, client: &mut Connection) -> Result<Option<Session>, EndpointError> {
        Ok(client.latest.as_ref().and_then(|latest| latest.take()))
    }

    fn resume(&self, client: &Context, session: Session) -> Result<Connection, EndpointError> {
        if let Context::Client(_, _, latest) = client {
            latest.put(Some(session));
        }
        self.create(client)
    }

    fn make_key_share(&self, server: &mut Connection) -> Result<(), EndpointError> {
        let prepared =
            server.prepared.ok_or_else(|| EndpointError("nothing is to be prepared".to_owned()))?;
        Ok(prepared.begin()?)
    }

    fn send_early(
        &self,
        client: &mut Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        transport::send_early(&mut client.rustls, plaintext, output)
    }

    fn handshake_early(
        &self,
        server: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
        plaintext: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        let progress = transport::handshake(&mut server.rustls, input, output)?;
        transport::read_early(&mut server.rustls, plaintext)?;
        Ok(progress)
    }

    fn handshake(
        &self,
        connection: &mut Connection,
        input: &[u8],
        output: &mut Buffer,
    ) -> Result<Progress, EndpointError> {
        transport::handshake(&mut connection.rustls, input, output)
    }

    fn send(
        &self,
        connection: &mut Connection,
        plaintext: &[u8],
        output: &mut Buffer,
    ) -> Result<(), EndpointError> {
        transport::send(&mut connection.rustls, plaintext, output)
    }

    fn receive(
        &self,
        connection: &mut Connection,
        input: &[u8],
        plaintext: &mut Buffer,
    ) -> Result<(), EndpointError> {
        transport::receive(&mut connection.rustls, input, plaintext)
    }

    fn primitive(
        &self,
        assignment: &Assignment,
        material: &Material,
    ) -> Result<Box<dyn Primitive + '_>, Unready> {
        primitive::primitive(assignment, material)
    }

    fn facts(&self, connection: &Connection) -> SideFacts {
        let connection = &connection.rustls;
        SideFacts {
            version: connection.protocol_version().map(|version| ProtocolVersion(version.point())),
            suite: connection.negotiated_cipher_suite().map(|suite| CipherSuite(suite.suite().point())),
            group: group(connection),
            signature_scheme: None,
            resumed: resumed(connection),
            peer_certificate: connection
                .peer_certificates()
                .and_then(|chain| chain.first())
                .map(|leaf| leaf.to_vec()),
            tickets_received: match connection {
                #[cfg(has_ticket_count)]
                rustls::Connection::Client(client) => Some(client.tls13_tickets_received()),
                _ => None,
            },
            early_data_accepted: match connection {
                rustls::Connection::Client(client) => client.is_early_data_accepted().then_some(true),
                rustls::Connection::Server(_) => None,
            },
        }
    }
}

#[cfg(has_negotiated_group)]
fn group(connection: &rustls::Connection) -> Option<Group> {
    connection.negotiated_key_exchange_group().map(|group| Group(group.name().point()))
}

#[cfg(not(has_negotiated_group))]
fn group(_: &rustls::Connection) -> Option<Group> {
    None
}

#[cfg(has_handshake_kind)]
fn resumed(connection: &rustls::Connection) -> Option<bool> {
    connection.handshake_kind().map(|kind| kind == rustls::HandshakeKind::Resumed)
}

#[cfg(not(has_handshake_kind))]
fn resumed(_: &rustls::Connection) -> Option<bool> {
    None
}

pub fn client(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    if let (Some(reason), Verification::Chain | Verification::ChainAndName) =
        (BUILT_IN.no_chains, scenario.verification)
    {
        return Err(Unready::Unsupported(reason.to_owned()));
    }
    let provider = Arc::new(BUILT_IN.pinned_client(scenario)?);
    let verifier = verifier::for_level(scenario.verification, roots(&material.root)?, &provider)?;
    let builder = ClientConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version(scenario)?])?
        .dangerous()
        .with_custom_certificate_verifier(verifier);
    let mut config = match &material.client {
        Some(ClientMaterial { chain, key, .. }) if !chain.is_empty() => builder
            .with_client_auth_cert(certificates(chain), PrivatePkcs8KeyDer::from(key.clone()).into())?,
        _ => builder.with_no_client_auth(),
    };
    let latest = Arc::new(Latest::default());
    config.enable_early_data = scenario.early_data > 0;
    config.resumption = match scenario.resumption {
        Resumption::None => Memory::disabled(),
        Resumption::ExternalPsk | Resumption::ExternalPskOnly => {
            return Err(Unready::Unsupported(identity::NO_EXTERNAL_PSK.to_owned()));
        }
        Resumption::SessionId => {
            Memory::store(latest.clone()).tls12_resumption(Tls12Resumption::SessionIdOnly)
        }
        Resumption::Ticket | Resumption::TicketReused => {
            Memory::store(latest.clone()).tls12_resumption(Tls12Resumption::SessionIdOrTickets)
        }
    };
    Ok(Context::Client(Arc::new(config), ServerName::try_from(material.server_name.clone())?, latest))
}

pub fn server(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    let mut provider = BUILT_IN.pinned(scenario)?;
    let prepared = match scenario.server_key_share {
        ServerKeyShare::Fresh => None,
        ServerKeyShare::Pregenerated => Some(BUILT_IN.prepared_group(scenario)?),
    };
    if let Some(group) = prepared {
        provider.kx_groups = vec![group];
    }
    let provider = Arc::new(provider);
    let clients: Arc<dyn ClientCertVerifier> = match &material.client {
        Some(client) => {
            if let Some(reason) = BUILT_IN.no_chains {
                return Err(Unready::Unsupported(reason.to_owned()));
            }
            let roots = Arc::new(roots(&client.root)?);
            WebPkiClientVerifier::builder_with_provider(roots, provider.clone()).build()?
        }
        None => Arc::new(NoClientAuth),
    };
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_protocol_versions(&[version(scenario)?])?
        .with_client_cert_verifier(clients)
        .with_single_cert(
            certificates(&material.chain),
            PrivatePkcs8KeyDer::from(material.key.clone()).into(),
        )?;
    // rustls accepts early data only where it keeps the sessions of its tickets and forgets each when it is taken up.
    let keeps_sessions = scenario.resumption == Resumption::SessionId || scenario.early_data > 0;
    config.session_storage = match keeps_sessions {
        true => ServerSessionMemoryCache::new(MOST_SESSIONS),
        false => Arc::new(NoServerSessionStorage {}),
    };
    config.send_tls13_tickets = scenario.tickets as usize;
    config.max_early_data_size = scenario.early_data;
    if scenario.tickets > 0 && !keeps_sessions {
        let ticketer = BUILT_IN.ticketer.ok_or_else(|| Unready::Unsupported(identity::no_tickets()))?;
        config.ticketer = ticketer()?;
    }
    Ok(Context::Server(Arc::new(config), prepared))
}

fn version(scenario: &Scenario) -> Result<&'static SupportedProtocolVersion, Unready> {
    match scenario.version {
        ProtocolVersion::TLS12 => Ok(&TLS12),
        ProtocolVersion::TLS13 => Ok(&TLS13),
        other => Err(Unready::Unsupported(BUILT_IN.lacks(other))),
    }
}

fn roots(root: &[u8]) -> Result<RootCertStore, Unready> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(root.to_vec()))?;
    Ok(roots)
}

fn certificates(chain: &[Vec<u8>]) -> Vec<CertificateDer<'static>> {
    chain.iter().map(|der| CertificateDer::from(der.clone())).collect()
}
