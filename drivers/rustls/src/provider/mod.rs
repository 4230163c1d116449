//! The provider that was built in, cut down to what a scenario pins.

use std::sync::Arc;

use rustls::SupportedCipherSuite;
use rustls::crypto::{CryptoProvider, SupportedKxGroup, WebPkiSupportedAlgorithms};
use rustls::server::ProducesTickets;
use tlslab_driver_kit::Unready;
use tlslab_driver_kit::protocol::{CipherSuite, Group, Scenario, SignatureScheme};

use crate::point::Point as _;

#[cfg_attr(feature = "aws-lc-rs", path = "aws_lc_rs.rs")]
#[cfg_attr(feature = "free", path = "free/mod.rs")]
#[cfg_attr(feature = "graviola", path = "graviola.rs")]
#[cfg_attr(feature = "openssl", path = "openssl.rs")]
#[cfg_attr(feature = "ring", path = "ring.rs")]
#[cfg_attr(feature = "rustcrypto", path = "rustcrypto.rs")]
mod built_in;
#[cfg(has_group_versions)]
mod prepared;
#[cfg(not(has_group_versions))]
#[path = "prepared_none.rs"]
mod prepared;

pub use built_in::BUILT_IN;
pub use prepared::PreparedGroup;

const CHOSEN: usize = cfg!(feature = "aws-lc-rs") as usize
    + cfg!(feature = "free") as usize
    + cfg!(feature = "graviola") as usize
    + cfg!(feature = "openssl") as usize
    + cfg!(feature = "ring") as usize
    + cfg!(feature = "rustcrypto") as usize;
const _: () = assert!(CHOSEN == 1, "choose one provider: build with exactly one of the features");

/// Whether a key exchange can be begun before its connection: the driver wraps groups by the traits of this release.
pub const PREPARES_GROUPS: bool = cfg!(has_group_versions);

/// Why it cannot.
pub const NO_PREPARED_GROUPS: &str = "the driver prepares key shares since rustls 0.23.20 alone";

/// What differs between providers.
pub struct BuiltIn {
    /// Its name, as it stands in sentences.
    pub name: &'static str,
    /// All that it has.
    pub provider: fn() -> CryptoProvider,
    /// All groups, also those that it does not offer by itself.
    pub groups: fn() -> Vec<&'static dyn SupportedKxGroup>,
    /// What makes tickets.
    pub ticketer: Option<MakeTicketer>,
    /// The packages that do the cryptography.
    pub packages: &'static [&'static str],
    /// What these packages link, as it reports itself.
    pub linked: fn() -> Vec<(String, String)>,
    /// Why nothing runs on this machine, if that is so.
    pub refusal: fn() -> Option<String>,
    /// Why the client verifies no chain, if that is so.
    pub no_chains: Option<&'static str>,
    /// What a reader must know beside its figures.
    pub notes: &'static [&'static str],
    /// What else is worth knowing.
    pub details: &'static [&'static str],
}

type MakeTicketer = fn() -> Result<Arc<dyn ProducesTickets>, rustls::Error>;

impl BuiltIn {
    /// All suites that run on this machine.
    pub fn suites(&self) -> Vec<CipherSuite> {
        if (self.refusal)().is_some() {
            return vec![];
        }
        (self.provider)().cipher_suites.iter().map(|suite| CipherSuite(suite.suite().point())).collect()
    }

    /// Why there is no `what`.
    pub fn lacks(&self, what: impl ToString) -> String {
        (self.refusal)().unwrap_or_else(|| format!("{} has no {}", self.name, what.to_string()))
    }

    /// The provider with exactly one suite, one group and one signature scheme to offer.
    pub fn pinned(&self, scenario: &Scenario) -> Result<CryptoProvider, Unready> {
        if let Some(reason) = (self.refusal)() {
            return Err(Unready::Unsupported(reason));
        }
        let mut provider = (self.provider)();
        provider.cipher_suites.retain(|suite| suite.suite().point() == scenario.suite.0);
        if provider.cipher_suites.is_empty() {
            return Err(Unready::Unsupported(self.lacks(scenario.suite)));
        }
        let scheme = scenario.signature_scheme();
        if let Some(SupportedCipherSuite::Tls12(suite)) = provider.cipher_suites.first()
            && !suite.sign.iter().any(|known| known.point() == scheme.0)
        {
            return Err(Unready::Unsupported(self.lacks(format!("{scheme} in TLS 1.2"))));
        }
        provider.kx_groups = vec![self.group(scenario.group)?];
        provider.signature_verification_algorithms = self.one_scheme(&provider, scenario)?;
        Ok(provider)
    }

    /// Whether it has a group.
    pub fn has_group(&self, group: Group) -> bool {
        self.group(group).is_ok()
    }

    /// Whether it has a signature scheme.
    pub fn has_scheme(&self, wanted: SignatureScheme) -> bool {
        let algorithms = (self.provider)().signature_verification_algorithms;
        algorithms.mapping.iter().any(|(scheme, _)| scheme.point() == wanted.0)
    }

    /// The same for a client, with the group before it that the server does not take, where the scenario has one.
    pub fn pinned_client(&self, scenario: &Scenario) -> Result<CryptoProvider, Unready> {
        let mut provider = self.pinned(scenario)?;
        if let Some(first) = scenario.retry_group() {
            provider.kx_groups.insert(0, self.group(first)?);
        }
        Ok(provider)
    }

    /// The scenario's group with key exchanges that are begun beforehand; leaked once per scenario prepared.
    pub fn prepared_group(&self, scenario: &Scenario) -> Result<&'static PreparedGroup, Unready> {
        if !PREPARES_GROUPS {
            return Err(Unready::Unsupported(NO_PREPARED_GROUPS.to_owned()));
        }
        Ok(Box::leak(Box::new(PreparedGroup::new(self.group(scenario.group)?))))
    }

    /// One of the provider's groups.
    pub fn group(&self, wanted: Group) -> Result<&'static dyn SupportedKxGroup, Unready> {
        let found = (self.groups)().into_iter().find(|group| group.name().point() == wanted.0);
        found.ok_or_else(|| Unready::Unsupported(self.lacks(wanted)))
    }

    /// The client offers the schemes of `mapping`, so that one is offered; chains are checked with `all`, which stays.
    fn one_scheme(
        &self,
        provider: &CryptoProvider,
        scenario: &Scenario,
    ) -> Result<WebPkiSupportedAlgorithms, Unready> {
        let algorithms = provider.signature_verification_algorithms;
        let wanted = scenario.signature_scheme();
        let found = algorithms.mapping.iter().find(|(scheme, _)| scheme.point() == wanted.0);
        let entry = found.ok_or_else(|| Unready::Unsupported(self.lacks(wanted)))?;
        // The library wants these for ever. One entry is leaked per scenario prepared, never per connection.
        let mapping: &'static _ = Box::leak(Box::new([*entry]));
        Ok(WebPkiSupportedAlgorithms { all: algorithms.all, mapping })
    }
}
