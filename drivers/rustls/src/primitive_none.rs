//! No operations by themselves: the driver calls them through traits that this release has in another form.

use tlslab_driver_kit::protocol::{CipherSuite, Group, KeyType};
use tlslab_driver_kit::{Assignment, Material, Primitive, Unready};

/// Why there are none.
pub const NONE: Option<&str> = Some("the driver calls a provider's operations since rustls 0.23.20 alone");

/// Refuses.
pub fn primitive(_: &Assignment, _: &Material) -> Result<Box<dyn Primitive>, Unready> {
    Err(Unready::Unsupported(NONE.unwrap_or_default().to_owned()))
}

/// Nothing.
pub fn claimed(_: &[CipherSuite], _: &[KeyType], _: &[Group]) -> Vec<String> {
    vec![]
}
