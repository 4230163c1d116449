//! A scenario as rustls's configuration.

use std::borrow::Cow;
use std::sync::Arc;

use rustls::client::{Resumption as Memory, Tls12Resumption};
use rustls::crypto::Identity;
use rustls::crypto::kx::SupportedKxGroup;
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName};
use rustls::server::{NoServerSessionStorage, ServerSessionMemoryCache, Tls13Tickets, WebPkiClientVerifier};
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use tlslab_driver_kit::protocol::{Resumption, Scenario, ServerKeyShare, Side};
use tlslab_driver_kit::{ClientMaterial, Material, Unready};

use crate::latest::Latest;
use crate::prepared::PreparedGroup;
use crate::sessions::Session;
use crate::{identity, provider, verifier};

/// Sessions that a server keeps: one is in use.
const MOST_SESSIONS: usize = 256;

/// A side's configuration, shared by its connections.
pub enum Context {
    Client(Arc<ClientConfig>, ServerName<'static>, Arc<Latest<Session>>),
    Server(Arc<ServerConfig>, Option<&'static PreparedGroup>),
}

impl Context {
    /// Pins what the scenario pins.
    pub fn new(side: Side, scenario: &Scenario, material: &Material) -> Result<Self, Unready> {
        match side {
            Side::Client => client(scenario, material),
            Side::Server => server(scenario, material),
        }
    }

    /// Lays a session down where the next client looks for one.
    pub fn put_session(&self, session: Session) {
        if let Context::Client(_, _, latest) = self {
            latest.put(Some(session));
        }
    }
}

fn client(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    let provider = Arc::new(provider::pinned_client(scenario)?);
    let verifier = verifier::for_level(scenario.verification, roots(&material.root)?, &provider)?;
    let builder = ClientConfig::builder(provider).dangerous().with_custom_certificate_verifier(verifier);
    let mut config = match &material.client {
        Some(ClientMaterial { chain, key, .. }) if !chain.is_empty() => {
            builder.with_client_auth_cert(shown(chain)?, PrivatePkcs8KeyDer::from(key.clone()).into())?
        }
        _ => builder.with_no_client_auth()?,
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

fn server(scenario: &Scenario, material: &Material) -> Result<Context, Unready> {
    let mut provider = provider::pinned(scenario)?;
    let prepared = match scenario.server_key_share {
        ServerKeyShare::Fresh => None,
        ServerKeyShare::Pregenerated => Some(provider::prepared_group(scenario)?),
    };
    if let Some(group) = prepared {
        let group: &'static dyn SupportedKxGroup = group;
        provider.kx_groups = Cow::Owned(vec![group]);
    }
    let provider = Arc::new(provider);
    let ticketer = provider.ticketer_factory;
    let key = PrivatePkcs8KeyDer::from(material.key.clone()).into();
    let builder = ServerConfig::builder(provider.clone());
    let builder = match &material.client {
        Some(client) => {
            let roots = Arc::new(roots(&client.root)?);
            let verifier = WebPkiClientVerifier::builder(roots, &provider).build()?;
            builder.with_client_cert_verifier(Arc::new(verifier))
        }
        None => builder.with_no_client_auth(),
    };
    let mut config = builder.with_single_cert(shown(&material.chain)?, key)?;
    // rustls accepts early data only where it keeps the sessions of its tickets and forgets each when it is taken up.
    let keeps_sessions = scenario.resumption == Resumption::SessionId || scenario.early_data > 0;
    config.session_storage = match keeps_sessions {
        true => ServerSessionMemoryCache::new(MOST_SESSIONS),
        false => Arc::new(NoServerSessionStorage {}),
    };
    config.max_early_data_size = scenario.early_data;
    let tickets = scenario.tickets as usize;
    config.send_tls13_tickets = Tls13Tickets { default: tickets, max: tickets };
    if tickets > 0 && !keeps_sessions {
        config.ticketer = Some(ticketer.ticketer()?);
    }
    Ok(Context::Server(Arc::new(config), prepared))
}

fn roots(root: &[u8]) -> Result<RootCertStore, Unready> {
    let mut roots = RootCertStore::empty();
    roots.add(CertificateDer::from(root.to_vec()))?;
    Ok(roots)
}

/// What a side shows of itself.
fn shown(chain: &[Vec<u8>]) -> Result<Arc<Identity<'static>>, Unready> {
    let chain = chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
    Ok(Arc::new(Identity::from_cert_chain(chain).map_err(rustls::Error::from)?))
}
