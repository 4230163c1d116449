//! Observations of one connection: what each library reports, and every byte on the wire.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{CipherSuite, Group, ProtocolVersion, Side, SignatureScheme};

/// What one side's library reports about its connection. `null` means that the library has no way to report
/// it.
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
    /// Whether early data was accepted, as reported by this side.
    pub early_data_accepted: Option<bool>,
}

/// The bytes that one step of a connection put on the wire.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Flight {
    /// The side that sent it.
    pub from: Side,
    /// The step that it belongs to.
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
    /// Messages that a side sends without a request after its handshake, such as session tickets.
    PostHandshake,
    /// Application data.
    Data,
    /// Closing alerts.
    Close,
}

/// One whole connection as the driver observed it.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Facts {
    /// What the client's library reports.
    pub client: SideFacts,
    /// What the server's library reports.
    pub server: SideFacts,
    /// All bytes, in the order in which they were sent.
    pub flights: Conversation,
    /// Bytes of application data handed to the sender.
    pub plaintext_sent: u64,
    /// Bytes of application data that the receiver returned and that were equal to those sent.
    pub plaintext_received: u64,
    /// Bytes of early data handed to the client.
    #[serde(default)]
    pub early_data_sent: u64,
    /// Bytes of early data that the server returned before it received the client's Finished, and that were
    /// equal to those sent.
    #[serde(default)]
    pub early_data_received: u64,
}

/// The flights of a connection, in order.
pub type Conversation = Vec<Flight>;

/// A connection that failed.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Refusal {
    /// The side that refused.
    pub side: Side,
    /// The step in which it refused.
    pub step: Step,
    /// The library's error message.
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
