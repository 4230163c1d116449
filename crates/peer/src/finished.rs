//! Cipher suites that compute a wrong Finished for one side.

use std::cell::Cell;
use std::sync::OnceLock;

use rustls::crypto::aws_lc_rs::ALL_CIPHER_SUITES;
use rustls::crypto::tls12::Prf;
use rustls::crypto::tls13::{Hkdf, HkdfExpander, OkmBlock};
use rustls::crypto::{ActiveKeyExchange, hmac};
use rustls::{Error, SupportedCipherSuite, Tls12CipherSuite, Tls13CipherSuite};
use tlslab_protocol::Side;

/// All cipher suites, with a wrong Finished of this side. They are made once and live as long as the process,
/// as rustls requires.
pub(crate) fn suites(side: Side) -> &'static [SupportedCipherSuite] {
    static SUITES: [OnceLock<Vec<SupportedCipherSuite>>; 2] = [OnceLock::new(), OnceLock::new()];
    SUITES[side as usize].get_or_init(|| ALL_CIPHER_SUITES.iter().map(|suite| flawed(*suite, side)).collect())
}

/// Does a part of a handshake, with the number of Finished values that this handshake has computed in TLS
/// 1.3.
pub(crate) fn counted(computed: &mut u32, part: impl FnOnce()) {
    COMPUTED.set(*computed);
    part();
    *computed = COMPUTED.get();
}

thread_local! {
    /// That number, for the current handshake of this thread: a suite does not know its handshake.
    static COMPUTED: Cell<u32> = const { Cell::new(0) };
}

fn flawed(suite: SupportedCipherSuite, side: Side) -> SupportedCipherSuite {
    match suite {
        SupportedCipherSuite::Tls12(honest) => {
            SupportedCipherSuite::Tls12(Box::leak(Box::new(Tls12CipherSuite {
                common: common(&honest.common),
                prf_provider: Box::leak(Box::new(FlawedPrf { honest: honest.prf_provider, side })),
                kx: honest.kx,
                sign: honest.sign,
                aead_alg: honest.aead_alg,
            })))
        }
        SupportedCipherSuite::Tls13(honest) => {
            SupportedCipherSuite::Tls13(Box::leak(Box::new(Tls13CipherSuite {
                common: common(&honest.common),
                hkdf_provider: Box::leak(Box::new(FlawedHkdf { honest: honest.hkdf_provider, side })),
                aead_alg: honest.aead_alg,
                quic: None,
            })))
        }
    }
}

fn common(honest: &rustls::crypto::CipherSuiteCommon) -> rustls::crypto::CipherSuiteCommon {
    rustls::crypto::CipherSuiteCommon {
        suite: honest.suite,
        hash_provider: honest.hash_provider,
        confidentiality_limit: honest.confidentiality_limit,
    }
}

/// TLS 1.2: verify_data is a PRF's output with a label for each side (RFC 5246, section 7.4.9).
struct FlawedPrf {
    honest: &'static dyn Prf,
    side: Side,
}

impl Prf for FlawedPrf {
    fn for_key_exchange(
        &self,
        output: &mut [u8; 48],
        kx: Box<dyn ActiveKeyExchange>,
        peer_pub_key: &[u8],
        label: &[u8],
        seed: &[u8],
    ) -> Result<(), Error> {
        self.honest.for_key_exchange(output, kx, peer_pub_key, label, seed)
    }

    fn for_secret(&self, output: &mut [u8], secret: &[u8], label: &[u8], seed: &[u8]) {
        self.honest.for_secret(output, secret, label, seed);
        let own: &[u8] = match self.side {
            Side::Client => b"client finished",
            Side::Server => b"server finished",
        };
        if label == own {
            output[0] ^= 1;
        }
    }
}

/// TLS 1.3: verify_data is an HMAC (RFC 8446, section 4.4.4). A client computes the server's first, to check
/// it, and then its own; a server computes its own first.
struct FlawedHkdf {
    honest: &'static dyn Hkdf,
    side: Side,
}

impl Hkdf for FlawedHkdf {
    fn extract_from_zero_ikm(&self, salt: Option<&[u8]>) -> Box<dyn HkdfExpander> {
        self.honest.extract_from_zero_ikm(salt)
    }

    fn extract_from_secret(&self, salt: Option<&[u8]>, secret: &[u8]) -> Box<dyn HkdfExpander> {
        self.honest.extract_from_secret(salt, secret)
    }

    fn extract_from_kx_shared_secret(
        &self,
        salt: Option<&[u8]>,
        kx: Box<dyn ActiveKeyExchange>,
        peer_pub_key: &[u8],
    ) -> Result<Box<dyn HkdfExpander>, Error> {
        self.honest.extract_from_kx_shared_secret(salt, kx, peer_pub_key)
    }

    fn expander_for_okm(&self, okm: &OkmBlock) -> Box<dyn HkdfExpander> {
        self.honest.expander_for_okm(okm)
    }

    fn hmac_sign(&self, key: &OkmBlock, message: &[u8]) -> hmac::Tag {
        let computed = COMPUTED.get();
        COMPUTED.set(computed + 1);
        let own = match self.side {
            Side::Client => 1,
            Side::Server => 0,
        };
        let tag = self.honest.hmac_sign(key, message);
        if computed != own {
            return tag;
        }
        let mut wrong = tag.as_ref().to_vec();
        wrong[0] ^= 1;
        hmac::Tag::new(&wrong)
    }
}
