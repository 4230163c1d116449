//! A provider of rustls 0.24, each of which is a package by itself.

#[cfg(feature = "aws-lc-rs")]
pub use rustls_aws_lc_rs as package;
#[cfg(feature = "ring")]
pub use rustls_ring as package;

use super::BuiltIn;

#[cfg(feature = "aws-lc-rs")]
const PACKAGES: &[&str] = &["rustls-aws-lc-rs", "aws-lc-rs", "aws-lc-sys", "rustls-webpki"];
#[cfg(feature = "ring")]
const PACKAGES: &[&str] = &["rustls-ring", "ring", "rustls-webpki"];
const NAME: &str = if cfg!(feature = "ring") { "ring" } else { "aws-lc-rs" };

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    ticketer: Some(|| package::DEFAULT_PROVIDER.ticketer_factory.ticketer().map(Some)),
    notes: &[
        "It is a pre-release of rustls. It counts tag, type and nonce into the 16,384 bytes that plaintext alone may \
         have and takes no greater limit, so a write of 16,384 bytes makes two records.",
    ],
    details: &[
        "Wire bytes are copied into a buffer that the library decrypts in place, and copied from the one that it \
         encrypts to: one copy each way, as many as the released library makes by itself.",
    ],
    ..BuiltIn::new(NAME, PACKAGES, || package::DEFAULT_PROVIDER, || package::ALL_KX_GROUPS.to_vec())
};
