//! Names of the algorithms: IANA's names where they exist, with the code points that go over the wire.

use std::borrow::Cow;
use std::fmt;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A name that this crate does not know as an algorithm.
#[derive(Debug, thiserror::Error)]
#[error(
    "no {kind} is called \"{name}\"; known: {known} (or its code point as 0x followed by four hex digits)"
)]
pub struct UnknownName {
    kind: &'static str,
    name: String,
    known: String,
}

/// Declares a 16-bit code point with IANA's names. A code point without a name here is written as `0x1234`,
/// so that any value seen on the wire can be reported.
macro_rules! code_point {
    ($(#[$doc:meta])* $type:ident, $kind:literal, { $($(#[$item:meta])* $constant:ident = $value:literal, $name:literal, $short:literal;)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub struct $type(pub u16);

        impl $type {
            $($(#[$item])* pub const $constant: Self = Self($value);)*

            /// All code points that have a name here.
            pub const KNOWN: &'static [Self] = &[$(Self($value)),*];

            const NAMES: &'static [(u16, &'static str, &'static str)] = &[$(($value, $name, $short)),*];

            /// The short name used in scenario names, such as `aes-128-gcm`; the code point as `0x1234` if it
            /// has no name.
            pub fn short_name(self) -> Cow<'static, str> {
                match Self::NAMES.iter().find(|known| known.0 == self.0) {
                    Some(known) => Cow::Borrowed(known.2),
                    None => Cow::Owned(format!("{:#06x}", self.0)),
                }
            }
        }

        impl fmt::Display for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match Self::NAMES.iter().find(|known| known.0 == self.0) {
                    Some(known) => f.write_str(known.1),
                    None => write!(f, "{:#06x}", self.0),
                }
            }
        }

        impl fmt::Debug for $type {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }

        impl std::str::FromStr for $type {
            type Err = UnknownName;

            fn from_str(name: &str) -> Result<Self, UnknownName> {
                if let Some(known) = Self::NAMES.iter().find(|known| known.1 == name || known.2 == name) {
                    return Ok(Self(known.0));
                }
                name.strip_prefix("0x")
                    .filter(|hex| hex.len() == 4 && hex.bytes().all(|digit| digit.is_ascii_hexdigit()))
                    .and_then(|hex| u16::from_str_radix(hex, 16).ok())
                    .map(Self)
                    .ok_or_else(|| UnknownName {
                        kind: $kind,
                        name: name.to_owned(),
                        known: Self::NAMES.iter().map(|known| known.2).collect::<Vec<_>>().join(", "),
                    })
            }
        }

        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
                let name = Cow::<'de, str>::deserialize(deserializer)?;
                name.parse().map_err(serde::de::Error::custom)
            }
        }

        #[cfg(feature = "schema")]
        impl JsonSchema for $type {
            fn schema_name() -> Cow<'static, str> {
                stringify!($type).into()
            }

            fn json_schema(_: &mut SchemaGenerator) -> Schema {
                let names: Vec<&str> = Self::NAMES.iter().map(|known| known.1).collect();
                json_schema!({
                    "description": format!("A {}: its IANA name, or its code point as 0x and four hex digits.", $kind),
                    "anyOf": [{ "enum": names }, { "type": "string", "pattern": "^0x[0-9a-f]{4}$" }]
                })
            }
        }
    };
}

code_point! {
    /// A TLS protocol version as `supported_versions` and the record layer write it.
    ProtocolVersion, "protocol version", {
        /// TLS 1.2.
        TLS12 = 0x0303, "TLSv1.2", "1.2";
        /// TLS 1.3.
        TLS13 = 0x0304, "TLSv1.3", "1.3";
    }
}

