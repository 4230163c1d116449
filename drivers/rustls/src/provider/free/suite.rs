//! The suites, by their real names and lengths.

use rustls::crypto::{CipherSuiteCommon, KeyExchangeAlgorithm};
use rustls::{CipherSuite, SignatureScheme, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};

use super::aead::Copies;
use super::hash::{Free, SHA256, SHA384};
use super::hkdf::Derives;
use super::tls12;

/// All suites.
pub static ALL: [SupportedCipherSuite; 9] = [
    SupportedCipherSuite::Tls13(&AES_128_GCM),
    SupportedCipherSuite::Tls13(&AES_256_GCM),
    SupportedCipherSuite::Tls13(&CHACHA20_POLY1305),
    SupportedCipherSuite::Tls12(&ECDSA_AES_128_GCM),
    SupportedCipherSuite::Tls12(&ECDSA_AES_256_GCM),
    SupportedCipherSuite::Tls12(&ECDSA_CHACHA20_POLY1305),
    SupportedCipherSuite::Tls12(&RSA_AES_128_GCM),
    SupportedCipherSuite::Tls12(&RSA_AES_256_GCM),
    SupportedCipherSuite::Tls12(&RSA_CHACHA20_POLY1305),
];

static AES_128_GCM: Tls13CipherSuite =
    free(CipherSuite::TLS13_AES_128_GCM_SHA256, &SHA256, &Derives(&SHA256), &Copies { key_bytes: 16 });
static AES_256_GCM: Tls13CipherSuite =
    free(CipherSuite::TLS13_AES_256_GCM_SHA384, &SHA384, &Derives(&SHA384), &Copies { key_bytes: 32 });
static CHACHA20_POLY1305: Tls13CipherSuite =
    free(CipherSuite::TLS13_CHACHA20_POLY1305_SHA256, &SHA256, &Derives(&SHA256), &Copies { key_bytes: 32 });

static ECDSA_AES_128_GCM: Tls12CipherSuite =
    free12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, &SHA256, ECDSA, &GCM_128);
static ECDSA_AES_256_GCM: Tls12CipherSuite =
    free12(CipherSuite::TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, &SHA384, ECDSA, &GCM_256);
static ECDSA_CHACHA20_POLY1305: Tls12CipherSuite =
    free12(CipherSuite::TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, &SHA256, ECDSA, &CHACHA20);
static RSA_AES_128_GCM: Tls12CipherSuite =
    free12(CipherSuite::TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256, &SHA256, RSA, &GCM_128);
static RSA_AES_256_GCM: Tls12CipherSuite =
    free12(CipherSuite::TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384, &SHA384, RSA, &GCM_256);
static RSA_CHACHA20_POLY1305: Tls12CipherSuite =
    free12(CipherSuite::TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256, &SHA256, RSA, &CHACHA20);

static GCM_128: tls12::Copies = tls12::Copies { key_bytes: 16, salt_bytes: 4, explicit_bytes: 8 };
static GCM_256: tls12::Copies = tls12::Copies { key_bytes: 32, salt_bytes: 4, explicit_bytes: 8 };
static CHACHA20: tls12::Copies = tls12::Copies { key_bytes: 32, salt_bytes: 12, explicit_bytes: 0 };

static ECDSA: &[SignatureScheme] = &[
    SignatureScheme::ECDSA_NISTP256_SHA256,
    SignatureScheme::ECDSA_NISTP384_SHA384,
    SignatureScheme::ED25519,
];
static RSA: &[SignatureScheme] = &[SignatureScheme::RSA_PKCS1_SHA256];

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

const fn free12(
    suite: CipherSuite,
    hash: &'static Free,
    sign: &'static [SignatureScheme],
    cipher: &'static tls12::Copies,
) -> Tls12CipherSuite {
    Tls12CipherSuite {
        common: CipherSuiteCommon { suite, hash_provider: hash, confidentiality_limit: u64::MAX },
        prf_provider: &tls12::Derives,
        kx: KeyExchangeAlgorithm::ECDHE,
        sign,
        aead_alg: cipher,
    }
}
