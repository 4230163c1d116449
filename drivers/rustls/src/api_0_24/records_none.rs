//! No record primitives: the driver makes them through traits that this source has in another form.

use rustls::Tls13CipherSuite;
use tlslab_driver_kit::{Assignment, Material, Primitive, Unready};

/// Why there are no records.
pub const NO_RECORDS: Option<&str> = Some(
    "this revision of rustls takes no key of 16 bytes from a driver; releases and later pre-releases do",
);

/// Refuses.
pub fn records(_: &Tls13CipherSuite, _: &Assignment, _: &Material) -> Result<Box<dyn Primitive>, Unready> {
    Err(Unready::Unsupported(NO_RECORDS.unwrap_or_default().to_owned()))
}
