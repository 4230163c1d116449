//! One side's steps of connections whose other side is elsewhere: in another process, or nowhere for a while.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{PhaseTimes, SideFacts};

/// The highest number that a connection can have: room for many more than any process holds.
pub const MOST_RELAYED: u32 = 1 << 20;

/// One step of one connection.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RelayStep {
    /// The connection's number, which the lab chooses; less than 1,048,576. Each side counts for itself.
    pub connection: u32,
    /// What is done.
    pub call: RelayCall,
    /// What the peer sent, in hex.
    #[serde(default, with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub input: Vec<u8>,
}

impl RelayStep {
    /// A step to which nothing has come from the peer.
    pub fn new(connection: u32, call: RelayCall) -> Self {
        Self { connection, call, input: Vec::new() }
    }
}

/// What is done with a connection.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum RelayCall {
    /// Make it; phase `create`. It is held until it is freed or another scenario is prepared.
    Create,
    /// The same with the session that `session` has kept under this number; phase `create`.
    Resume,
    /// Hand it what the peer sent, nothing at a client's first; phase `handshake`.
    Handshake,
    /// Hand it what the peer sent after this side's handshake, such as tickets; phase `post_handshake`.
    PostHandshake,
    /// Encrypt the scenario's write; phase `send`.
    Send,
    /// Hand it the records of such a write, whose every byte is compared after the clock; phase `receive`.
    Receive,
    /// Say what the library reports of it. Off the clock.
    Facts,
    /// Keep what the client could take up, under the connection's number. Off the clock.
    Session,
    /// Free it; phase `free`.
    Free,
}

/// What came of one step.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RelayResult {
    /// What is to be sent to the peer, in hex. A step that is refused may have some, too: an alert.
    #[serde(default, with = "hex", skip_serializing_if = "Vec::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub output: Vec<u8>,
    /// Of `handshake`: whether this side's handshake is done. Of `session`: whether there was one to keep.
    #[serde(default, skip_serializing_if = "is_false")]
    pub done: bool,
    /// Of `receive`: bytes of plaintext that came out unaltered.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plaintext_received: u64,
    /// Of `facts`: what the library reports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub facts: Option<Box<SideFacts>>,
    /// Why the step was not done: the library's words, or the kit's where there is no such connection.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused: Option<String>,
}

/// Which server each client is paired with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Pairing {
    /// Each its own stack's alone.
    #[default]
    Own,
    /// Besides that, those of every stack, over the lab.
    Cross,
}

/// What came of a request's steps.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Relayed {
    /// One for each step, in their order. A step that is refused stops none after it.
    pub results: Vec<RelayResult>,
    /// This side's time per phase, ns, summed over the steps.
    pub phases: PhaseTimes,
    /// Readings of the clock that lie in those times.
    pub clock_reads: u64,
    /// From the first step's beginning to the last one's end, ns, with what is on no clock.
    pub elapsed_ns: u64,
}

fn is_false(value: &bool) -> bool {
    !value
}

fn is_zero(value: &u64) -> bool {
    *value == 0
}
