//! rustls-rustcrypto: the RustCrypto project's packages, in Rust alone.

use rustls_rustcrypto::provider;

use super::BuiltIn;

const PACKAGES: &[&str] = &[
    "rustls-rustcrypto",
    "aes-gcm",
    "chacha20poly1305",
    "sha2",
    "x25519-dalek",
    "p256",
    "p384",
    "rsa",
    "rustls-webpki",
];

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    notes: &["The provider is an alpha version and says itself that it is not for production."],
    details: &["The provider copies an RSA key in every handshake that signs with it."],
    ..BuiltIn::new("rustls-rustcrypto", PACKAGES, provider, || provider().kx_groups)
};
