//! One side's steps of connections whose other side is in another process, or absent for a while.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PhaseTimes, SideFacts};

/// The limit of connection numbers, far above what any process holds.
pub const MOST_RELAYED: u32 = 1 << 20;

/// One step of one connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RelayStep {
    /// The connection's number, chosen by the lab; less than 1,048,576. Each side has its own numbers.
    pub connection: u32,
    /// The call.
    pub call: RelayCall,
    /// Bytes from the peer, in hex.
    #[serde(default, with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub input: Vec<u8>,
}

impl RelayStep {
    /// A step without input from the peer.
    pub fn new(connection: u32, call: RelayCall) -> Self {
        Self { connection, call, input: Vec::new() }
    }
}

/// A call on a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RelayCall {
    /// Create it; phase `create`. It is kept until it is freed or another scenario is prepared.
    Create,
    /// Create it with the session that `session` stored under this number; phase `create`.
    Resume,
    /// Process the peer's bytes, which are empty at a client's first call; phase `handshake`.
    Handshake,
    /// Process what the peer sent after this side's handshake, such as tickets; phase `post_handshake`.
    PostHandshake,
    /// Encrypt the scenario's write; phase `send`.
    Send,
    /// Decrypt the records of such a write; phase `receive`. The plaintext is compared off the clock.
    Receive,
    /// Take the peer's closing alert, if there is input, and send this side's, unless it was sent; phase
    /// `close`.
    Close,
    /// Report the library's facts about it. Off the clock.
    Facts,
    /// Store what the client could resume, under the connection's number. Off the clock.
    Session,
    /// Free it; phase `free`.
    Free,
}

/// The result of one step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RelayResult {
    /// Bytes for the peer, in hex. A refused step may have some, too: an alert.
    #[serde(default, with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub output: Vec<u8>,
    /// For `handshake`: whether this side's handshake is done. For `session`: whether there was one to store.
    /// For `close`: whether this side has seen both closing alerts.
    #[serde(default, skip_serializing_if = "is_false")]
    pub done: bool,
    /// For `receive`: bytes of plaintext that arrived unaltered.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plaintext_received: u64,
    /// For `facts`: what the library reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Box<SideFacts>>,
    /// Why the step was refused: the library's message, or the kit's if there is no such connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Which servers each client is paired with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Pairing {
    /// The server of its own stack only.
    #[default]
    Own,
    /// The server of its own stack, and those of all stacks through the lab.
    Cross,
}

/// The results of a request's steps.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Relayed {
    /// One per step, in the same order. Later steps are done even if one is refused.
    pub results: Vec<RelayResult>,
    /// This side's time per phase, ns, summed over the steps.
    pub phases: PhaseTimes,
    /// Readings of the clock that lie in those times.
    pub clock_reads: u64,
    /// From the start of the first step to the end of the last, ns, including all that is on no clock.
    pub elapsed_ns: u64,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}
