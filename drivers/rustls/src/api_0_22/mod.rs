//! rustls 0.22 and 0.23, and the development branch until September 2025: providers are values, and connections buffer.

#[cfg(has_group_versions)]
pub mod operations;
mod verifier;
#[cfg_attr(not(has_version_builder), path = "versions_of_suites.rs")]
mod versions;

use std::sync::Arc;

use rustls::pki_types::{CertificateDer, PrivatePkcs8KeyDer, ServerName as Name};
use rustls::server::{ProducesTickets, WebPkiClientVerifier};
use rustls::{ClientConfig, ServerConfig, SupportedCipherSuite};
use tlslab_driver_kit::protocol::Scenario;
use tlslab_driver_kit::{ClientMaterial, Material, Unready};

use crate::roots;

pub use rustls::client::{Tls12ClientSessionValue as Tls12Session, Tls13ClientSessionValue as Tls13Session};
pub use rustls::crypto::{ActiveKeyExchange, CryptoProvider, SupportedKxGroup};
pub use rustls::{CipherSuite, NamedGroup, ProtocolVersion, SignatureScheme};

/// The driver's name.
pub const DRIVER: &str = "rustls";

pub type KxGroup = &'static dyn SupportedKxGroup;
pub type ServerName = Name<'static>;
pub type StartedKeyExchange = Box<dyn ActiveKeyExchange>;
pub type Ticketer = Arc<dyn ProducesTickets>;
/// The name under which sessions are kept, and the same as passed to the library.
pub type Key<'a> = Name<'a>;
pub type GivenKey<'a> = Name<'static>;

/// A client's configuration with what its provider and its certificates decide.
pub fn client_config(
    provider: CryptoProvider,
    scenario: &Scenario,
    material: &Material,
) -> Result<ClientConfig, Unready> {
    let provider = Arc::new(provider);
    let verifier = verifier::for_level(scenario.verification, roots::of_client(material)?, &provider)?;
    let builder = ClientConfig::builder_with_provider(provider);
    let builder = versions::keep(builder, scenario)?.dangerous().with_custom_certificate_verifier(verifier);
    match &material.client {
        Some(ClientMaterial { chain, key, .. }) if !chain.is_empty() => Ok(builder
            .with_client_auth_cert(certificates(chain), PrivatePkcs8KeyDer::from(key.clone()).into())?),
        _ => versions::checked(builder.with_no_client_auth()),
    }
}

/// The same of a server.
pub fn server_config(
    provider: CryptoProvider,
    scenario: &Scenario,
    material: &Material,
) -> Result<ServerConfig, Unready> {
    let provider = Arc::new(provider);
    let builder = versions::keep(ServerConfig::builder_with_provider(provider.clone()), scenario)?;
    let builder = match &material.client {
        Some(client) => {
            let roots = Arc::new(roots::of(&client.root)?);
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider).build()?;
            builder.with_client_cert_verifier(verifier)
        }
        None => builder.with_no_client_auth(),
    };
    let key = PrivatePkcs8KeyDer::from(material.key.clone()).into();
    Ok(builder.with_single_cert(certificates(&material.chain), key)?)
}

/// The server that a client asks for.
pub fn server_name(name: &str) -> Result<ServerName, Unready> {
    Ok(ServerName::try_from(name.to_owned())?)
}

/// Has a server send so many tickets.
pub fn set_tickets(config: &mut ServerConfig, tickets: usize) {
    config.send_tls13_tickets = tickets;
}

/// A group's name.
pub fn name(group: &KxGroup) -> NamedGroup {
    group.name()
}

/// A provider's suites.
pub fn suites(provider: &CryptoProvider) -> Vec<CipherSuite> {
    provider.cipher_suites.iter().map(SupportedCipherSuite::suite).collect()
}

/// Leaves a provider the suites that are `wanted`.
pub fn keep_suites(provider: &mut CryptoProvider, wanted: impl Fn(CipherSuite) -> bool) {
    provider.cipher_suites.retain(|suite| wanted(suite.suite()));
}

/// The schemes that a provider's first suite can sign with, where it is one of TLS 1.2.
pub fn schemes_of_suite(provider: &CryptoProvider) -> Option<&'static [SignatureScheme]> {
    match provider.cipher_suites.first()? {
        SupportedCipherSuite::Tls12(suite) => Some(suite.sign),
        _ => None,
    }
}

/// Leaves a client one of the schemes that it offers; chains are checked with all algorithms. The library wants these for ever: one
/// entry is leaked per scenario prepared, never per connection.
pub fn keep_scheme(provider: &mut CryptoProvider, wanted: SignatureScheme) -> Result<(), Unready> {
    let algorithms = &mut provider.signature_verification_algorithms;
    let kept = algorithms.mapping.iter().filter(|(scheme, _)| *scheme == wanted).copied();
    algorithms.mapping = kept.collect::<Vec<_>>().leak();
    Ok(())
}

fn certificates(chain: &[Vec<u8>]) -> Vec<CertificateDer<'static>> {
    chain.iter().map(|der| CertificateDer::from(der.clone())).collect()
}
