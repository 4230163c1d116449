//! rustls 0.20 and 0.21: ring is a part of them, and connections buffer.

mod verifier;

use std::sync::Arc;

use rustls::server::ProducesTickets;
use rustls::version::{TLS12, TLS13};
use rustls::{
    ALL_VERSIONS, Certificate, ClientConfig, PrivateKey, RootCertStore, ServerConfig, SupportedCipherSuite,
};
use rustls::{SupportedKxGroup, SupportedProtocolVersion};
use tlslab_driver_kit::protocol::{ProtocolVersion as Version, Scenario};
use tlslab_driver_kit::{Material, Unready};

#[cfg(has_public_names)]
pub use rustls::NamedGroup;
#[cfg(has_session_values)]
pub use rustls::client::{Tls12ClientSessionValue as Tls12Session, Tls13ClientSessionValue as Tls13Session};
#[cfg(not(has_public_names))]
pub use rustls::internal::msgs::enums::NamedGroup;
pub use rustls::{CipherSuite, ProtocolVersion, ServerName, SignatureScheme};

/// The driver's name.
pub const DRIVER: &str = "rustls-0.21";

pub type KxGroup = &'static SupportedKxGroup;
pub type Ticketer = Arc<dyn ProducesTickets>;
/// The name under which sessions are kept, and the same as passed to the library.
#[cfg(has_session_values)]
pub type Key<'a> = ServerName;
#[cfg(has_session_values)]
pub type GivenKey<'a> = &'a ServerName;

/// An equivalent of a later type of rustls.
pub struct CryptoProvider {
    pub cipher_suites: Vec<SupportedCipherSuite>,
    pub kx_groups: Vec<KxGroup>,
    pub signature_verification_algorithms: Schemes,
}

/// The schemes that a client offers.
pub struct Schemes(pub Vec<SignatureScheme>);

impl Schemes {
    /// All of them.
    pub fn supported_schemes(&self) -> Vec<SignatureScheme> {
        self.0.clone()
    }
}

/// A client's configuration with what its provider decides.
pub fn client_config(
    provider: CryptoProvider,
    scenario: &Scenario,
    material: &Material,
) -> Result<ClientConfig, Unready> {
    let mut roots = RootCertStore::empty();
    roots.add(&Certificate(material.root.clone()))?;
    let schemes = provider.signature_verification_algorithms.0;
    let builder = ClientConfig::builder()
        .with_cipher_suites(&provider.cipher_suites)
        .with_kx_groups(&provider.kx_groups)
        .with_protocol_versions(&versions(scenario))?
        .with_custom_certificate_verifier(verifier::for_level(scenario.verification, roots, schemes));
    Ok(builder.with_no_client_auth())
}

/// The same of a server.
pub fn server_config(
    provider: CryptoProvider,
    scenario: &Scenario,
    material: &Material,
) -> Result<ServerConfig, Unready> {
    let chain = material.chain.iter().map(|der| Certificate(der.clone())).collect();
    let builder = ServerConfig::builder()
        .with_cipher_suites(&provider.cipher_suites)
        .with_kx_groups(&provider.kx_groups)
        .with_protocol_versions(&versions(scenario))?
        .with_no_client_auth();
    Ok(builder.with_single_cert(chain, PrivateKey(material.key.clone()))?)
}

/// The server that a client asks for.
pub fn server_name(name: &str) -> Result<ServerName, Unready> {
    Ok(ServerName::try_from(name)?)
}

/// Has a server send so many tickets, where there is a setting.
pub fn set_tickets(config: &mut ServerConfig, tickets: usize) {
    #[cfg(has_ticket_setting)]
    (config.send_tls13_tickets = tickets);
    let _ = (config, tickets);
}

/// A group's name.
pub fn name(group: &KxGroup) -> NamedGroup {
    group.name
}

/// A provider's suites.
pub fn suites(provider: &CryptoProvider) -> Vec<CipherSuite> {
    provider.cipher_suites.iter().map(SupportedCipherSuite::suite).collect()
}

/// Leaves a provider the suites that are `wanted`.
pub fn keep_suites(provider: &mut CryptoProvider, wanted: impl Fn(CipherSuite) -> bool) {
    provider.cipher_suites.retain(|suite| wanted(suite.suite()));
}

/// Nothing: the suites of ring sign with all schemes.
pub fn schemes_of_suite(_: &CryptoProvider) -> Option<&'static [SignatureScheme]> {
    None
}

/// Leaves a client one of the schemes that it offers.
pub fn keep_scheme(provider: &mut CryptoProvider, wanted: SignatureScheme) -> Result<(), Unready> {
    provider.signature_verification_algorithms.0.retain(|scheme| *scheme == wanted);
    Ok(())
}

/// The scenario's version, or all, which are the default.
fn versions(scenario: &Scenario) -> Vec<&'static SupportedProtocolVersion> {
    match scenario.version {
        _ if scenario.defaults => ALL_VERSIONS.to_vec(),
        Version::TLS12 => vec![&TLS12],
        _ => vec![&TLS13],
    }
}
