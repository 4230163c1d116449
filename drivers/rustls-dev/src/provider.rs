//! The provider that was built in, cut down to what a scenario pins.

use std::borrow::Cow;

use rustls::crypto::kx::SupportedKxGroup;
use rustls::crypto::{CryptoProvider, WebPkiSupportedAlgorithms};
use rustls::pki_types::SignatureVerificationAlgorithm;
use rustls::{Tls12CipherSuite, Tls13CipherSuite};
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::{CipherSuite, Group, ProtocolVersion, Scenario, SignatureScheme};

use crate::prepared::PreparedGroup;

#[cfg(all(feature = "aws-lc-rs", feature = "ring"))]
compile_error!("choose one provider: build with the feature ring or with the feature aws-lc-rs");
#[cfg(not(any(feature = "aws-lc-rs", feature = "ring")))]
compile_error!("choose a provider: build with the feature ring or with the feature aws-lc-rs");

#[cfg(feature = "aws-lc-rs")]
use rustls_aws_lc_rs as built_in;
#[cfg(feature = "ring")]
use rustls_ring as built_in;

/// The provider's name, as it stands in sentences.
pub const NAME: &str = if cfg!(feature = "ring") { "ring" } else { "aws-lc-rs" };

/// The packages that do the cryptography.
#[cfg(feature = "aws-lc-rs")]
pub const PACKAGES: &[&str] = &["rustls-aws-lc-rs", "aws-lc-rs", "aws-lc-sys", "rustls-webpki"];
/// The packages that do the cryptography.
#[cfg(feature = "ring")]
pub const PACKAGES: &[&str] = &["rustls-ring", "ring", "rustls-webpki"];

/// All that it has.
pub const DEFAULT: CryptoProvider = built_in::DEFAULT_PROVIDER;

/// What chains are checked with.
pub static CHAIN_ALGORITHMS: &[&dyn SignatureVerificationAlgorithm] = built_in::ALL_VERIFICATION_ALGS;

/// Whether the provider has a suite.
pub fn has_suite(wanted: CipherSuite) -> bool {
    tls12_suite(wanted).is_some() || tls13_suite(wanted).is_some()
}

fn tls12_suite(wanted: CipherSuite) -> Option<&'static Tls12CipherSuite> {
    let mut suites = built_in::ALL_TLS12_CIPHER_SUITES.iter();
    suites.find(|suite| u16::from(suite.common.suite) == wanted.0).copied()
}

/// One of the provider's suites of TLS 1.3.
pub fn tls13_suite(wanted: CipherSuite) -> Option<&'static Tls13CipherSuite> {
    let mut suites = built_in::ALL_TLS13_CIPHER_SUITES.iter();
    suites.find(|suite| u16::from(suite.common.suite) == wanted.0).copied()
}

/// Whether the provider has a group.
pub fn has_group(wanted: Group) -> bool {
    group(wanted).is_some()
}

/// Why there is no `what`.
pub fn lacks(what: impl ToString) -> String {
    format!("{NAME} has no {}", what.to_string())
}

/// The provider with exactly one suite, one group and one signature scheme to offer. A version without suites is not
/// offered.
pub fn pinned(scenario: &Scenario) -> Result<CryptoProvider, Unready> {
    let no_suite = || Unready::Unsupported(lacks(scenario.suite));
    let (tls12, tls13) = match scenario.version {
        ProtocolVersion::TLS12 => (vec![tls12_suite(scenario.suite).ok_or_else(no_suite)?], vec![]),
        ProtocolVersion::TLS13 => (vec![], vec![tls13_suite(scenario.suite).ok_or_else(no_suite)?]),
        other => return Err(Unready::Unsupported(lacks(other))),
    };
    let group = known_group(scenario.group)?;
    let all = DEFAULT;
    Ok(CryptoProvider {
        tls12_cipher_suites: Cow::Owned(tls12),
        tls13_cipher_suites: Cow::Owned(tls13),
        kx_groups: Cow::Owned(vec![group]),
        signature_verification_algorithms: one_scheme(&all, scenario)?,
        ..all
    })
}

/// Whether the provider has a signature scheme.
pub fn has_scheme(wanted: SignatureScheme) -> bool {
    let mapping = DEFAULT.signature_verification_algorithms;
    mapping.mapping().iter().any(|(scheme, _)| u16::from(*scheme) == wanted.0)
}

/// The same for a client, with the group before it that the server does not take, where the scenario has one.
pub fn pinned_client(scenario: &Scenario) -> Result<CryptoProvider, Unready> {
    let mut provider = pinned(scenario)?;
    if let Some(first) = scenario.retry_group() {
        provider.kx_groups.to_mut().insert(0, known_group(first)?);
    }
    Ok(provider)
}

/// The scenario's group with key exchanges that are begun beforehand; leaked once per scenario prepared.
pub fn prepared_group(scenario: &Scenario) -> Result<&'static PreparedGroup, Unready> {
    Ok(Box::leak(Box::new(PreparedGroup::new(known_group(scenario.group)?))))
}

/// One of the provider's groups.
pub fn known_group(wanted: Group) -> Result<&'static dyn SupportedKxGroup, Unready> {
    group(wanted).ok_or_else(|| Unready::Unsupported(lacks(wanted)))
}

fn group(wanted: Group) -> Option<&'static dyn SupportedKxGroup> {
    built_in::ALL_KX_GROUPS.iter().copied().find(|group| u16::from(group.name()) == wanted.0)
}

/// The client offers the schemes of the mapping, so that one is offered; chains are checked with all algorithms.
fn one_scheme(provider: &CryptoProvider, scenario: &Scenario) -> Result<WebPkiSupportedAlgorithms, Unready> {
    let wanted = scenario.signature_scheme();
    let mut mapping = provider.signature_verification_algorithms.mapping().chunks(1);
    let one = mapping.find(|one| u16::from(one[0].0) == wanted.0);
    let one = one.ok_or_else(|| Unready::Unsupported(lacks(wanted)))?;
    Ok(WebPkiSupportedAlgorithms::new(CHAIN_ALGORITHMS, one).map_err(rustls::Error::from)?)
}
