//! The provider that was built in, cut down to what a scenario pins.

use rustls::crypto::{CryptoProvider, SupportedKxGroup, WebPkiSupportedAlgorithms};
use rustls::server::ProducesTickets;
use std::sync::Arc;
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::{CipherSuite, Group, Scenario};

#[cfg(all(feature = "aws-lc-rs", feature = "ring"))]
compile_error!("choose one provider: build with the feature ring or with the feature aws-lc-rs");
#[cfg(not(any(feature = "aws-lc-rs", feature = "ring")))]
compile_error!("choose a provider: build with the feature ring or with the feature aws-lc-rs");

#[cfg(feature = "aws-lc-rs")]
use rustls::crypto::aws_lc_rs as built_in;
#[cfg(feature = "ring")]
use rustls::crypto::ring as built_in;

/// The provider's package, and the package that holds its cryptography.
#[cfg(feature = "aws-lc-rs")]
pub const PACKAGES: &[&str] = &["aws-lc-rs", "aws-lc-sys", "rustls-webpki"];
/// The provider's package.
#[cfg(feature = "ring")]
pub const PACKAGES: &[&str] = &["ring", "rustls-webpki"];

/// All suites of TLS 1.3 that the provider has.
pub fn suites() -> Vec<CipherSuite> {
    let tls13 = built_in::DEFAULT_CIPHER_SUITES.iter().filter(|suite| suite.tls13().is_some());
    tls13.map(|suite| CipherSuite(suite.suite().into())).collect()
}

/// All groups that the provider has.
pub fn groups() -> Vec<Group> {
    built_in::ALL_KX_GROUPS.iter().map(|group| Group(group.name().into())).collect()
}

/// The provider with exactly one suite, one group and one signature scheme to offer.
pub fn pinned(scenario: &Scenario) -> Result<CryptoProvider, Unready> {
    let mut provider = built_in::default_provider();
    provider.cipher_suites.retain(|suite| u16::from(suite.suite()) == scenario.suite.0);
    if provider.cipher_suites.is_empty() {
        return Err(Unready::Unsupported(format!("the provider has no {}", scenario.suite)));
    }
    provider.kx_groups = vec![group(scenario.group)?];
    provider.signature_verification_algorithms = one_scheme(&provider, scenario)?;
    Ok(provider)
}

/// What makes the tickets of a server that sends any.
pub fn ticketer() -> Result<Arc<dyn ProducesTickets>, rustls::Error> {
    built_in::Ticketer::new()
}

fn group(wanted: Group) -> Result<&'static dyn SupportedKxGroup, Unready> {
    let found = built_in::ALL_KX_GROUPS.iter().find(|group| u16::from(group.name()) == wanted.0);
    found.copied().ok_or_else(|| Unready::Unsupported(format!("the provider has no group {wanted}")))
}

/// The client offers the schemes of `mapping`, so that one is offered; chains are checked with `all`, which stays.
fn one_scheme(provider: &CryptoProvider, scenario: &Scenario) -> Result<WebPkiSupportedAlgorithms, Unready> {
    let algorithms = provider.signature_verification_algorithms;
    let wanted = scenario.signature.signature_scheme();
    let found = algorithms.mapping.iter().find(|(scheme, _)| u16::from(*scheme) == wanted.0);
    let entry = found.ok_or_else(|| Unready::Unsupported(format!("the provider has no {wanted}")))?;
    // The library wants these for ever. One entry is leaked per scenario prepared, never per connection.
    let mapping: &'static _ = Box::leak(Box::new([*entry]));
    Ok(WebPkiSupportedAlgorithms { all: algorithms.all, mapping })
}
