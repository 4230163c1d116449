//! No primitives: the driver calls them through traits that this release has in another form.

use tlslab_driver_kit::protocol::HashFunction;
use tlslab_driver_kit::{Assignment, Material, Primitive, Unready};

const WHY: &str = if cfg!(api = "0.20") {
    "rustls before 0.22 has no traits by which a driver could call single operations"
} else {
    "the driver calls a provider's operations since rustls 0.23.20 alone"
};

/// Why there are no operations.
pub const NONE: Option<&str> = Some(WHY);

/// Of none it is the same.
pub const NO_RECORDS: Option<&str> = NONE;

/// Refuses.
pub fn primitive(_: &Assignment, _: &Material) -> Result<Box<dyn Primitive>, Unready> {
    Err(Unready::Unsupported(WHY.to_owned()))
}

/// Never.
pub fn has_hash(_: HashFunction) -> bool {
    false
}
