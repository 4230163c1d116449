//! Processor features that this process detects: under an emulator, fewer than the processor has.

/// The features by which cryptographic code chooses its functions.
#[cfg(target_arch = "x86_64")]
pub(crate) fn seen() -> Vec<String> {
    macro_rules! seen {
        ($($name:tt),*) => {
            [$(($name, std::arch::is_x86_feature_detected!($name))),*]
        };
    }
    let all = seen![
        "ssse3",
        "sse4.1",
        "sse4.2",
        "avx",
        "avx2",
        "bmi1",
        "bmi2",
        "adx",
        "aes",
        "pclmulqdq",
        "sha",
        "rdrand",
        "rdseed",
        "avx512f",
        "avx512bw",
        "avx512vl",
        "avx512ifma",
        "vaes",
        "vpclmulqdq",
        "gfni"
    ];
    all.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name.to_owned()).collect()
}

/// The features by which cryptographic code chooses its functions.
#[cfg(target_arch = "aarch64")]
pub fn seen() -> Vec<String> {
    macro_rules! seen {
        ($($name:tt),*) => {
            [$(($name, std::arch::is_aarch64_feature_detected!($name))),*]
        };
    }
    let all = seen!["aes", "pmull", "sha2", "sha3", "sve", "sve2"];
    all.into_iter().filter(|(_, is_there)| *is_there).map(|(name, _)| name.to_owned()).collect()
}

/// Empty: unknown for this kind of processor.
#[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
pub fn seen() -> Vec<String> {
    Vec::new()
}
