//! Memory use of a connection.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Side;
use crate::named_fields::named_fields;

/// The reply to `weigh`. Bytes are as requested from the allocator, unless stated otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Weighing {
    /// Memory that each side's context holds.
    pub contexts: Sides<ContextWeight>,
    /// One entry per iteration; none for work that only holds connections open.
    #[serde(default)]
    pub iterations: Vec<Sides<SideWeight>>,
    /// One entry per number of connections that were held open at once, in the order of measurement.
    #[serde(default)]
    pub held: Vec<HeldOpen>,
    /// FNV-1a hash of every byte on the wire, 64 bits in hex. It is equal if two weighings did the same work.
    pub wire: String,
}

/// A value for each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Sides<T> {
    /// The client's.
    pub client: T,
    /// The server's.
    pub server: T,
}

impl<T> Sides<T> {
    /// The value of one side.
    pub fn side(&self, side: Side) -> &T {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// The value of one side, mutable.
    pub fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }
}

/// Memory held. Negative if more was released than requested, which includes what others had requested.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Holding {
    /// Number of blocks.
    pub blocks: i64,
    /// Bytes requested.
    pub bytes: i64,
    /// Bytes that the allocator set aside for them, including its own headers.
    pub room_bytes: i64,
}

/// Memory that a context holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ContextWeight {
    /// The first context of its side in the process, including what the library sets up once. The client's is
    /// made first.
    pub first: Holding,
    /// A second context, made like the first.
    pub further: Holding,
}

/// Memory use of one side in one iteration.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SideWeight {
    /// By phase.
    pub phases: PhaseWeights,
    /// The handshake's calls in order; the fourth entry includes all later calls.
    #[serde(default)]
    pub handshake_calls: Vec<PhaseWeight>,
    /// Memory held when the work was done, before anything was freed, relative to the beginning of the first
    /// phase.
    pub held: Holding,
    /// Memory held after it was freed, relative to the same point: what remains in the context or in a
    /// session. Equal to `held` for work that frees nothing.
    pub left: Holding,
    /// The peak, bytes, relative to the same point.
    pub peak_bytes: u64,
    /// Blocks held at that peak.
    #[serde(default)]
    pub peak_blocks: u64,
    /// The deepest use of the stack by any call, bytes below the kit's own frame.
    pub stack_bytes: u64,
}

/// Memory of one side by phase. A phase that the work does not have is all zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PhaseWeights {
    /// Making the connection's object from a context that exists.
    pub create: PhaseWeight,
    /// The side's own calls until its handshake is done.
    pub handshake: PhaseWeight,
    /// Processing what the peer sends after the handshake, such as session tickets.
    pub post_handshake: PhaseWeight,
    /// Sending this side's closing alert, and processing the peer's.
    #[serde(skip_serializing_if = "PhaseWeight::is_zero")]
    pub close: PhaseWeight,
    /// Freeing the connection's object.
    pub free: PhaseWeight,
    /// Plaintext in, wire bytes out.
    pub send: PhaseWeight,
    /// Wire bytes in, plaintext out.
    pub receive: PhaseWeight,
}

impl PhaseWeights {
    /// Every phase with its name, in the order in which a connection goes through them.
    pub fn named(&self) -> [(&'static str, PhaseWeight); 7] {
        named_fields!(self, create, handshake, post_handshake, send, receive, close, free)
    }

    /// The sum over all phases; peak and stack are the maximum of any phase.
    pub fn total(&self) -> PhaseWeight {
        self.named().iter().fold(PhaseWeight::default(), |sum, (_, phase)| PhaseWeight {
            allocated_blocks: sum.allocated_blocks.saturating_add(phase.allocated_blocks),
            allocated_bytes: sum.allocated_bytes.saturating_add(phase.allocated_bytes),
            freed_blocks: sum.freed_blocks.saturating_add(phase.freed_blocks),
            freed_bytes: sum.freed_bytes.saturating_add(phase.freed_bytes),
            peak_bytes: sum.peak_bytes.max(phase.peak_bytes),
            stack_bytes: sum.stack_bytes.max(phase.stack_bytes),
        })
    }
}

/// Memory use of one phase. A reallocation counts as an allocation of the new size and a release of the old.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PhaseWeight {
    /// Blocks allocated.
    pub allocated_blocks: u64,
    /// Bytes allocated.
    pub allocated_bytes: u64,
    /// Blocks released.
    pub freed_blocks: u64,
    /// Bytes released.
    pub freed_bytes: u64,
    /// The peak that the side held, bytes, relative to the beginning of the phase.
    pub peak_bytes: u64,
    /// The deepest use of the stack by any call, bytes below the kit's own frame.
    pub stack_bytes: u64,
}

impl PhaseWeight {
    /// Whether nothing was used.
    fn is_zero(&self) -> bool {
        *self == Self::default()
    }
}

/// Connections held open at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HeldOpen {
    /// The number of connections, each with both its sides.
    pub connections: u32,
    /// Memory of all client sides together.
    pub client: Holding,
    /// Memory of all server sides together.
    pub server: Holding,
}

impl HeldOpen {
    /// The value of one side.
    pub fn side(&self, side: Side) -> Holding {
        match side {
            Side::Client => self.client,
            Side::Server => self.server,
        }
    }
}
