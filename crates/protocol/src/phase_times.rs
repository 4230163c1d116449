//! Times by phase.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Nanoseconds per phase, summed over a slice's iterations. A phase that the work does not have is 0.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PhaseTimes {
    /// Making the contexts, if each connection has its own.
    pub context_ns: u64,
    /// Making the connection's object from a context that exists.
    pub create_ns: u64,
    /// The side's own calls until its handshake is done.
    pub handshake_ns: u64,
    /// Processing what the peer sends after the handshake, such as session tickets.
    pub post_handshake_ns: u64,
    /// Sending this side's closing alert, and processing the peer's.
    #[serde(skip_serializing_if = "is_zero")]
    pub close_ns: u64,
    /// Freeing the connection's object.
    pub free_ns: u64,
    /// Plaintext in, wire bytes out.
    pub send_ns: u64,
    /// Wire bytes in, plaintext out.
    pub receive_ns: u64,
    /// One cryptographic operation alone.
    pub operation_ns: u64,
}

impl PhaseTimes {
    /// Every phase with its name, in the order in which a connection goes through them.
    pub fn named(&self) -> [(&'static str, u64); 9] {
        [
            ("context", self.context_ns),
            ("create", self.create_ns),
            ("handshake", self.handshake_ns),
            ("post_handshake", self.post_handshake_ns),
            ("send", self.send_ns),
            ("receive", self.receive_ns),
            ("close", self.close_ns),
            ("free", self.free_ns),
            ("operation", self.operation_ns),
        ]
    }

    /// The sum of all phases, ns; saturates at the largest `u64`.
    pub fn total_ns(&self) -> u64 {
        self.named().iter().fold(0, |sum, (_, ns)| sum.saturating_add(*ns))
    }
}

fn is_zero(ns: &u64) -> bool {
    *ns == 0
}
