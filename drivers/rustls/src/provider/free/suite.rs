//! The suites of TLS 1.3, by their real names and lengths.

use rustls::crypto::CipherSuiteCommon;
use rustls::{CipherSuite, SupportedCipherSuite, Tls13CipherSuite};

use super::aead::Copies;
use super::hash::{Free, SHA256, SHA384};
use super::hkdf::Derives;

/// All suites.
pub static ALL: [SupportedCipherSuite; 3] = [
    SupportedCipherSuite::Tls13(&AES_128_GCM),
    SupportedCipherSuite::Tls13(&AES_256_GCM),
    SupportedCipherSuite::Tls13(&CHACHA20_POLY1305),
];

static AES_128_GCM: Tls13CipherSuite =
    free(CipherSuite::TLS13_AES_128_GCM_SHA256, &SHA256, &Derives(&SHA256), &Copies { key_bytes: 16 });
static AES_256_GCM: Tls13CipherSuite =
    free(CipherSuite::TLS13_AES_256_GCM_SHA384, &SHA384, &Derives(&SHA384), &Copies { key_bytes: 32 });
static CHACHA20_POLY1305: Tls13CipherSuite =
    free(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, &SHA256, &Derives(&SHA256), &Copies { key_bytes: 32 });

const fn free(
    suite: CipherSuite,
    hash: &'static Free,
    hkdf: &'static Derives,
    cipher: &'static Copies,
) -> Tls13CipherSuite {
    Tls13CipherSuite {
        common: CipherSuiteCommon { suite, hash_provider: hash, confidentiality_limit: u64::MAX },
        hkdf_provider: hkdf,
        aead_alg: cipher,
        quic: None,
    }
}
