//! aws-lc-rs, which is AWS-LC.

use rustls::crypto::aws_lc_rs::{ALL_KX_GROUPS, Ticketer, default_provider};

use super::BuiltIn;

const PACKAGES: &[&str] = &["aws-lc-rs", "aws-lc-sys", "rustls-webpki"];

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    ticketer: Some(Ticketer::new),
    ..BuiltIn::new("aws-lc-rs", PACKAGES, default_provider, || ALL_KX_GROUPS.to_vec())
};
