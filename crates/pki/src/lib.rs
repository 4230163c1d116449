//! The lab's single PKI: all stacks use the same keys and certificates, so that no library is measured with
//! cheaper ones than another.
//!
//! For each key type there is a root, three intermediates each signed by the one before it, and a leaf for
//! each length of chain, all with keys of that type, a second root that differs from the first only in its
//! key, and leaves with one [`Defect`] each. The keys that sign certificates are dropped after signing; only
//! those of the leaves are stored. Key types are made on first use. Files on disk are complete and unaltered,
//! or loading fails: a key type's directory appears by one rename, and every load compares each file with the
//! manifest.

mod error;
mod files;
mod hierarchy;
mod manifest;
mod pki;
mod psk;
mod roles;

pub use error::PkiError;
pub use manifest::LAYOUT;
pub use pki::{Pki, SERVER_NAME, WRONG_NAME};
pub use psk::{psk, psk_with_other_key};
pub use roles::Defect;
