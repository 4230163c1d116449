//! ring, which is a part of rustls before 0.22.

use rustls::client::WebPkiVerifier;
use rustls::{ALL_CIPHER_SUITES, ALL_KX_GROUPS, Ticketer};
use tlslab_driver_kit::Ability;
use tlslab_driver_kit::protocol::Verification;

use super::BuiltIn;
use crate::api::{CryptoProvider, Schemes};

const NAME: &str = concat!("rustls ", env!("RUSTLS"), " with ring");

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    ticketer: Some(Ticketer::new),
    cannot,
    ..BuiltIn::new(NAME, &["ring", "rustls-webpki", "webpki"], provider, || ALL_KX_GROUPS.to_vec())
};

fn provider() -> CryptoProvider {
    CryptoProvider {
        cipher_suites: ALL_CIPHER_SUITES.to_vec(),
        kx_groups: ALL_KX_GROUPS.to_vec(),
        signature_verification_algorithms: Schemes(WebPkiVerifier::verification_schemes()),
    }
}

fn cannot(asked: Ability) -> Option<&'static str> {
    match asked {
        Ability::MutualAuthentication => Some("the driver for rustls before 0.22 has no client certificates"),
        Ability::Verification(Verification::Chain) if !cfg!(has_chain_alone) => {
            Some("rustls verifies a chain without its name since 0.21.3 alone")
        }
        Ability::Tickets(2..) if !cfg!(has_ticket_setting) => {
            Some("before rustls 0.21 a server sends one ticket after a handshake")
        }
        _ => None,
    }
}