code_point! {
    /// A cipher suite (IANA: TLS Cipher Suites).
    CipherSuite, "cipher suite", {
        /// AES-128-GCM with SHA-256.
        AES_128_GCM = 0x1301, "TLS_AES_128_GCM_SHA256", "aes-128-gcm";
        /// AES-256-GCM with SHA-384.
        AES_256_GCM = 0x1302, "TLS_AES_256_GCM_SHA384", "aes-256-gcm";
        /// ChaCha20-Poly1305 with SHA-256.
        CHACHA20_POLY1305 = 0x1303, "TLS_CHACHA20_POLY1305_SHA256", "chacha20-poly1305";
        /// TLS 1.2: AES-128-GCM with a P-256 certificate.
        ECDHE_ECDSA_AES_128_GCM = 0xc02b, "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256", "ecdhe-ecdsa-aes-128-gcm";
        /// TLS 1.2: AES-256-GCM with an ECDSA certificate.
        ECDHE_ECDSA_AES_256_GCM = 0xc02c, "TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384", "ecdhe-ecdsa-aes-256-gcm";
        /// TLS 1.2: ChaCha20-Poly1305 with an ECDSA certificate.
        ECDHE_ECDSA_CHACHA20_POLY1305 = 0xcca9, "TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256", "ecdhe-ecdsa-chacha20-poly1305";
        /// TLS 1.2: AES-128-GCM with an RSA certificate.
        ECDHE_RSA_AES_128_GCM = 0xc02f, "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256", "ecdhe-rsa-aes-128-gcm";
        /// TLS 1.2: AES-256-GCM with an RSA certificate.
        ECDHE_RSA_AES_256_GCM = 0xc030, "TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384", "ecdhe-rsa-aes-256-gcm";
        /// TLS 1.2: ChaCha20-Poly1305 with an RSA certificate.
        ECDHE_RSA_CHACHA20_POLY1305 = 0xcca8, "TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "ecdhe-rsa-chacha20-poly1305";
        /// TLS 1.2: AES-128-GCM with an RSA certificate and a key exchange in a finite field.
        DHE_RSA_AES_128_GCM = 0x009e, "TLS_DHE_RSA_WITH_AES_128_GCM_SHA256", "dhe-rsa-aes-128-gcm";
        /// TLS 1.2: AES-256-GCM with an RSA certificate and a key exchange in a finite field.
        DHE_RSA_AES_256_GCM = 0x009f, "TLS_DHE_RSA_WITH_AES_256_GCM_SHA384", "dhe-rsa-aes-256-gcm";
        /// TLS 1.2: ChaCha20-Poly1305 with an RSA certificate and a key exchange in a finite field.
        DHE_RSA_CHACHA20_POLY1305 = 0xccaa, "TLS_DHE_RSA_WITH_CHACHA20_POLY1305_SHA256", "dhe-rsa-chacha20-poly1305";
        /// TLS 1.2: AES-128-GCM with a pre-shared key, without a key exchange.
        PSK_AES_128_GCM = 0x00a8, "TLS_PSK_WITH_AES_128_GCM_SHA256", "psk-aes-128-gcm";
        /// TLS 1.2: AES-256-GCM with a pre-shared key, without a key exchange.
        PSK_AES_256_GCM = 0x00a9, "TLS_PSK_WITH_AES_256_GCM_SHA384", "psk-aes-256-gcm";
        /// TLS 1.2: ChaCha20-Poly1305 with a pre-shared key, without a key exchange.
        PSK_CHACHA20_POLY1305 = 0xccab, "TLS_PSK_WITH_CHACHA20_POLY1305_SHA256", "psk-chacha20-poly1305";
        /// TLS 1.2: AES-128-GCM with a pre-shared key and a key exchange on a curve.
        ECDHE_PSK_AES_128_GCM = 0xd001, "TLS_ECDHE_PSK_WITH_AES_128_GCM_SHA256", "ecdhe-psk-aes-128-gcm";
        /// TLS 1.2: AES-256-GCM with a pre-shared key and a key exchange on a curve.
        ECDHE_PSK_AES_256_GCM = 0xd002, "TLS_ECDHE_PSK_WITH_AES_256_GCM_SHA384", "ecdhe-psk-aes-256-gcm";
        /// TLS 1.2: ChaCha20-Poly1305 with a pre-shared key and a key exchange on a curve.
        ECDHE_PSK_CHACHA20_POLY1305 = 0xccac, "TLS_ECDHE_PSK_WITH_CHACHA20_POLY1305_SHA256", "ecdhe-psk-chacha20-poly1305";
        /// TLS 1.2: AES-128-GCM with a pre-shared key and a key exchange in a finite field.
        DHE_PSK_AES_128_GCM = 0x00aa, "TLS_DHE_PSK_WITH_AES_128_GCM_SHA256", "dhe-psk-aes-128-gcm";
        /// TLS 1.2: AES-256-GCM with a pre-shared key and a key exchange in a finite field.
        DHE_PSK_AES_256_GCM = 0x00ab, "TLS_DHE_PSK_WITH_AES_256_GCM_SHA384", "dhe-psk-aes-256-gcm";
        /// TLS 1.2: ChaCha20-Poly1305 with a pre-shared key and a key exchange in a finite field.
        DHE_PSK_CHACHA20_POLY1305 = 0xccad, "TLS_DHE_PSK_WITH_CHACHA20_POLY1305_SHA256", "dhe-psk-chacha20-poly1305";
    }
}

