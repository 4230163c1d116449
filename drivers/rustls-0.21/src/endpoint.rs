//! Both sides of rustls behind the kit's contract.

use std::sync::Arc;

use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache};
use rustls::version::{TLS12, TLS13};
use rustls::{
    ALL_CIPHER_SUITES, ALL_KX_GROUPS, Certificate, ClientConfig, ClientConnection, PrivateKey, RootCertStore,
    ServerConfig, ServerConnection, ServerName, SupportedCipherSuite, SupportedKxGroup,
    SupportedProtocolVersion, Ticketer,
};
use tlslab_driver_kit::protocol::{
    CipherSuite, Group, ProtocolVersion, Resumption, Scenario, ServerKeyShare, Side, SideFacts,
};
use tlslab_driver_kit::{
    Assignment, Buffer, Endpoint, EndpointError, Identity, Material, Primitive, Progress, Unready,
};

use crate::identity::{self, refused};
use crate::latest::Latest;
use crate::point::Point as _;
use crate::sessions::Session;
use crate::{transport, verifier};

/// Sessions that a server keeps: one is in use.
const MOST_SESSIONS: usize = 256;

/// rustls with ring.
pub struct Rustls;

/// A side's configuration, shared by its connections.
pub enum Context {
    Client(Arc<ClientConfig>, ServerName, Arc<Latest<Session>>),
    Server(Arc<ServerConfig>),
}

/// One side of a connection, and where a client's session goes.
pub struct Connection {
    rustls: rustls::Connection,
    latest: Option<Arc<Latest<Session>>>,
}

impl Endpoint for Rustls {
    type Context = Context;
    type Connection = Connection;
    type Session = Session;

    fn identity(&self) -> Identity {
        identity::identity()
    }

    fn context(&self, side: Side, scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
        if material.client.is_some() {
            return Err(refused(identity::NO_CLIENT_CERTIFICATES));
        }
        match side {
            Side::Client => client(scenario, material),
            Side::Server => server(scenario, material),
        }
    }

