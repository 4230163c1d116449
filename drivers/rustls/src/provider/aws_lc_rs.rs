//! aws-lc-rs, which is AWS-LC.

use rustls::crypto::aws_lc_rs::{ALL_KX_GROUPS, Ticketer, default_provider};

use super::BuiltIn;

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    name: "aws-lc-rs",
    provider: default_provider,
    groups: || ALL_KX_GROUPS.to_vec(),
    ticketer: Some(Ticketer::new),
    packages: &["aws-lc-rs", "aws-lc-sys", "rustls-webpki"],
    linked: Vec::new,
    refusal: || None,
    no_chains: None,
    notes: &[],
    details: &[],
};
