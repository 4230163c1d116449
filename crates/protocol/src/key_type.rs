//! The types of keys in certificates.

use std::fmt;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CipherSuite, Group, ProtocolVersion, SignatureScheme};

/// The type and size of a certificate's key.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub enum KeyType {
    /// ECDSA on NIST P-256.
    #[serde(rename = "ecdsa-p256")]
    EcdsaP256,
    /// ECDSA on NIST P-384.
    #[serde(rename = "ecdsa-p384")]
    EcdsaP384,
    /// Ed25519.
    #[serde(rename = "ed25519")]
    Ed25519,
    /// RSA, 2,048 bits.
    #[serde(rename = "rsa-2048")]
    Rsa2048,
    /// RSA, 3,072 bits.
    #[serde(rename = "rsa-3072")]
    Rsa3072,
    /// RSA, 4,096 bits.
    #[serde(rename = "rsa-4096")]
    Rsa4096,
    /// ML-DSA-44.
    #[serde(rename = "ml-dsa-44")]
    MlDsa44,
    /// ML-DSA-65.
    #[serde(rename = "ml-dsa-65")]
    MlDsa65,
}

/// The signature algorithm of a key, whatever its size.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SignatureAlgorithm {
    /// RSA.
    Rsa,
    /// ECDSA.
    Ecdsa,
    /// EdDSA.
    Eddsa,
    /// ML-DSA.
    MlDsa,
}

impl KeyType {
    /// Every key type that the lab has a PKI for.
    pub const ALL: [KeyType; 8] = [
        KeyType::EcdsaP256,
        KeyType::EcdsaP384,
        KeyType::Ed25519,
        KeyType::Rsa2048,
        KeyType::Rsa3072,
        KeyType::Rsa4096,
        KeyType::MlDsa44,
        KeyType::MlDsa65,
    ];

    /// The algorithm that the key signs with.
    pub fn algorithm(self) -> SignatureAlgorithm {
        match self {
            KeyType::EcdsaP256 | KeyType::EcdsaP384 => SignatureAlgorithm::Ecdsa,
            KeyType::Ed25519 => SignatureAlgorithm::Eddsa,
            KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 => SignatureAlgorithm::Rsa,
            KeyType::MlDsa44 | KeyType::MlDsa65 => SignatureAlgorithm::MlDsa,
        }
    }

    /// The one signature scheme that a scenario pins for this key. For RSA keys in TLS 1.2 it is the scheme
    /// that every library supports there.
    pub fn signature_scheme(self, version: ProtocolVersion) -> SignatureScheme {
        match self {
            KeyType::EcdsaP256 => SignatureScheme::ECDSA_SECP256R1_SHA256,
            KeyType::EcdsaP384 => SignatureScheme::ECDSA_SECP384R1_SHA384,
            KeyType::Ed25519 => SignatureScheme::ED25519,
            KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 if version == ProtocolVersion::TLS12 => {
                SignatureScheme::RSA_PKCS1_SHA256
            }
            KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 => SignatureScheme::RSA_PSS_RSAE_SHA256,
            KeyType::MlDsa44 => SignatureScheme::MLDSA44,
            KeyType::MlDsa65 => SignatureScheme::MLDSA65,
        }
    }

    /// The curve of an ECDSA key. In TLS 1.2 it has to be listed among the groups.
    pub fn curve(self) -> Option<Group> {
        match self {
            KeyType::EcdsaP256 => Some(Group::SECP256R1),
            KeyType::EcdsaP384 => Some(Group::SECP384R1),
            _ => None,
        }
    }

    /// The key's size, bits: the modulus of RSA, the field of an elliptic curve, the public key of ML-DSA.
    pub fn bits(self) -> u32 {
        match self {
            KeyType::EcdsaP256 | KeyType::Ed25519 => 256,
            KeyType::EcdsaP384 => 384,
            KeyType::Rsa2048 => 2048,
            KeyType::Rsa3072 => 3072,
            KeyType::Rsa4096 => 4096,
            KeyType::MlDsa44 => 8 * 1312,
            KeyType::MlDsa65 => 8 * 1952,
        }
    }

    /// The longest signature that the key makes, bytes. ECDSA signatures vary by a few bytes; all others have
    /// a fixed length.
    pub fn signature_bytes(self) -> u32 {
        match self {
            KeyType::EcdsaP256 => 72,
            KeyType::EcdsaP384 => 104,
            KeyType::Ed25519 => 64,
            KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 => self.bits() / 8,
            KeyType::MlDsa44 => 2420,
            KeyType::MlDsa65 => 3309,
        }
    }

    /// Its name in scenario files and in scenario names.
    pub fn name(self) -> &'static str {
        match self {
            KeyType::EcdsaP256 => "ecdsa-p256",
            KeyType::EcdsaP384 => "ecdsa-p384",
            KeyType::Ed25519 => "ed25519",
            KeyType::Rsa2048 => "rsa-2048",
            KeyType::Rsa3072 => "rsa-3072",
            KeyType::Rsa4096 => "rsa-4096",
            KeyType::MlDsa44 => "ml-dsa-44",
            KeyType::MlDsa65 => "ml-dsa-65",
        }
    }
}

impl fmt::Display for KeyType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl CipherSuite {
    /// The cipher suite with the same AEAD for another version, key type and group.
    pub fn counterpart(self, version: ProtocolVersion, key: KeyType, group: Group) -> Option<Self> {
        let row = Self::BY_PROTECTION.iter().find(|row| row.contains(&self))?;
        match (version, key.algorithm(), group.is_finite_field()) {
            (ProtocolVersion::TLS13, ..) => Some(row[0]),
            (ProtocolVersion::TLS12, SignatureAlgorithm::Ecdsa | SignatureAlgorithm::Eddsa, false) => {
                Some(row[1])
            }
            (ProtocolVersion::TLS12, SignatureAlgorithm::Rsa, false) => Some(row[2]),
            (ProtocolVersion::TLS12, SignatureAlgorithm::Rsa, true) => Some(row[3]),
            _ => None,
        }
    }
}