impl CipherSuite {
    /// The cipher suites of TLS 1.3, one per AEAD.
    pub const TLS13: [Self; 3] = [Self::AES_128_GCM, Self::AES_256_GCM, Self::CHACHA20_POLY1305];

    /// A row for each cipher suite of TLS 1.3: the suite, then the suites of TLS 1.2 with the same AEAD.
    /// Their order: ECDHE with an ECDSA or EdDSA certificate, ECDHE with RSA, DHE with RSA, PSK alone,
    /// ECDHE_PSK, DHE_PSK.
    pub(crate) const BY_PROTECTION: [[Self; 7]; 3] = [
        [
            Self::AES_128_GCM,
            Self::ECDHE_ECDSA_AES_128_GCM,
            Self::ECDHE_RSA_AES_128_GCM,
            Self::DHE_RSA_AES_128_GCM,
            Self::PSK_AES_128_GCM,
            Self::ECDHE_PSK_AES_128_GCM,
            Self::DHE_PSK_AES_128_GCM,
        ],
        [
            Self::AES_256_GCM,
            Self::ECDHE_ECDSA_AES_256_GCM,
            Self::ECDHE_RSA_AES_256_GCM,
            Self::DHE_RSA_AES_256_GCM,
            Self::PSK_AES_256_GCM,
            Self::ECDHE_PSK_AES_256_GCM,
            Self::DHE_PSK_AES_256_GCM,
        ],
        [
            Self::CHACHA20_POLY1305,
            Self::ECDHE_ECDSA_CHACHA20_POLY1305,
            Self::ECDHE_RSA_CHACHA20_POLY1305,
            Self::DHE_RSA_CHACHA20_POLY1305,
            Self::PSK_CHACHA20_POLY1305,
            Self::ECDHE_PSK_CHACHA20_POLY1305,
            Self::DHE_PSK_CHACHA20_POLY1305,
        ],
    ];

    /// The TLS 1.2 cipher suite with the same AEAD and a pre-shared key, with a key exchange in `exchange`
    /// or, if that is `None`, without one.
    pub fn by_psk(self, exchange: Option<Group>) -> Option<Self> {
        let row = Self::BY_PROTECTION.iter().find(|row| row.contains(&self))?;
        Some(match exchange {
            None => row[4],
            Some(group) if !group.is_finite_field() => row[5],
            Some(_) => row[6],
        })
    }

    /// Whether this is a cipher suite of TLS 1.2 in which a pre-shared key replaces certificates (RFC 4279).
    pub fn is_by_psk(self) -> bool {
        Self::BY_PROTECTION.iter().any(|row| row[4..].contains(&self))
    }

    /// Whether this is a cipher suite of TLS 1.2 without a key exchange: the secret is the pre-shared key
    /// alone.
    pub fn exchanges_no_key(self) -> bool {
        Self::BY_PROTECTION.iter().any(|row| row[4] == self)
    }

