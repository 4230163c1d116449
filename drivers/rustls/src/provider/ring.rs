//! ring.

use rustls::crypto::ring::{ALL_KX_GROUPS, Ticketer, default_provider};

use super::BuiltIn;

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    name: "ring",
    provider: default_provider,
    groups: || ALL_KX_GROUPS.to_vec(),
    ticketer: Some(Ticketer::new),
    packages: &["ring", "rustls-webpki"],
    linked: Vec::new,
    refusal: || None,
    no_chains: None,
    notes: &[],
    details: &[],
};
