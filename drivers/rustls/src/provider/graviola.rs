//! Graviola.

use rustls_graviola::kx::ALL_KX_GROUPS;
use rustls_graviola::{Ticketer, default_provider};

use super::BuiltIn;

const PACKAGES: &[&str] = &["rustls-graviola", "graviola", "rustls-webpki"];

/// The provider of this build.
pub const BUILT_IN: BuiltIn = BuiltIn {
    ticketer: Some(Ticketer::new),
    refusal,
    ..BuiltIn::new("Graviola", PACKAGES, default_provider, || ALL_KX_GROUPS.to_vec())
};

/// Graviola panics in its first call on a CPU that it does not run on.
fn refusal() -> Option<String> {
    let missing = missing();
    (!missing.is_empty()).then(|| format!("Graviola needs a CPU that has {}", missing.join(", ")))
}

#[cfg(target_arch = "x86_64")]
fn missing() -> Vec<&'static str> {
    // Its own build takes this variable as leave to do without ADX, where valgrind hides it.
    let may_lack_adx = option_env!("VALGRIND_BUG_494162").is_some();
    let features = [
        ("AES", is_x86_feature_detected!("aes")),
        ("PCLMULQDQ", is_x86_feature_detected!("pclmulqdq")),
        ("BMI1", is_x86_feature_detected!("bmi1")),
        ("ADX", is_x86_feature_detected!("adx") || may_lack_adx),
        ("AVX", is_x86_feature_detected!("avx")),
        ("AVX2", is_x86_feature_detected!("avx2")),
    ];
    features.into_iter().filter_map(|(name, is_there)| (!is_there).then_some(name)).collect()
}

#[cfg(not(target_arch = "x86_64"))]
fn missing() -> Vec<&'static str> {
    vec![]
}
