//! Public keys in certificates.

use std::fmt;

use serde::{Deserialize, Serialize};
use tlslab_protocol::KeyType;
use x509_parser::prelude::{FromDer, X509Certificate};
use x509_parser::public_key::PublicKey;

/// A certificate's public key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct CertificateKey {
    /// The kind of key.
    pub algorithm: KeyAlgorithm,
    /// Its size, bits: the modulus for RSA, the field for an elliptic curve, else the public key.
    pub bits: u32,
}

/// A kind of key.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyAlgorithm {
    /// RSA (rsaEncryption).
    Rsa,
    /// A point on NIST P-256.
    EcdsaP256,
    /// A point on NIST P-384.
    EcdsaP384,
    /// Ed25519.
    Ed25519,
    /// ML-DSA-44.
    MlDsa44,
    /// ML-DSA-65.
    MlDsa65,
    /// Another algorithm, as its object identifier; for an elliptic curve, that of the curve.
    Other(String),
}

/// A certificate that cannot be parsed; the cause.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("bytes that are no certificate ({0})")]
pub struct CertificateError(String);

impl CertificateKey {
    /// Reads the key in a DER certificate.
    ///
    /// # Errors
    /// Fails if the bytes are not a certificate, or if its key is malformed.
    pub fn of_certificate(der: &[u8]) -> Result<Self, CertificateError> {
        let (rest, certificate) =
            X509Certificate::from_der(der).map_err(|cause| CertificateError(cause.to_string()))?;
        if !rest.is_empty() {
            return Err(CertificateError(format!("{} bytes are left over", rest.len())));
        }
        let key = certificate.public_key();
        let bits = match key.parsed().map_err(|cause| CertificateError(cause.to_string()))? {
            PublicKey::RSA(key) => key.key_size(),
            PublicKey::EC(point) => point.key_size(),
            _ => key.subject_public_key.data.len() * 8,
        };
        let algorithm = key.algorithm.algorithm.to_id_string();
        let curve = key.algorithm.parameters.as_ref().and_then(|parameters| parameters.as_oid().ok());
        let algorithm = match (algorithm.as_str(), curve.map(|curve| curve.to_id_string())) {
            (RSA_ENCRYPTION, _) => KeyAlgorithm::Rsa,
            (EC_PUBLIC_KEY, Some(curve)) if curve == PRIME256V1 => KeyAlgorithm::EcdsaP256,
            (EC_PUBLIC_KEY, Some(curve)) if curve == SECP384R1 => KeyAlgorithm::EcdsaP384,
            (EC_PUBLIC_KEY, Some(curve)) => KeyAlgorithm::Other(curve),
            (ED25519, _) => KeyAlgorithm::Ed25519,
            (ML_DSA_44, _) => KeyAlgorithm::MlDsa44,
            (ML_DSA_65, _) => KeyAlgorithm::MlDsa65,
            _ => KeyAlgorithm::Other(algorithm),
        };
        // A certificate is far shorter than 2^32 bits; if one is not, its size is wrong in any case.
        Ok(Self { algorithm, bits: u32::try_from(bits).unwrap_or(u32::MAX) })
    }

    /// The key that a scenario specifies.
    pub fn of_type(key_type: KeyType) -> Self {
        let algorithm = match key_type {
            KeyType::EcdsaP256 => KeyAlgorithm::EcdsaP256,
            KeyType::EcdsaP384 => KeyAlgorithm::EcdsaP384,
            KeyType::Ed25519 => KeyAlgorithm::Ed25519,
            KeyType::Rsa2048 | KeyType::Rsa3072 | KeyType::Rsa4096 => KeyAlgorithm::Rsa,
            KeyType::MlDsa44 => KeyAlgorithm::MlDsa44,
            KeyType::MlDsa65 => KeyAlgorithm::MlDsa65,
        };
        Self { algorithm, bits: key_type.bits() }
    }
}

impl fmt::Display for CertificateKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let algorithm = match &self.algorithm {
            KeyAlgorithm::Rsa => "RSA",
            KeyAlgorithm::EcdsaP256 => "ECDSA on P-256",
            KeyAlgorithm::EcdsaP384 => "ECDSA on P-384",
            KeyAlgorithm::Ed25519 => "Ed25519",
            KeyAlgorithm::MlDsa44 => "ML-DSA-44",
            KeyAlgorithm::MlDsa65 => "ML-DSA-65",
            KeyAlgorithm::Other(oid) => oid,
        };
        write!(f, "{algorithm}, {} bits", self.bits)
    }
}

const RSA_ENCRYPTION: &str = "1.2.840.113549.1.1.1";
const EC_PUBLIC_KEY: &str = "1.2.840.10045.2.1";
const PRIME256V1: &str = "1.2.840.10045.3.1.7";
const SECP384R1: &str = "1.3.132.0.34";
const ED25519: &str = "1.3.101.112";
const ML_DSA_44: &str = "2.16.840.1.101.3.4.3.17";
const ML_DSA_65: &str = "2.16.840.1.101.3.4.3.18";