    fn create(&self, context: &Context) -> Result<Connection, EndpointError> {
        Ok(match context {
            Context::Client(config, name, latest) => {
                let client = ClientConnection::new(config.clone(), name.clone())?;
                Connection { rustls: transport::unlimited(client), latest: Some(latest.clone()) }
            }
            Context::Server(config) => {
                let server = ServerConnection::new(config.clone())?;
                Connection { rustls: transport::unlimited(server), latest: None }
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

    fn primitive(&self, _: &Assignment, _: &Material) -> Result<Box<dyn Primitive + '_>, Unready> {
        Err(refused(identity::NO_PRIMITIVES))
    }

    /// These releases report neither the group nor whether a session was taken up nor tickets.
    fn facts(&self, connection: &Connection) -> SideFacts {
        let connection = &connection.rustls;
        SideFacts {
            version: connection.protocol_version().map(|version| ProtocolVersion(version.point())),
            suite: connection.negotiated_cipher_suite().map(|suite| CipherSuite(suite.suite().point())),
            group: None,
            signature_scheme: None,
            resumed: None,
            peer_certificate: connection
                .peer_certificates()
                .and_then(|chain| chain.first())
                .map(|leaf| leaf.0.clone()),
            tickets_received: None,
            early_data_accepted: match connection {
                rustls::Connection::Client(client) => client.is_early_data_accepted().then_some(true),
                rustls::Connection::Server(_) => None,
            },
        }
    }
}

fn client(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    let mut roots = RootCertStore::empty();
    roots.add(&Certificate(material.root.clone()))?;
    let scheme = scenario.signature_scheme().0.into();
    let verifier = verifier::for_level(scenario.verification, roots, scheme)?;
    let mut groups = vec![group(scenario.group)?];
    if let Some(first) = scenario.retry_group() {
        groups.insert(0, group(first)?);
    }
    let mut config = ClientConfig::builder()
        .with_cipher_suites(&[suite(scenario.suite)?])
        .with_kx_groups(&groups)
        .with_protocol_versions(&[version(scenario)?])?
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth();
    let latest = Arc::new(Latest::default());
    config.enable_early_data = scenario.early_data > 0;
    // In TLS 1.3 the setting says which kinds of pre-shared keys a client takes, without which there is no ticket.
    let is_13 = scenario.version == ProtocolVersion::TLS13;
    match scenario.resumption {
        Resumption::None => without_sessions(&mut config, is_13),
        Resumption::ExternalPsk | Resumption::ExternalPskOnly => {
            return Err(refused(identity::NO_EXTERNAL_PSK));
        }
        Resumption::SessionId => with_sessions(&mut config, latest.clone(), is_13),
        Resumption::Ticket | Resumption::TicketReused => with_sessions(&mut config, latest.clone(), true),
    }
    let name = ServerName::try_from(material.server_name.as_str())?;
    Ok(Context::Client(Arc::new(config), name, latest))
}

#[cfg(has_session_values)]
fn without_sessions(config: &mut ClientConfig, _: bool) {
    config.resumption = rustls::client::Resumption::disabled();
}

#[cfg(has_session_values)]
fn with_sessions(config: &mut ClientConfig, latest: Arc<Latest<Session>>, tickets: bool) {
    use rustls::client::{Resumption, Tls12Resumption};
    let tls12 = if tickets { Tls12Resumption::SessionIdOrTickets } else { Tls12Resumption::SessionIdOnly };
    config.resumption = Resumption::store(latest).tls12_resumption(tls12);
}

#[cfg(not(has_session_values))]
fn without_sessions(config: &mut ClientConfig, tickets: bool) {
    config.session_storage = Arc::new(rustls::client::NoClientSessionStorage {});
    config.enable_tickets = tickets;
}

#[cfg(not(has_session_values))]
fn with_sessions(config: &mut ClientConfig, latest: Arc<Latest<Session>>, tickets: bool) {
    config.session_storage = latest;
    config.enable_tickets = tickets;
}

fn server(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    if scenario.server_key_share == ServerKeyShare::Pregenerated {
        return Err(refused(identity::NO_PREPARED_GROUPS));
    }
    let chain = material.chain.iter().map(|der| Certificate(der.clone())).collect();
    let mut config = ServerConfig::builder()
        .with_cipher_suites(&[suite(scenario.suite)?])
        .with_kx_groups(&[group(scenario.group)?])
        .with_protocol_versions(&[version(scenario)?])?
        .with_no_client_auth()
        .with_single_cert(chain, PrivateKey(material.key.clone()))?;
    // rustls accepts early data only where it keeps the sessions of its tickets and forgets each when it is taken up.
    let keeps_sessions = scenario.resumption == Resumption::SessionId || scenario.early_data > 0;
    config.session_storage = match keeps_sessions {
        true => ServerSessionMemoryCache::new(MOST_SESSIONS),
        false => Arc::new(NoServerSessionStorage {}),
    };
    set_tickets(&mut config, scenario.tickets)?;
    config.max_early_data_size = scenario.early_data;
    if scenario.tickets > 0 && !keeps_sessions {
        config.ticketer = Ticketer::new()?;
    }
    Ok(Context::Server(Arc::new(config)))
}

#[cfg(has_ticket_setting)]
fn set_tickets(config: &mut ServerConfig, tickets: u32) -> Result<(), Unready> {
    config.send_tls13_tickets = tickets as usize;
    Ok(())
}

#[cfg(not(has_ticket_setting))]
fn set_tickets(_: &mut ServerConfig, tickets: u32) -> Result<(), Unready> {
    if tickets > 1 { Err(refused(identity::ONE_TICKET)) } else { Ok(()) }
}

fn version(scenario: &Scenario) -> Result<&'static SupportedProtocolVersion, Unready> {
    match scenario.version {
        ProtocolVersion::TLS12 => Ok(&TLS12),
        ProtocolVersion::TLS13 => Ok(&TLS13),
        other => Err(refused(&identity::lacks(other))),
    }
}

fn suite(wanted: CipherSuite) -> Result<SupportedCipherSuite, Unready> {
    let found = ALL_CIPHER_SUITES.iter().find(|suite| suite.suite().point() == wanted.0);
    found.copied().ok_or_else(|| refused(&identity::lacks(wanted)))
}

fn group(wanted: Group) -> Result<&'static SupportedKxGroup, Unready> {
    let found = ALL_KX_GROUPS.iter().find(|group| group.name.point() == wanted.0);
    found.copied().ok_or_else(|| refused(&identity::lacks(wanted)))
}
