//! A scenario as rustls's configuration.

use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::Identity;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::{NoServerSessionStorage, Tls13Tickets};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tlslab_driver_kit::protocol::{ProtocolVersion, Scenario, Side};
use tlslab_driver_kit::{Material, Unready};

use crate::{identity, provider, verifier};

/// A side's configuration, shared by its connections.
pub enum Context {
    Client(Arc<ClientConfig>, ServerName<'static>),
    Server(Arc<ServerConfig>),
}

impl Context {
    /// Pins what the scenario pins.
    pub fn new(side: Side, scenario: &Scenario, material: &Material) -> Result<Self, Unready> {
        if scenario.version != ProtocolVersion::TLS13 {
            return Err(Unready::Unsupported(identity::NO_TLS12.to_owned()));
        }
        match side {
            Side::Client => client(scenario, material),
            Side::Server => server(scenario, material),
        }
    }
}

fn client(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    let provider = Arc::new(provider::pinned(scenario)?);
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(material.root.clone()))?;
    let verifier = verifier::for_level(scenario.verification, roots, &provider)?;
    let mut config = ClientConfig::builder(provider)
        .dangerous()
        .with_custom_certificate_verifier(verifier)
        .with_no_client_auth()?;
    config.resumption = Resumption::disabled();
    Ok(Context::Client(Arc::new(config), ServerName::try_from(material.server_name.clone())?))
}

fn server(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    let provider = provider::pinned(scenario)?;
    let ticketer = provider.ticketer_factory;
    let chain = material.chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
    let identity = Identity::from_cert_chain(chain).map_err(rustls::Error::from)?;
    let key = PrivatePkcs8KeyDer::from(material.key.clone()).into();
    let mut config = ServerConfig::builder(Arc::new(provider))
        .with_no_client_auth()
        .with_single_cert(Arc::new(identity), key)?;
    config.session_storage = Arc::new(NoServerSessionStorage {});
    let tickets = scenario.tickets as usize;
    config.send_tls13_tickets = Tls13Tickets { default: tickets, max: tickets };
    if tickets > 0 {
        config.ticketer = Some(ticketer.ticketer()?);
    }
    Ok(Context::Server(Arc::new(config)))
}
