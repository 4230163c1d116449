//! What work takes in instructions.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Sides;
use crate::named_fields::named_fields;

/// Answers `count`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Counting {
    /// Iterations that were counted: as many as were asked for.
    pub iterations: u64,
    /// What each side's calls took, totals over all iterations.
    pub sides: Sides<SideCount>,
    /// Features of the processor that the library's code sees while it is counted, and may choose its
    /// functions by.
    #[serde(default)]
    pub features: Vec<String>,
    /// FNV-1a over every byte that crossed the wire, 64 bits in hex: whether two counts did the very same
    /// work.
    pub wire: String,
}

/// One side's instructions.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct SideCount {
    /// By phase.
    pub phases: PhaseCounts,
    /// The handshake's calls one by one; those after the fourth are booked with it.
    pub handshake_calls: Vec<Count>,
    /// Marks whose own instructions lie in these counts: each phase that begins has one.
    pub marks: u64,
}

/// One side's instructions by phase. A phase that the work does not have is all zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PhaseCounts {
    /// Making the context, where each connection has one of its own.
    pub context: Count,
    /// Making the connection's object from a context that exists.
    pub create: Count,
    /// The side's own calls until its handshake is done.
    pub handshake: Count,
    /// What the side does with what its peer sends after the handshake, such as session tickets.
    pub post_handshake: Count,
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
    pub fn named(&self) -> [(&'static str, Count); 8] {
        named_fields!(self, context, create, handshake, post_handshake, free, send, receive, operation)
    }

    /// All phases together.
    pub fn total(&self) -> Count {
        self.named().iter().fold(Count::default(), |sum, (_, phase)| sum.plus(*phase))
    }
}

/// Instructions of the processor. Loads and stores are zero where the counter does not tell them.
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
    /// What a simulated processor missed, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulated: Option<Simulated>,
}

/// What a simulated processor missed. It is a simple one, and not the one that runs the code.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct Simulated {
    /// Instructions that were not in the first cache.
    pub instruction_cache: u64,
    /// Data that were not in the first cache.
    pub data_cache: u64,
    /// Instructions and data that were not in the last cache.
    pub last_level_cache: u64,
    /// Branches that went another way than was guessed.
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
    /// Both together.
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
        };
        assert_eq!(phases.total(), Count { instructions: 255, loads: 510, stores: 8, simulated: None });
    }
}
