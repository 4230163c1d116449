//! The lab's one PKI: the same keys and certificates for every stack, so that no library is measured on easier
//! ones than another.
//!
//! For each key type there is a root, an intermediate and a leaf, all with keys of that type and SHA-256
//! signatures, and a second root that differs from the first in nothing but its key. The keys that sign
//! certificates are dropped as soon as they have signed; only the leaf's is kept. What is on disk is complete and
//! unaltered, or it is an error: the directory appears by one rename, and every load compares each file with the
//! manifest.

mod error;
mod hierarchy;
mod manifest;
mod pki;
mod psk;

pub use error::PkiError;
pub use manifest::LAYOUT;
pub use pki::{Pki, SERVER_NAME, WRONG_NAME};
pub use psk::{psk, psk_with_other_key};
