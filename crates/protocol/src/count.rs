//! Instruction counts of a scenario's work.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Sides;
use crate::named_fields::named_fields;

/// The reply to `count`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Counting {
    /// Iterations that were counted: as many as were requested.
    pub iterations: u64,
    /// Instructions of each side's calls, totals over all iterations.
    pub sides: Sides<SideCount>,
    /// Processor features that the library's code detects while it is counted, and may choose its functions
    /// by.
    #[serde(default)]
    pub features: Vec<String>,
    /// FNV-1a hash of every byte on the wire, 64 bits in hex. It is equal if two counts did the same work.
    pub wire: String,
}

/// Instructions of one side.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct SideCount {
    /// By phase.
    pub phases: PhaseCounts,
    /// The handshake's calls in order; the fourth entry includes all later calls.
    pub handshake_calls: Vec<Count>,
    /// Marks whose own instructions are included in these counts: one at the beginning of each phase.
    pub marks: u64,
}

/// Instructions of one side by phase. A phase that the work does not have is all zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PhaseCounts {
    /// Making the context, if each connection has its own.
    pub context: Count,
    /// Making the connection's object from a context that exists.
    pub create: Count,
    /// The side's own calls until its handshake is done.
    pub handshake: Count,
    /// Processing what the peer sends after the handshake, such as session tickets.
    pub post_handshake: Count,
    /// Sending this side's closing alert, and processing the peer's.
    #[serde(skip_serializing_if = "Count::is_zero")]
    pub close: Count,
    /// Freeing the connection's object.
    pub free: Count,
    /// Plaintext in, wire bytes out.
    pub send: Count,
    /// Wire bytes in, plaintext out.
    pub receive: Count,
    /// The operations of a primitive.
    pub operation: Count,
}

impl PhaseCounts {
    /// Every phase with its name, in the order in which a connection goes through them.
    pub fn named(&self) -> [(&'static str, Count); 9] {
        named_fields!(self, context, create, handshake, post_handshake, send, receive, close, free, operation)
    }

    /// The sum over all phases.
    pub fn total(&self) -> Count {
        self.named().iter().fold(Count::default(), |sum, (_, phase)| sum.plus(*phase))
    }
}

/// Instructions executed. Loads and stores are zero if the counter does not report them.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Count {
    /// Instructions.
    pub instructions: u64,
    /// Loads from memory.
    #[serde(skip_serializing_if = "is_zero")]
    pub loads: u64,
    /// Stores to memory.
    #[serde(skip_serializing_if = "is_zero")]
    pub stores: u64,
    /// Cache and branch misses of a simulated processor, if simulation was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Simulated>,
}

/// Misses of a simulated processor. It is a simple model, not the processor that runs the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Simulated {
    /// Instruction fetches that missed the first-level cache.
    pub instruction_cache: u64,
    /// Data accesses that missed the first-level cache.
    pub data_cache: u64,
    /// Instruction fetches and data accesses that missed the last-level cache.
    pub last_level_cache: u64,
    /// Mispredicted branches.
    pub branches: u64,
}

impl Simulated {
    fn plus(self, other: Self) -> Self {
        Self {
            instruction_cache: self.instruction_cache.saturating_add(other.instruction_cache),
            data_cache: self.data_cache.saturating_add(other.data_cache),
            last_level_cache: self.last_level_cache.saturating_add(other.last_level_cache),
            branches: self.branches.saturating_add(other.branches),
        }
    }
}

impl Count {
    /// Whether nothing was counted.
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }

    /// The sum of both.
    pub fn plus(self, other: Self) -> Self {
        Self {
            instructions: self.instructions.saturating_add(other.instructions),
            loads: self.loads.saturating_add(other.loads),
            stores: self.stores.saturating_add(other.stores),
            simulated: match (self.simulated, other.simulated) {
                (Some(one), Some(other)) => Some(one.plus(other)),
                (one, other) => one.or(other),
            },
        }
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_phase_is_in_the_total() {
        let one = |instructions| Count { instructions, loads: 2 * instructions, stores: 1, simulated: None };
        let phases = PhaseCounts {
            context: one(1),
            create: one(2),
            handshake: one(4),
            post_handshake: one(8),
            free: one(16),
            send: one(32),
            receive: one(64),
            operation: one(128),
            close: one(256),
        };
        assert_eq!(phases.total(), Count { instructions: 511, loads: 1022, stores: 9, simulated: None });
    }
}
