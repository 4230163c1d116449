//! A provider of rustls 0.24 and of its development branch, where each became a separate package.

#[cfg(all(feature = "aws-lc-rs", not(has_provider_package)))]
pub use rustls::crypto::aws_lc_rs as package;
#[cfg(all(feature = "ring", not(has_provider_package)))]
pub use rustls::crypto::ring as package;
#[cfg(all(feature = "aws-lc-rs", has_provider_package))]
pub use rustls_aws_lc_rs as package;
#[cfg(all(feature = "ring", has_provider_package))]
pub use rustls_ring as package;

use super::BuiltIn;
use crate::api::{CryptoProvider, Ticketer};

#[cfg(feature = "aws-lc-rs")]
const PACKAGES: &[&str] = &["rustls-aws-lc-rs", "aws-lc-rs", "aws-lc-sys", "rustls-webpki"];
#[cfg(feature = "ring")]
const PACKAGES: &[&str] = &["rustls-ring", "ring", "rustls-webpki"];
const NAME: &str = if cfg!(feature = "ring") { "ring" } else { "aws-lc-rs" };

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    ticketer: Some(ticketer),
    notes: if cfg!(has_message_handler) {
        &[
            "It is a pre-release of rustls. It counts tag, type and nonce into the 16,384 bytes that plaintext alone may \
             have and takes no greater limit, so a write of 16,384 bytes makes two records.",
        ]
    } else {
        &["It is a pre-release of rustls."]
    },
    details: if cfg!(has_message_handler) {
        &[
            "Wire bytes are copied into a buffer that the library decrypts in place, and copied from the one that it \
             encrypts to: one copy each way, as many as the released library makes.",
        ]
    } else {
        &[]
    },
    ..BuiltIn::new(NAME, PACKAGES, provider, || package::ALL_KX_GROUPS.to_vec())
};

fn provider() -> CryptoProvider {
    #[cfg(has_const_providers)]
    return package::DEFAULT_PROVIDER;
    #[cfg(not(has_const_providers))]
    return package::default_provider();
}

fn ticketer() -> Result<Ticketer, rustls::Error> {
    #[cfg(has_ticketer_factory)]
    let factory = package::DEFAULT_PROVIDER.ticketer_factory;
    #[cfg(has_optional_factory)]
    let factory = factory.ok_or_else(|| rustls::Error::General("there is no ticketer".to_owned()))?;
    #[cfg(has_ticketer_factory)]
    let ticketer = factory.ticketer();
    #[cfg(not(has_ticketer_factory))]
    let ticketer = package::Ticketer::new();
    ticketer.map(Into::into)
}
