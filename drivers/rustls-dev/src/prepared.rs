//! A group whose key exchanges were begun beforehand.

use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rustls::Error;
use rustls::crypto::kx::{NamedGroup, StartedKeyExchange, SupportedKxGroup};

/// A provider's group and the exchanges that wait for their connection. A Diffie-Hellman exchange is begun in the same way
/// whether or not the peer's share is known.
#[derive(Debug)]
pub struct PreparedGroup {
    group: &'static dyn SupportedKxGroup,
    begun: Mutex<Vec<Begun>>,
}

/// An exchange with its key share made.
struct Begun(StartedKeyExchange);

impl fmt::Debug for Begun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Begun")
    }
}

impl PreparedGroup {
    /// With no exchange begun.
    pub fn new(group: &'static dyn SupportedKxGroup) -> Self {
        Self { group, begun: Mutex::default() }
    }

    /// Begins one more.
    pub fn begin(&self) -> Result<(), Error> {
        let exchange = self.group.start()?;
        self.begun().push(Begun(exchange));
        Ok(())
    }

    fn begun(&self) -> MutexGuard<'_, Vec<Begun>> {
        self.begun.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SupportedKxGroup for PreparedGroup {
    fn start(&self) -> Result<StartedKeyExchange, Error> {
        let ready = self.begun().pop();
        ready
            .map(|begun| begun.0)
            .ok_or_else(|| Error::General("no key share was made beforehand".to_owned()))
    }

    fn name(&self) -> NamedGroup {
        self.group.name()
    }
}
