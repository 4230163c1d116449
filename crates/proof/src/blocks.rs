//! The number of cipher and authenticator blocks for a set of records.

use serde::{Deserialize, Serialize};
use tlslab_protocol::{CipherSuite, ProtocolVersion};

/// The blocks of all records of one side.
///
/// The formulas hold for a record with n bytes of plaintext, including the type byte in TLS 1.3 (RFC 8446,
/// 5.2), and d bytes of additional data (5 in TLS 1.3, 13 in TLS 1.2). AES-GCM processes ⌈n/16⌉ + 1 blocks of
/// AES, one of them for the tag (NIST SP 800-38D, 7.1), and hashes ⌈d/16⌉ + ⌈n/16⌉ + 1 blocks.
/// ChaCha20-Poly1305 processes ⌈n/64⌉ + 1 blocks of ChaCha20, one of them for the key of Poly1305, and
/// authenticates ⌈d/16⌉ + ⌈n/16⌉ + 1 blocks (RFC 8439, 2.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Blocks {
    /// Blocks of the cipher: 16 bytes each for AES, 64 for ChaCha20. 0 for an unknown suite.
    pub cipher: u64,
    /// Blocks of GHASH or Poly1305: 16 bytes each.
    pub authenticator: u64,
}

impl Blocks {
    /// The blocks for records with these lengths of plaintext, including padding.
    pub(crate) fn of(plaintexts: &[u64], version: ProtocolVersion, suite: CipherSuite) -> Self {
        let block = match suite.protection().as_ref() {
            "aes-128-gcm" | "aes-256-gcm" => 16,
            "chacha20-poly1305" => 64,
            _ => return Self::default(),
        };
        let (type_bytes, additional_bytes) =
            if version == ProtocolVersion::TLS12 { (0, 13_u64) } else { (1, 5) };
        let mut blocks = Self::default();
        for plaintext in plaintexts {
            let inner = plaintext + type_bytes;
            blocks.cipher += inner.div_ceil(block) + 1;
            blocks.authenticator += additional_bytes.div_ceil(16) + inner.div_ceil(16) + 1;
        }
        blocks
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_inner_type_costs_a_block_where_the_plaintext_fills_its_own() {
        let of = |bytes, version, suite| {
            let Blocks { cipher, authenticator } = Blocks::of(&[bytes], version, suite);
            (cipher, authenticator)
        };
        let (gcm12, chacha12) =
            (CipherSuite::ECDHE_ECDSA_AES_128_GCM, CipherSuite::ECDHE_ECDSA_CHACHA20_POLY1305);
        assert_eq!(of(16_384, ProtocolVersion::TLS12, gcm12), (1_025, 1_026));
        assert_eq!(of(16_384, ProtocolVersion::TLS13, CipherSuite::AES_128_GCM), (1_026, 1_027));
        assert_eq!(of(16_383, ProtocolVersion::TLS13, CipherSuite::AES_128_GCM), (1_025, 1_026));
        assert_eq!(of(16_384, ProtocolVersion::TLS12, chacha12), (257, 1_026));
        assert_eq!(of(16_384, ProtocolVersion::TLS13, CipherSuite::CHACHA20_POLY1305), (258, 1_027));
        assert_eq!(of(16_383, ProtocolVersion::TLS13, CipherSuite::CHACHA20_POLY1305), (257, 1_026));
        assert_eq!(of(1, ProtocolVersion::TLS13, CipherSuite(0x1305)), (0, 0));
    }
}
