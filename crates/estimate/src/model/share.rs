//! The share of a handshake that is cryptography.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

use super::Estimated;

/// One side of a handshake on one stack: the time of its public-key operations, measured separately, over its
/// whole time.
///
/// It is a lower bound: hashing, the key schedule and record protection of the handshake are excluded. In
/// every round the operations' times are added up and divided by the handshake's; the rounds are the
/// observations.
///
/// | side | operations |
/// |---|---|
/// | client | key-generation, key-agreement or decapsulate, and verify once for CertificateVerify and once per certificate of the chain where that is verified |
/// | server | key-generation and key-agreement, or encapsulate, and sign once |
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Share {
    /// The handshake's name.
    pub scenario: String,
    /// The stack's name.
    pub stack: String,
    /// The side.
    pub side: Side,
    /// The added operations.
    pub parts: Vec<Part>,
    /// The share, 0 to 1; `null` if unknown.
    pub share: Option<Estimated>,
    /// Why it is not known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_share: Option<String>,
}

/// One operation of a handshake.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Part {
    /// The operation and its algorithm: `sign/ecdsa-p256`.
    pub primitive: String,
    /// How often the side does it.
    pub times: u32,
}