    /// The digest length of the handshake's transcript hash, bytes: 48 (SHA-384) with AES-256, else 32
    /// (SHA-256).
    pub fn hash_bytes(self) -> usize {
        if Self::BY_PROTECTION[1].contains(&self) { 48 } else { 32 }
    }

    /// Whether this is a cipher suite of TLS 1.2 whose key exchange is in a finite field (DHE).
    pub fn is_finite_field(self) -> bool {
        Self::BY_PROTECTION.iter().any(|row| row[3] == self || row[6] == self)
    }

    /// TLS 1.3's name of the AEAD, such as `aes-128-gcm`; the suite's own name if no TLS 1.3 suite has that
    /// AEAD.
    pub fn protection(self) -> Cow<'static, str> {
        let row = Self::BY_PROTECTION.iter().find(|row| row.contains(&self));
        row.map_or(self, |row| row[0]).short_name()
    }
}

code_point! {
    /// A key exchange group (IANA: TLS Supported Groups).
    Group, "group", {
        /// NIST P-256.
        SECP256R1 = 0x0017, "secp256r1", "p-256";
        /// NIST P-384.
        SECP384R1 = 0x0018, "secp384r1", "p-384";
        /// Curve25519.
        X25519 = 0x001d, "x25519", "x25519";
        /// ML-KEM-768 with X25519.
        X25519MLKEM768 = 0x11ec, "X25519MLKEM768", "x25519mlkem768";
        /// ML-KEM-768 with P-256.
        SECP256R1MLKEM768 = 0x11eb, "SecP256r1MLKEM768", "p-256mlkem768";
        /// The finite field with a prime of 2,048 bits of RFC 7919.
        FFDHE2048 = 0x0100, "ffdhe2048", "ffdhe2048";
    }
}

impl Group {
    /// Whether this is a finite field of RFC 7919. TLS 1.2 has cipher suites of its own for these.
    pub fn is_finite_field(self) -> bool {
        (0x0100..=0x01ff).contains(&self.0)
    }

    /// Whether the group contains ML-KEM, a key encapsulation mechanism. Only TLS 1.3 has such groups. In
    /// them the server computes its share from the client's, not independently.
    pub fn encapsulates(self) -> bool {
        [Self::X25519MLKEM768, Self::SECP256R1MLKEM768].contains(&self)
    }
}

