//! A group whose key exchanges were begun beforehand.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::Error;

use crate::api::{CryptoProvider, KxGroup, NamedGroup, StartedKeyExchange, SupportedKxGroup};

/// Why a key exchange cannot be begun before its connection: the driver wraps groups by the traits of recent releases.
pub const NO_PREPARED_GROUPS: Option<&str> = if cfg!(has_group_versions) {
    None
} else {
    Some("the driver prepares key shares since rustls 0.23.20 alone")
};

/// A provider's group and the exchanges that wait for their connection. A Diffie-Hellman exchange is begun in the same way
/// whether or not the peer's share is known.
pub struct PreparedGroup {
    group: KxGroup,
    begun: Mutex<Vec<StartedKeyExchange>>,
}

/// Has the provider's first group begun beforehand; leaked once per scenario prepared.
pub fn prepare(provider: &mut CryptoProvider) -> Option<&'static PreparedGroup> {
    let group = *provider.kx_groups.first()?;
    let prepared: &'static _ = Box::leak(Box::new(PreparedGroup { group, begun: Mutex::default() }));
    provider.kx_groups = [prepared as KxGroup].into_iter().collect();
    Some(prepared)
}

impl PreparedGroup {
    /// Begins one more exchange.
    pub fn begin(&self) -> Result<(), Error> {
        let exchange = self.group.start()?;
        self.begun().push(exchange);
        Ok(())
    }

    fn begun(&self) -> MutexGuard<'_, Vec<StartedKeyExchange>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for PreparedGroup {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("PreparedGroup").field(&self.group).finish()
    }
}

impl SupportedKxGroup for PreparedGroup {
    fn start(&self) -> Result<StartedKeyExchange, Error> {
        let ready = self.begun().pop();
        ready.ok_or_else(|| Error::General("no key share was made beforehand".to_owned()))
    }

    /// Given here since the library's own way to find it is long.
    #[cfg(all(api = "0.22", has_group_versions))]
    fn ffdhe_group(&self) -> Option<rustls::ffdhe_groups::FfdheGroup<'static>> {
        self.group.ffdhe_group()
    }

    fn name(&self) -> NamedGroup {
        self.group.name()
    }
}
