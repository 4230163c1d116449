//! Single cryptographic operations, as a library's TLS layer would request them or as a language's own
//! interface offers them.

use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

#[cfg(feature = "schema")]
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{CipherSuite, Group, KeyType, Side};

/// The operation of one iteration. `docs/protocol/primitives.md` defines the input and output of each, and
/// what is timed.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Operation {
    /// The digest of a message.
    Hash,
    /// The authentication code of a message, with a new key for each call.
    Hmac,
    /// Encryption and authentication of a message.
    AeadSeal,
    /// Decryption and verification of a sealed message.
    AeadOpen,
    /// The signature of a TLS 1.3 CertificateVerify.
    Sign,
    /// The verification of such a signature.
    Verify,
    /// A fresh ephemeral key and its public half as a key share.
    KeyGeneration,
    /// The shared secret of one's own key and the peer's share, for a curve or a finite field.
    KeyAgreement,
    /// A share and a secret for the peer's share, for a group with a key encapsulation mechanism: the
    /// server's part.
    Encapsulate,
    /// The secret from a share that was encapsulated for one's own: the client's part.
    Decapsulate,
    /// The digest of a message through a language's interface: look up an object by the algorithm's name,
    /// create the message, feed it in, take the result.
    HashObject,
    /// A client's whole connection over loopback to a server in another process: TCP, handshake, one message,
    /// close. Everything except the certificate's key is the library's default.
    Connection,
}

impl Operation {
    /// Every operation.
    pub const ALL: [Operation; 12] = [
        Operation::Hash,
        Operation::Hmac,
        Operation::AeadSeal,
        Operation::AeadOpen,
        Operation::Sign,
        Operation::Verify,
        Operation::KeyGeneration,
        Operation::KeyAgreement,
        Operation::Encapsulate,
        Operation::Decapsulate,
        Operation::HashObject,
        Operation::Connection,
    ];

    /// The operations that a TLS layer uses.
    pub const OF_TLS: [Operation; 10] = [
        Operation::Hash,
        Operation::Hmac,
        Operation::AeadSeal,
        Operation::AeadOpen,
        Operation::Sign,
        Operation::Verify,
        Operation::KeyGeneration,
        Operation::KeyAgreement,
        Operation::Encapsulate,
        Operation::Decapsulate,
    ];

    /// Its name in scenario files and in scenario names.
    pub fn name(self) -> &'static str {
        match self {
            Operation::Hash => "hash",
            Operation::Hmac => "hmac",
            Operation::AeadSeal => "aead-seal",
            Operation::AeadOpen => "aead-open",
            Operation::Sign => "sign",
            Operation::Verify => "verify",
            Operation::KeyGeneration => "key-generation",
            Operation::KeyAgreement => "key-agreement",
            Operation::Encapsulate => "encapsulate",
            Operation::Decapsulate => "decapsulate",
            Operation::HashObject => "hash-object",
            Operation::Connection => "connection",
        }
    }

    /// The side that the figure belongs to: the server if only a server does this in a full handshake; the
    /// client if only a client does it, or if both do it alike.
    pub fn side(self) -> Side {
        match self {
            Operation::Sign | Operation::Encapsulate => Side::Server,
            _ => Side::Client,
        }
    }

    /// Whether its cost depends on the length of a message.
    pub fn is_sized(self) -> bool {
        matches!(
            self,
            Operation::Hash
                | Operation::Hmac
                | Operation::AeadSeal
                | Operation::AeadOpen
                | Operation::HashObject
                | Operation::Connection
        )
    }

    /// Whether the operation works with this kind of algorithm.
    pub fn fits(self, algorithm: Algorithm) -> bool {
        match self {
            Operation::Hash | Operation::Hmac | Operation::HashObject => {
                matches!(algorithm, Algorithm::Hash(_))
            }
            Operation::AeadSeal | Operation::AeadOpen => matches!(algorithm, Algorithm::Aead(_)),
            Operation::Sign | Operation::Verify | Operation::Connection => {
                matches!(algorithm, Algorithm::Signature(_))
            }
            Operation::KeyGeneration => {
                matches!(algorithm, Algorithm::Group(_))
            }
            Operation::KeyAgreement => {
                matches!(algorithm, Algorithm::Group(group) if !group.encapsulates())
            }
            Operation::Encapsulate | Operation::Decapsulate => {
                matches!(algorithm, Algorithm::Group(group) if group.encapsulates())
            }
        }
    }
}

