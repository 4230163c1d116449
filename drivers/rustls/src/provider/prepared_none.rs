//! No group whose key exchanges are begun beforehand.

use rustls::Error;

use crate::api::CryptoProvider;

/// Why no key share can be prepared.
pub const NO_PREPARED_GROUPS: Option<&str> = Some("rustls before 0.22 makes its key shares itself");

/// No prepared group.
pub enum PreparedGroup {}

/// Prepares nothing.
pub fn prepare(_: &mut CryptoProvider) -> Option<&'static PreparedGroup> {
    None
}

impl PreparedGroup {
    /// Never called.
    pub fn begin(&self) -> Result<(), Error> {
        match *self {}
    }
}
