//! rustls 0.24, as of its pre-releases and of the development branch since September 2025: providers are values with suites by version,
//! or packages.

mod names;
pub mod operations;
#[cfg_attr(not(has_record_traits), path = "records_none.rs")]
mod records;
mod verifier;

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName as Name};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, ServerConfig};
use tlslab_driver_kit::protocol::Scenario;
use tlslab_driver_kit::{ClientMaterial, Material, Unready};

#[cfg(has_peer_identity)]
pub use names::Identity;
#[cfg(has_started_exchanges)]
pub use names::StartedKeyExchange;
pub use names::{
    CipherSuite, CryptoProvider, NamedGroup, ProtocolVersion, SignatureScheme, SupportedKxGroup,
    Tls12Session, Tls13Session, WebPkiSupportedAlgorithms,
};

use crate::roots;

/// The driver's name.
pub const DRIVER: &str = "rustls-dev";

pub type KxGroup = &'static dyn SupportedKxGroup;
pub type ServerName = Name<'static>;
#[cfg(not(has_started_exchanges))]
pub type StartedKeyExchange = Box<dyn rustls::crypto::ActiveKeyExchange>;

#[cfg(has_ticket_producer)]
use rustls::crypto::TicketProducer;
#[cfg(not(has_ticket_producer))]
use rustls::server::ProducesTickets as TicketProducer;
#[cfg(has_optional_ticketer)]
pub type Ticketer = Option<Arc<dyn TicketProducer>>;
#[cfg(not(has_optional_ticketer))]
pub type Ticketer = Arc<dyn TicketProducer>;

/// The name under which sessions are kept, and the same as passed to the library.
#[cfg(has_session_keys)]
pub type Key<'a> = rustls::client::ClientSessionKey<'a>;
#[cfg(not(has_session_keys))]
pub type Key<'a> = Name<'a>;
pub type GivenKey<'a> = Key<'static>;

/// Begins a configuration.
macro_rules! builder {
    ($of:ty, $with:expr) => {{
        #[cfg(has_named_builder)]
        let builder = <$of>::builder_with_provider($with);
        #[cfg(not(has_named_builder))]
        let builder = <$of>::builder($with);
        builder
    }};
}

/// Begins the library's own verifier of a peer.
macro_rules! own_verifier {
    ($of:ty, $roots:expr, $provider:expr) => {{
        #[cfg(all(has_named_builder, not(has_provider_references)))]
        let builder = <$of>::builder_with_provider($roots, $provider.clone());
        #[cfg(all(has_named_builder, has_provider_references))]
        let builder = <$of>::builder_with_provider($roots, $provider);
        #[cfg(not(has_named_builder))]
        let builder = <$of>::builder($roots, $provider);
        let verifier = builder.build()?;
        #[cfg(has_plain_verifiers)]
        let verifier = Arc::new(verifier);
        verifier
    }};
}

use own_verifier;

/// A client's configuration with what its provider and its certificates decide.
pub fn client_config(
    provider: CryptoProvider,
    scenario: &Scenario,
    material: &Material,
) -> Result<ClientConfig, Unready> {
    let provider = Arc::new(provider);
    let verifier = verifier::for_level(scenario.verification, roots::of_client(material)?, &provider)?;
    let builder = builder!(ClientConfig, provider).dangerous().with_custom_certificate_verifier(verifier);
    Ok(match &material.client {
        Some(ClientMaterial { chain, key, .. }) if !chain.is_empty() => {
            builder.with_client_auth_cert(shown(chain)?, PrivatePkcs8KeyDer::from(key.clone()).into())?
        }
        _ => builder.with_no_client_auth()?,
    })
}

/// The same of a server.
pub fn server_config(
    provider: CryptoProvider,
    _: &Scenario,
    material: &Material,
) -> Result<ServerConfig, Unready> {
    let provider = Arc::new(provider);
    let builder = builder!(ServerConfig, provider.clone());
    let builder = match &material.client {
        Some(client) => {
            let roots = Arc::new(roots::of(&client.root)?);
            builder.with_client_cert_verifier(own_verifier!(WebPkiClientVerifier, roots, &provider))
        }
        None => builder.with_no_client_auth(),
    };
    let key = PrivatePkcs8KeyDer::from(material.key.clone()).into();
    Ok(builder.with_single_cert(shown(&material.chain)?, key)?)
}

