//! What was observed of one connection: what each library reports, and every byte that crossed.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CipherSuite, Group, ProtocolVersion, Side, SignatureScheme};

/// What one side's library reports of its connection. `null` means that the library has no way to say.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct SideFacts {
    /// The negotiated version.
    pub version: Option<ProtocolVersion>,
    /// The negotiated suite.
    pub suite: Option<CipherSuite>,
    /// The negotiated group.
    pub group: Option<Group>,
    /// The scheme of the server's CertificateVerify.
    pub signature_scheme: Option<SignatureScheme>,
    /// Whether the session was resumed.
    pub resumed: Option<bool>,
    /// The certificate that the peer presented, DER in hex.
    #[serde(with = "optional_hex")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<String>"))]
    pub peer_certificate: Option<Vec<u8>>,
    /// Tickets that this side has received.
    pub tickets_received: Option<u32>,
    /// Whether early data was accepted: the server's or the client's word.
    pub early_data_accepted: Option<bool>,
}

/// What one step of a connection put on the wire.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Flight {
    /// The side that sent it.
    pub from: Side,
    /// The step it belongs to.
    pub step: Step,
    /// The bytes, in hex.
    #[serde(with = "hex")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub wire: Vec<u8>,
}

/// A stage of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "kebab-case")]
pub enum Step {
    /// Until both sides have finished the handshake.
    Handshake,
    /// What a side sends by itself after its handshake, such as session tickets.
    PostHandshake,
    /// Application data.
    Data,
}

/// One whole connection as the driver saw it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Facts {
    /// What the client's library reports.
    pub client: SideFacts,
    /// What the server's library reports.
    pub server: SideFacts,
    /// All bytes in the order in which they were sent.
    pub flights: Conversation,
    /// Bytes of application data handed to the sender.
    pub plaintext_sent: u64,
    /// Bytes of application data that the receiver gave back and that were equal to those sent, byte for
    /// byte.
    pub plaintext_received: u64,
    /// Bytes of early data handed to the client.
    #[serde(default)]
    pub early_data_sent: u64,
    /// Bytes of early data that the server gave back before it was handed the client's Finished, and that
    /// were equal to those sent.
    #[serde(default)]
    pub early_data_received: u64,
}

/// The flights of a connection, in order.
pub type Conversation = Vec<Flight>;

/// A connection that did not come about.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Refusal {
    /// The side that refused.
    pub side: Side,
    /// The step in which it did.
    pub step: Step,
    /// What the library said.
    pub error: String,
}

/// How a connection ended.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Both sides finished and all data arrived.
    Completed(Box<Facts>),
    /// A side refused, or waited for bytes that never came.
    Refused(Refusal),
}

mod optional_hex {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(super) fn serialize<S: Serializer>(
        bytes: &Option<Vec<u8>>,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        bytes.as_ref().map(hex::encode).serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(
        deserializer: D,
    ) -> Result<Option<Vec<u8>>, D::Error> {
        Option::<String>::deserialize(deserializer)?
            .map(|text| hex::decode(text).map_err(serde::de::Error::custom))
            .transpose()
    }
}
