//! rustls-rustcrypto: the RustCrypto project's packages, in Rust alone.

use rustls_rustcrypto::provider;

use super::BuiltIn;

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    name: "rustls-rustcrypto",
    provider,
    groups: || provider().kx_groups,
    ticketer: None,
    packages: &[
        "rustls-rustcrypto",
        "aes-gcm",
        "chacha20poly1305",
        "sha2",
        "x25519-dalek",
        "p256",
        "p384",
        "rsa",
        "rustls-webpki",
    ],
    linked: Vec::new,
    refusal: || None,
    no_chains: None,
    notes: &["The provider is an alpha version and says itself that it is not for production."],
    details: &["The provider copies an RSA key in every handshake that signs with it."],
};