/// The server that a client asks for.
pub fn server_name(name: &str) -> Result<ServerName, Unready> {
    Ok(ServerName::try_from(name.to_owned())?)
}

/// Has a server send so many tickets.
pub fn set_tickets(config: &mut ServerConfig, tickets: usize) {
    #[cfg(has_ticket_range)]
    let tickets = rustls::server::Tls13Tickets { default: tickets, max: tickets };
    config.send_tls13_tickets = tickets;
}

/// A group's name.
pub fn name(group: &KxGroup) -> NamedGroup {
    group.name()
}

/// A provider's suites.
pub fn suites(provider: &CryptoProvider) -> Vec<CipherSuite> {
    let tls12 = provider.tls12_cipher_suites.iter().map(|suite| suite.common.suite);
    tls12.chain(provider.tls13_cipher_suites.iter().map(|suite| suite.common.suite)).collect()
}

/// Leaves a provider the suites that are `wanted`. A version without suites is not offered.
pub fn keep_suites(provider: &mut CryptoProvider, wanted: impl Fn(CipherSuite) -> bool) {
    let mut tls12 = provider.tls12_cipher_suites.to_vec();
    let mut tls13 = provider.tls13_cipher_suites.to_vec();
    tls12.retain(|suite| wanted(suite.common.suite));
    tls13.retain(|suite| wanted(suite.common.suite));
    (provider.tls12_cipher_suites, provider.tls13_cipher_suites) = (tls12.into(), tls13.into());
}

/// The schemes that a provider's first suite can sign with, where it is one of TLS 1.2.
pub fn schemes_of_suite(provider: &CryptoProvider) -> Option<&'static [SignatureScheme]> {
    provider.tls12_cipher_suites.first().map(|suite| suite.sign)
}

/// Leaves a client one of the schemes that it offers; chains are checked with all algorithms. Where the library's fields are open, it
/// wants them for ever: one entry is leaked per scenario prepared, never per connection.
#[cfg(not(has_mapping))]
pub fn keep_scheme(provider: &mut CryptoProvider, wanted: SignatureScheme) -> Result<(), Unready> {
    let algorithms = &mut provider.signature_verification_algorithms;
    let kept = algorithms.mapping.iter().filter(|(scheme, _)| *scheme == wanted).copied();
    algorithms.mapping = kept.collect::<Vec<_>>().leak();
    Ok(())
}

/// Leaves a client one of the schemes that it offers; chains are checked with all algorithms.
#[cfg(has_mapping)]
pub fn keep_scheme(provider: &mut CryptoProvider, wanted: SignatureScheme) -> Result<(), Unready> {
    let mut mapping = provider.signature_verification_algorithms.mapping().chunks(1);
    let one = mapping.find(|one| one[0].0 == wanted).unwrap_or_default();
    let all = crate::provider::package::ALL_VERIFICATION_ALGS;
    let algorithms = WebPkiSupportedAlgorithms::new(all, one);
    provider.signature_verification_algorithms = algorithms.map_err(rustls::Error::from)?;
    Ok(())
}

/// A side's certificates and key.
#[cfg(has_identity_of_chain)]
fn shown(chain: &[Vec<u8>]) -> Result<Arc<Identity<'static>>, Unready> {
    let chain = chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
    Ok(Arc::new(Identity::from_cert_chain(chain).map_err(rustls::Error::from)?))
}

/// A side's certificates and key.
#[cfg(not(has_identity_of_chain))]
fn shown<T: From<Vec<CertificateDer<'static>>>>(chain: &[Vec<u8>]) -> Result<T, Unready> {
    let chain: Vec<_> = chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
    Ok(chain.into())
}