impl fmt::Display for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A hash function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum HashFunction {
    /// MD5.
    Md5,
    /// SHA-1.
    Sha1,
    /// SHA-256.
    Sha256,
    /// SHA-384.
    Sha384,
    /// SHA-512.
    Sha512,
    /// SHA3-256.
    Sha3_256,
    /// SHA3-384.
    Sha3_384,
    /// SHA3-512.
    Sha3_512,
}

impl HashFunction {
    /// All hash functions.
    pub const ALL: [HashFunction; 8] = [
        HashFunction::Md5,
        HashFunction::Sha1,
        HashFunction::Sha256,
        HashFunction::Sha384,
        HashFunction::Sha512,
        HashFunction::Sha3_256,
        HashFunction::Sha3_384,
        HashFunction::Sha3_512,
    ];

    /// The hash functions of TLS 1.3's cipher suites.
    pub const OF_TLS13: [HashFunction; 2] = [HashFunction::Sha256, HashFunction::Sha384];

    /// Its name in scenario files and in scenario names.
    pub fn name(self) -> &'static str {
        match self {
            HashFunction::Md5 => "md5",
            HashFunction::Sha1 => "sha-1",
            HashFunction::Sha256 => "sha-256",
            HashFunction::Sha384 => "sha-384",
            HashFunction::Sha512 => "sha-512",
            HashFunction::Sha3_256 => "sha3-256",
            HashFunction::Sha3_384 => "sha3-384",
            HashFunction::Sha3_512 => "sha3-512",
        }
    }

    /// The length of its digest, bytes.
    pub fn digest_bytes(self) -> usize {
        match self {
            HashFunction::Md5 => 16,
            HashFunction::Sha1 => 20,
            HashFunction::Sha256 | HashFunction::Sha3_256 => 32,
            HashFunction::Sha384 | HashFunction::Sha3_384 => 48,
            HashFunction::Sha512 | HashFunction::Sha3_512 => 64,
        }
    }

    /// IANA's code point (TLS HashAlgorithm). SHA-3 has none there; its numbers are the lab's own.
    pub fn code_point(self) -> u16 {
        match self {
            HashFunction::Md5 => 1,
            HashFunction::Sha1 => 2,
            HashFunction::Sha256 => 4,
            HashFunction::Sha384 => 5,
            HashFunction::Sha512 => 6,
            HashFunction::Sha3_256 => 0x0101,
            HashFunction::Sha3_384 => 0x0102,
            HashFunction::Sha3_512 => 0x0103,
        }
    }
}

/// The algorithm of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub enum Algorithm {
    /// For hash, hmac and hash-object.
    Hash(HashFunction),
    /// For aead-seal and aead-open: the AEAD of a TLS 1.3 cipher suite.
    Aead(CipherSuite),
    /// For sign and verify: a type of key, with the scheme that TLS 1.3 scenarios pin for it. For a
    /// connection: the server's key.
    Signature(KeyType),
    /// For every operation that exchanges keys.
    Group(Group),
}

impl Algorithm {
    /// Its name in scenario files and in scenario names.
    pub fn name(self) -> Cow<'static, str> {
        match self {
            Algorithm::Hash(hash) => hash.name().into(),
            Algorithm::Aead(suite) => suite.short_name(),
            Algorithm::Signature(key) => key.name().into(),
            Algorithm::Group(group) => group.short_name(),
        }
    }
}

impl fmt::Display for Algorithm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl FromStr for Algorithm {
    type Err = String;

