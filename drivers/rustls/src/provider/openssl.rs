//! rustls-openssl: OpenSSL's libcrypto under rustls's protocol.

use rustls_openssl::default_provider;
use rustls_openssl::kx_group::available_groups;

use super::BuiltIn;

const PACKAGES: &[&str] = &["rustls-openssl", "openssl", "rustls-webpki"];

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    linked: || vec![("libcrypto".to_owned(), openssl::version::version().to_owned())],
    details: &["The provider sets up a new cipher context and its key for every record."],
    ..BuiltIn::new("rustls-openssl", PACKAGES, default_provider, available_groups)
};