code_point! {
    /// A signature scheme (IANA: TLS SignatureScheme).
    SignatureScheme, "signature scheme", {
        /// ECDSA on P-256 with SHA-256.
        ECDSA_SECP256R1_SHA256 = 0x0403, "ecdsa_secp256r1_sha256", "ecdsa-p256-sha256";
        /// ECDSA on P-384 with SHA-384.
        ECDSA_SECP384R1_SHA384 = 0x0503, "ecdsa_secp384r1_sha384", "ecdsa-p384-sha384";
        /// RSA-PSS with an RSA key and SHA-256.
        RSA_PSS_RSAE_SHA256 = 0x0804, "rsa_pss_rsae_sha256", "rsa-pss-sha256";
        /// Ed25519.
        ED25519 = 0x0807, "ed25519", "ed25519";
        /// RSA with PKCS#1 v1.5 padding and SHA-256; in TLS 1.2 only.
        RSA_PKCS1_SHA256 = 0x0401, "rsa_pkcs1_sha256", "rsa-pkcs1-sha256";
        /// ML-DSA-44; in TLS 1.3 only, like all of ML-DSA.
        MLDSA44 = 0x0904, "mldsa44", "ml-dsa-44";
        /// ML-DSA-65.
        MLDSA65 = 0x0905, "mldsa65", "ml-dsa-65";
        /// ML-DSA-87.
        MLDSA87 = 0x0906, "mldsa87", "ml-dsa-87";
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KeyType;

    #[test]
    fn names_and_code_points_go_both_ways() {
        assert_eq!(CipherSuite::AES_128_GCM.to_string(), "TLS_AES_128_GCM_SHA256");
        assert_eq!("chacha20-poly1305".parse::<CipherSuite>().unwrap(), CipherSuite(0x1303));
        assert_eq!("0x11ec".parse::<Group>().unwrap(), Group::X25519MLKEM768);
        assert_eq!(Group(0xfe30).to_string(), "0xfe30");
        assert_eq!("0xfe30".parse::<Group>().unwrap(), Group(0xfe30));
    }

    #[test]
    fn a_suite_has_its_counterpart_in_the_other_version() {
        let with = |version, key, group| CipherSuite::AES_256_GCM.counterpart(version, key, group);
        let of = |version, key| with(version, key, Group::X25519).unwrap();
        assert_eq!(of(ProtocolVersion::TLS12, KeyType::EcdsaP256), CipherSuite(0xc02c));
        assert_eq!(of(ProtocolVersion::TLS12, KeyType::Ed25519), CipherSuite(0xc02c));
        assert_eq!(of(ProtocolVersion::TLS12, KeyType::Rsa4096), CipherSuite(0xc030));
        assert_eq!(of(ProtocolVersion::TLS13, KeyType::Rsa2048), CipherSuite::AES_256_GCM);
        assert_eq!(
            with(ProtocolVersion::TLS12, KeyType::Rsa3072, Group::FFDHE2048),
            Some(CipherSuite(0x009f))
        );
        assert_eq!(
            with(ProtocolVersion::TLS13, KeyType::Rsa3072, Group::FFDHE2048),
            Some(CipherSuite::AES_256_GCM)
        );
        assert_eq!(with(ProtocolVersion::TLS12, KeyType::EcdsaP256, Group::FFDHE2048), None);
        assert_eq!(with(ProtocolVersion::TLS12, KeyType::MlDsa65, Group::X25519), None);
        assert_eq!(CipherSuite(0xcca8).protection(), "chacha20-poly1305");
        assert_eq!(CipherSuite(0xccaa).protection(), "chacha20-poly1305");
        assert_eq!(
            CipherSuite(0x1305).counterpart(ProtocolVersion::TLS12, KeyType::EcdsaP256, Group::X25519),
            None
        );
    }

    /// The code points are those of RFC 5487, RFC 7905 and RFC 8442.
    #[test]
    fn a_suite_has_its_counterparts_by_a_pre_shared_key() {
        let of = |suite: CipherSuite, exchange| suite.by_psk(exchange).map(|suite| suite.0);
        let chacha = CipherSuite::CHACHA20_POLY1305;
        assert_eq!(of(chacha, None), Some(0xccab));
        assert_eq!(of(chacha, Some(Group::X25519)), Some(0xccac));
        assert_eq!(of(chacha, Some(Group::FFDHE2048)), Some(0xccad));
        assert_eq!(of(CipherSuite::ECDHE_RSA_AES_256_GCM, None), Some(0x00a9));
        assert_eq!(of(CipherSuite::AES_128_GCM, Some(Group::SECP256R1)), Some(0xd001));
        assert_eq!(of(CipherSuite(0x1305), None), None);
        let psk = CipherSuite::DHE_PSK_AES_256_GCM;
        assert!(psk.is_by_psk() && psk.is_finite_field() && !psk.exchanges_no_key());
        assert_eq!((psk.hash_bytes(), psk.protection().as_ref()), (48, "aes-256-gcm"));
        assert!(CipherSuite::PSK_AES_128_GCM.exchanges_no_key());
        assert!(!CipherSuite::DHE_RSA_AES_128_GCM.is_by_psk() && !chacha.is_by_psk());
        let back = |version| psk.counterpart(version, KeyType::EcdsaP256, Group::X25519);
        assert_eq!(back(ProtocolVersion::TLS13), Some(CipherSuite::AES_256_GCM));
    }

    #[test]
    fn an_unknown_name_lists_the_known_ones() {
        insta::assert_snapshot!(
            "p256".parse::<Group>().unwrap_err(),
            @r#"no group is called "p256"; known: p-256, p-384, x25519, x25519mlkem768, p-256mlkem768, ffdhe2048 (or its code point as 0x followed by four hex digits)"#
        );
    }
}