    fn from_str(name: &str) -> Result<Self, String> {
        let hash = HashFunction::ALL.into_iter().find(|hash| hash.name() == name).map(Algorithm::Hash);
        let key = KeyType::ALL.into_iter().find(|key| key.name() == name).map(Algorithm::Signature);
        // A code point alone could be a suite's or a group's.
        let named = || !name.starts_with("0x");
        let aead = || {
            let suite = CipherSuite::TLS13.into_iter().find(|suite| suite.short_name() == name);
            suite.map(Algorithm::Aead)
        };
        let group = || named().then(|| name.parse().ok()).flatten().map(Algorithm::Group);
        hash.or(key).or_else(aead).or_else(group).ok_or_else(|| {
            format!(
                "no hash, AEAD, key type or group is called \"{name}\"; there are md5, sha-1, sha-256, sha-384, sha-512, \
                 sha3-256, sha3-384, sha3-512, the AEADs of TLS 1.3's suites, the key types and the groups"
            )
        })
    }
}

impl Serialize for Algorithm {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.name())
    }
}

impl<'de> Deserialize<'de> for Algorithm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = Cow::<'de, str>::deserialize(deserializer)?;
        name.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(feature = "schema")]
impl JsonSchema for Algorithm {
    fn schema_name() -> Cow<'static, str> {
        "Algorithm".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A hash (sha-256), an AEAD (aes-128-gcm), a key type (ecdsa-p256) or a group (x25519), by its name in scenario files.",
            "type": "string"
        })
    }
}

/// One operation with one algorithm.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Primitive {
    /// The operation.
    pub operation: Operation,
    /// The algorithm.
    pub algorithm: Algorithm,
    /// The length of the message, bytes; 0 if the operation does not have a variable length.
    #[serde(default)]
    pub bytes: u32,
    /// Operations between two readings of the clock. One iteration is still one operation.
    #[serde(default = "one")]
    pub burst: u32,
    /// The length of an AEAD's additional data, bytes: 5 for TLS 1.3 (a record's header), 13 for TLS 1.2.
    #[serde(default = "header_of_tls_1_3", skip_serializing_if = "is_header_of_tls_1_3")]
    pub header_bytes: u32,
}

fn one() -> u32 {
    1
}

/// The length of a record's header, bytes, which TLS 1.3 authenticates (RFC 8446, section 5.2).
pub const HEADER_OF_TLS_1_3: u32 = 5;

/// The length of the additional data of TLS 1.2, bytes: sequence number, type, version and length (RFC 5246,
/// section 6.2.3.3).
pub const HEADER_OF_TLS_1_2: u32 = 13;

fn header_of_tls_1_3() -> u32 {
    HEADER_OF_TLS_1_3
}

fn is_header_of_tls_1_3(bytes: &u32) -> bool {
    *bytes == HEADER_OF_TLS_1_3
}

impl Primitive {
    /// `operation/algorithm`, as capabilities and limits name it.
    pub fn pair(&self) -> String {
        format!("{}/{}", self.operation, self.algorithm)
    }
}

/// Inputs and outputs of one primitive, made off the clock, so that the lab can compute the result
/// independently. Fields that an operation does not have are empty. All bytes are in hex.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PrimitiveFacts {
    /// The secret key of hmac, aead-seal and aead-open.
    #[serde(with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub key: Vec<u8>,
    /// The nonce of aead-seal and aead-open.
    #[serde(with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub nonce: Vec<u8>,
    /// The input: the message, the sealed message, the signature to be verified, or the peer's share.
    #[serde(with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub input: Vec<u8>,
    /// The output: the digest, code, sealed or opened message, signature, share, or secret. For encapsulate,
    /// the share followed by the secret. For a connection, what the server received.
    #[serde(with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub output: Vec<u8>,
    /// The output of a second call, which must differ from the first: for key-generation and encapsulate.
    #[serde(with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub again: Vec<u8>,
    /// One's own share: for key-agreement and decapsulate.
    #[serde(with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub share: Vec<u8>,
    /// For key-generation: the shared secret of the key of `again` and the peer's share. For decapsulate, and
    /// for key-generation in a group that encapsulates: the secret as the encapsulating call returned it.
    #[serde(with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub secret: Vec<u8>,
    /// For key-generation in a group that encapsulates: the secret as decapsulated with the key of `again`.
    #[serde(with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub decapsulated: Vec<u8>,
    /// The library's error for the input with one bit flipped, which it must reject: for verify and
    /// aead-open.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
    /// For a connection: the parameters that both sides negotiated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub negotiated: Option<String>,
}

