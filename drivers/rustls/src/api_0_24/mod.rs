//! rustls 0.24, as of its pre-release: providers are packages, and connections take and give byte buffers.

pub mod operations;
mod verifier;

use std::sync::Arc;

use rustls::client::ClientSessionKey;
use rustls::crypto::{Identity, TicketProducer};
use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName as Name};
use rustls::server::{Tls13Tickets, WebPkiClientVerifier};
use rustls::{ClientConfig, ServerConfig};
use tlslab_driver_kit::protocol::Scenario;
use tlslab_driver_kit::{ClientMaterial, Material, Unready};

pub use rustls::client::{Tls12Session, Tls13Session};
pub use rustls::crypto::kx::{NamedGroup, StartedKeyExchange, SupportedKxGroup};
pub use rustls::crypto::{CipherSuite, CryptoProvider, SignatureScheme, WebPkiSupportedAlgorithms};
pub use rustls::enums::ProtocolVersion;

use crate::provider::package::ALL_VERIFICATION_ALGS;
use crate::roots;

/// The driver's name.
pub const DRIVER: &str = "rustls-dev";

pub type KxGroup = &'static dyn SupportedKxGroup;
pub type ServerName = Name<'static>;
pub type Ticketer = Option<Arc<dyn TicketProducer>>;
/// What sessions are kept under, and the same as it is given away.
pub type Key<'a> = ClientSessionKey<'a>;
pub type GivenKey<'a> = ClientSessionKey<'static>;

/// A client's configuration with what its provider and its certificates decide.
pub fn client_config(
    provider: CryptoProvider,
    scenario: &Scenario,
    material: &Material,
) -> Result<ClientConfig, Unready> {
    let verifier = verifier::for_level(scenario.verification, roots::of_client(material)?, &provider)?;
    let builder =
        ClientConfig::builder(Arc::new(provider)).dangerous().with_custom_certificate_verifier(verifier);
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
    let builder = ServerConfig::builder(provider.clone());
    let builder = match &material.client {
        Some(client) => {
            let roots = Arc::new(roots::of(&client.root)?);
            let verifier = WebPkiClientVerifier::builder(roots, &provider).build()?;
            builder.with_client_cert_verifier(Arc::new(verifier))
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
    config.send_tls13_tickets = Tls13Tickets { default: tickets, max: tickets };
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
    provider.tls12_cipher_suites.to_mut().retain(|suite| wanted(suite.common.suite));
    provider.tls13_cipher_suites.to_mut().retain(|suite| wanted(suite.common.suite));
}

/// The schemes that a provider's first suite can sign with, where it is one of TLS 1.2.
pub fn schemes_of_suite(provider: &CryptoProvider) -> Option<&'static [SignatureScheme]> {
    provider.tls12_cipher_suites.first().map(|suite| suite.sign)
}

/// Leaves a client one of the schemes that it offers; chains are checked with all algorithms.
pub fn keep_scheme(provider: &mut CryptoProvider, wanted: SignatureScheme) -> Result<(), Unready> {
    let mut mapping = provider.signature_verification_algorithms.mapping().chunks(1);
    let one = mapping.find(|one| one[0].0 == wanted).unwrap_or_default();
    let algorithms = WebPkiSupportedAlgorithms::new(ALL_VERIFICATION_ALGS, one);
    provider.signature_verification_algorithms = algorithms.map_err(rustls::Error::from)?;
    Ok(())
}

/// What a side shows of itself.
fn shown(chain: &[Vec<u8>]) -> Result<Arc<Identity<'static>>, Unready> {
    let chain = chain.iter().map(|der| CertificateDer::from(der.clone())).collect();
    Ok(Arc::new(Identity::from_cert_chain(chain).map_err(rustls::Error::from)?))
}
