//! The provider that was built in, cut down to what a scenario pins.

#[cfg_attr(api = "0.20", path = "part_of_rustls.rs")]
#[cfg_attr(api = "0.24", path = "package.rs")]
#[cfg_attr(all(api = "0.22", feature = "aws-lc-rs"), path = "aws_lc_rs.rs")]
#[cfg_attr(all(api = "0.22", feature = "free"), path = "free/mod.rs")]
#[cfg_attr(all(api = "0.22", feature = "graviola"), path = "graviola.rs")]
#[cfg_attr(all(api = "0.22", feature = "openssl"), path = "openssl.rs")]
#[cfg_attr(all(api = "0.22", feature = "ring"), path = "ring.rs")]
#[cfg_attr(all(api = "0.22", feature = "rustcrypto"), path = "rustcrypto.rs")]
mod built_in;
#[cfg_attr(api = "0.20", path = "prepared_none.rs")]
mod prepared;

use tlslab_driver_kit::protocol::{CipherSuite, Group, Scenario, SignatureScheme};
use tlslab_driver_kit::{Ability, Unready};

pub use built_in::BUILT_IN;
#[cfg(has_mapping)]
pub use built_in::package;
pub use prepared::{NO_PREPARED_GROUPS, PreparedGroup, prepare};

use crate::api::{self, CryptoProvider, KxGroup, Ticketer};
use crate::point::Point as _;

/// The differences between providers.
pub struct BuiltIn {
    /// Its name, as it stands in sentences.
    pub name: &'static str,
    /// All that it has.
    pub provider: fn() -> CryptoProvider,
    /// All groups, including those that it does not offer by default.
    pub groups: fn() -> Vec<KxGroup>,
    /// The producer of tickets.
    pub ticketer: Option<fn() -> Result<Ticketer, rustls::Error>>,
    /// The packages that do the cryptography.
    pub packages: &'static [&'static str],
    /// The library that these packages link, as it reports itself.
    pub linked: fn() -> Vec<(String, String)>,
    /// Why nothing runs on this machine, if that is so.
    pub refusal: fn() -> Option<String>,
    /// Why it alone cannot do something, if that is so.
    pub cannot: fn(Ability) -> Option<&'static str>,
    /// Notes that a reader needs with its figures.
    pub notes: &'static [&'static str],
    /// Further notes.
    pub details: &'static [&'static str],
}

impl BuiltIn {
    /// One that runs everywhere and can do all that rustls can, but makes no tickets.
    const fn new(
        name: &'static str,
        packages: &'static [&'static str],
        provider: fn() -> CryptoProvider,
        groups: fn() -> Vec<KxGroup>,
    ) -> Self {
        Self {
            name,
            provider,
            groups,
            ticketer: None,
            packages,
            linked: Vec::new,
            refusal: || None,
            cannot: |_| None,
            notes: &[],
            details: &[],
        }
    }

    /// Whether it has a suite.
    pub fn has_suite(&self, suite: CipherSuite) -> bool {
        (self.refusal)().is_none()
            && api::suites(&(self.provider)()).iter().any(|known| known.point() == suite.0)
    }

    /// Why there is no `what`.
    pub fn lacks(&self, what: impl ToString) -> String {
        (self.refusal)().unwrap_or_else(|| format!("{} has no {}", self.name, what.to_string()))
    }

    fn refuse<T>(&self, what: impl ToString) -> Result<T, Unready> {
        Err(Unready::Unsupported(self.lacks(what)))
    }

    /// The provider as an application gets it that sets nothing, with rustls's default features.
    pub fn by_default(&self) -> CryptoProvider {
        let mut provider = (self.provider)();
        // The feature prefer-post-quantum, one of the defaults, only puts this group first.
        if cfg!(all(feature = "aws-lc-rs", prefers_post_quantum))
            && let Ok(first) = self.group(Group::X25519MLKEM768)
        {
            let point = Group::X25519MLKEM768.0;
            let others = provider.kx_groups.iter().copied().filter(|group| api::name(group).point() != point);
            provider.kx_groups = [first].into_iter().chain(others).collect();
        }
        provider
    }

    /// The provider with exactly one suite, one group and one signature scheme to offer.
    pub fn pinned(&self, scenario: &Scenario) -> Result<CryptoProvider, Unready> {
        let scheme = scenario.signature_scheme();
        if !self.has_suite(scenario.suite) {
            return self.refuse(scenario.suite);
        }
        if !self.has_scheme(scheme) {
            return self.refuse(scheme);
        }
        let mut provider = (self.provider)();
        api::keep_suites(&mut provider, |suite| suite.point() == scenario.suite.0);
        let scheme_of_rustls = scheme.0.into();
        if api::schemes_of_suite(&provider).is_some_and(|known| !known.contains(&scheme_of_rustls)) {
            return self.refuse(format!("{scheme} in TLS 1.2"));
        }
        api::keep_scheme(&mut provider, scheme_of_rustls)?;
        provider.kx_groups = [self.group(scenario.group)?].into_iter().collect();
        Ok(provider)
    }

    /// The same for a client, with the group before it that the server does not take, where the scenario has one.
    pub fn pinned_client(&self, scenario: &Scenario) -> Result<CryptoProvider, Unready> {
        let mut provider = self.pinned(scenario)?;
        if let Some(first) = scenario.retry_group() {
            provider.kx_groups = [self.group(first)?, self.group(scenario.group)?].into_iter().collect();
        }
        Ok(provider)
    }

    /// Whether it has a signature scheme.
    pub fn has_scheme(&self, wanted: SignatureScheme) -> bool {
        let schemes = (self.provider)().signature_verification_algorithms.supported_schemes();
        schemes.iter().any(|scheme| scheme.point() == wanted.0)
    }

    /// One of the provider's groups.
    pub fn group(&self, wanted: Group) -> Result<KxGroup, Unready> {
        let found = (self.groups)().into_iter().find(|group| api::name(group).point() == wanted.0);
        found.ok_or_else(|| Unready::Unsupported(self.lacks(wanted)))
    }
}