/// The message of sign and verify: what a TLS 1.3 server signs (RFC 8446, section 4.4.3), with a constant in
/// place of the transcript hash, 32 bytes.
pub fn message_to_sign() -> Vec<u8> {
    let mut message = vec![0x20; 64];
    message.extend_from_slice(b"TLS 1.3, server CertificateVerify\0");
    message.extend((0..32_u8).map(|at| at.wrapping_mul(37).wrapping_add(11)));
    message
}

/// The 5-byte header of a TLS 1.3 record with a payload of `payload_bytes`, which is an AEAD's additional
/// data. For a length that no record can have, it contains the low 16 bits.
pub fn record_header(payload_bytes: usize) -> [u8; 5] {
    let [high, low] = (payload_bytes as u16).to_be_bytes();
    [23, 3, 3, high, low]
}

/// The additional data for a message of `message_bytes`. If `header_bytes` is 5, it is the header of the
/// message's TLS 1.3 record; if 13, it is that of a first TLS 1.2 record.
pub fn additional_data(header_bytes: u32, message_bytes: usize) -> Vec<u8> {
    let [high, low] = (message_bytes as u16).to_be_bytes();
    match header_bytes {
        HEADER_OF_TLS_1_2 => vec![0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, high, low],
        _ => record_header(message_bytes + TAG_BYTES).to_vec(),
    }
}

/// The length that every AEAD of TLS 1.3 adds to a message, bytes.
const TAG_BYTES: usize = 16;

/// The nonce of a record (RFC 8446, section 5.3).
pub fn record_nonce(iv: [u8; 12], sequence: u64) -> [u8; 12] {
    let mut nonce = iv;
    for (byte, other) in nonce[4..].iter_mut().zip(sequence.to_be_bytes()) {
        *byte ^= other;
    }
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn algorithms_go_both_ways_and_fit_their_operations() {
        for (name, operation) in [
            ("sha-384", Operation::Hmac),
            ("chacha20-poly1305", Operation::AeadOpen),
            ("rsa-2048", Operation::Sign),
            ("x25519", Operation::KeyAgreement),
            ("x25519mlkem768", Operation::Encapsulate),
        ] {
            let algorithm: Algorithm = name.parse().unwrap();
            assert_eq!(algorithm.to_string(), name);
            assert!(operation.fits(algorithm), "{operation} {name}");
        }
        assert!(!Operation::KeyAgreement.fits(Algorithm::Group(Group::X25519MLKEM768)));
        assert!(Operation::KeyAgreement.fits(Algorithm::Group(Group::FFDHE2048)));
        assert!(!Operation::Decapsulate.fits(Algorithm::Group(Group::X25519)));
        for hash in HashFunction::ALL {
            assert_eq!(hash.name().parse(), Ok(Algorithm::Hash(hash)));
        }
        assert!("md4".parse::<Algorithm>().unwrap_err().contains("\"md4\""));
        assert!("0x0017".parse::<Algorithm>().is_err());
    }

    #[test]
    fn what_tls_signs_is_130_bytes() {
        let message = message_to_sign();
        assert_eq!(message.len(), 130);
        assert_eq!(&message[64..98], b"TLS 1.3, server CertificateVerify\0");
    }

    #[test]
    fn a_nonce_counts_in_its_last_eight_bytes() {
        let iv = [0xaa; 12];
        assert_eq!(record_nonce(iv, 0), iv);
        assert_eq!(record_nonce(iv, 0x0102)[10..], [0xab, 0xa8]);
        assert_eq!(record_header(16_400), [23, 3, 3, 0x40, 0x10]);
        assert_eq!(additional_data(5, 16_384), [23, 3, 3, 0x40, 0x10]);
        assert_eq!(additional_data(13, 16_384), [0, 0, 0, 0, 0, 0, 0, 0, 23, 3, 3, 0x40, 0]);
    }
}
