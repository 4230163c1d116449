//! What a connection costs in memory.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Side;
use crate::named_fields::named_fields;

/// Answers `weigh`. Bytes are those that were asked for, unless it is said otherwise.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Weighing {
    /// What each side's context holds.
    pub contexts: Sides<ContextWeight>,
    /// One entry per iteration; none for work that only holds connections open.
    #[serde(default)]
    pub iterations: Vec<Sides<SideWeight>>,
    /// One entry per number of connections that were held open at once.
    #[serde(default)]
    pub held: Vec<HeldOpen>,
    /// FNV-1a over every byte that crossed the wire, 64 bits in hex: whether two weighings did the very same
    /// work.
    pub wire: String,
}

/// Something for each side.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Sides<T> {
    /// The client's.
    pub client: T,
    /// The server's.
    pub server: T,
}

impl<T> Sides<T> {
    /// One side's.
    pub fn side(&self, side: Side) -> &T {
        match side {
            Side::Client => &self.client,
            Side::Server => &self.server,
        }
    }

    /// One side's, to be altered.
    pub fn of_mut(&mut self, side: Side) -> &mut T {
        match side {
            Side::Client => &mut self.client,
            Side::Server => &mut self.server,
        }
    }
}

/// Memory that something holds. Below zero where it has released what others had asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Holding {
    /// Blocks.
    pub blocks: i64,
    /// Bytes that were asked for.
    pub bytes: i64,
    /// Bytes that the allocator set aside for them, its own headers among them.
    pub room_bytes: i64,
}

/// What a context holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ContextWeight {
    /// The first of its side in the process, with what the library sets up once; the client's comes first.
    pub first: Holding,
    /// A further one, made like the first.
    pub further: Holding,
}

/// What one side took in one iteration.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SideWeight {
    /// By phase.
    pub phases: PhaseWeights,
    /// The handshake's calls one by one; those after the fourth are booked with it.
    #[serde(default)]
    pub handshake_calls: Vec<PhaseWeight>,
    /// What it held when its work was done, before anything was freed; without what it held before the first
    /// phase.
    pub held: Holding,
    /// What it held after it was freed, likewise: what stays in the context, or in a session. Work that frees
    /// nothing has the same here as above.
    pub left: Holding,
    /// The most bytes that it held at once, likewise.
    pub peak_bytes: u64,
    /// The blocks that it held then.
    #[serde(default)]
    pub peak_blocks: u64,
    /// The deepest that any of its calls went into the stack, bytes below the kit's own frame.
    pub stack_bytes: u64,
}

/// One side's memory by phase. A phase that the work does not have is all zero.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct PhaseWeights {
    /// Making the connection's object from a context that exists.
    pub create: PhaseWeight,
    /// The side's own calls until its handshake is done.
    pub handshake: PhaseWeight,
    /// What the side does with what its peer sends after the handshake, such as session tickets.
    pub post_handshake: PhaseWeight,
    /// Freeing the connection's object.
    pub free: PhaseWeight,
    /// Plaintext in, wire bytes out.
    pub send: PhaseWeight,
    /// Wire bytes in, plaintext out.
    pub receive: PhaseWeight,
}

impl PhaseWeights {
    /// Every phase with its name, in the order in which a connection goes through them.
    pub fn named(&self) -> [(&'static str, PhaseWeight); 6] {
        named_fields!(self, create, handshake, post_handshake, free, send, receive)
    }

    /// All phases together. The peak and the stack are the largest of any phase.
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

/// What one phase took. A reallocation is an allocation of the new size and a release of the old.
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
    /// The most that the side held at once, above what it held when the phase began.
    pub peak_bytes: u64,
    /// The deepest that any call went into the stack, bytes below the kit's own frame.
    pub stack_bytes: u64,
}

/// Connections held open at once.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HeldOpen {
    /// How many, each with both its sides.
    pub connections: u32,
    /// What the client's sides hold together.
    pub client: Holding,
    /// What the server's sides hold together.
    pub server: Holding,
}

impl HeldOpen {
    /// One side's.
    pub fn side(&self, side: Side) -> Holding {
        match side {
            Side::Client => self.client,
            Side::Server => self.server,
        }
    }
}
