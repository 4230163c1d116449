//! A group whose key exchanges would be begun beforehand, for releases with which that is not done.

use rustls::crypto::{ActiveKeyExchange, SupportedKxGroup};
use rustls::{Error, NamedGroup};

/// A provider's group as it is.
#[derive(Debug)]
pub struct PreparedGroup {
    group: &'static dyn SupportedKxGroup,
}

impl PreparedGroup {
    /// The group itself.
    pub fn new(group: &'static dyn SupportedKxGroup) -> Self {
        Self { group }
    }

    /// Begins nothing.
    pub fn begin(&self) -> Result<(), Error> {
        Err(Error::General(super::NO_PREPARED_GROUPS.to_owned()))
    }
}

impl SupportedKxGroup for PreparedGroup {
    fn start(&self) -> Result<Box<dyn ActiveKeyExchange>, Error> {
        self.group.start()
    }

    fn name(&self) -> NamedGroup {
        self.group.name()
    }
}
