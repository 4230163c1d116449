//! ring.

use rustls::crypto::ring::{ALL_KX_GROUPS, Ticketer, default_provider};

use super::BuiltIn;

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    ticketer: Some(Ticketer::new),
    ..BuiltIn::new("ring", &["ring", "rustls-webpki"], default_provider, || ALL_KX_GROUPS.to_vec())
};
