//! rustls-openssl: OpenSSL's libcrypto under rustls's protocol.

use rustls_openssl::default_provider;
use rustls_openssl::kx_group::available_groups;

use super::BuiltIn;

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    name: "rustls-openssl",
    provider: default_provider,
    groups: available_groups,
    ticketer: None,
    packages: &["rustls-openssl", "openssl", "rustls-webpki"],
    linked: || vec![("libcrypto".to_owned(), openssl::version::version().to_owned())],
    refusal: || None,
    no_chains: None,
    notes: &[],
    details: &["The provider sets up a cipher context and its key anew for every record."],
};
