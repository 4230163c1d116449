//! Pairs: the client of one stack against the server of another, each in its own driver process.

use serde::{Deserialize, Serialize};
use tlslab_protocol::{PhaseTimes, Side, Step};

use crate::ProvenFacts;

/// The decision about one scenario between two stacks.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairState {
    /// The scenario, as an index into the plan's.
    pub scenario: usize,
    /// The client's stack, as an index into the plan's.
    pub client: usize,
    /// The server's stack, likewise.
    pub server: usize,
    /// The outcome of proving or measuring it.
    pub proof: PairProof,
}

/// Whether a pair may be measured. There is always a value or a reason.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum PairProof {
    /// The work is what the scenario specifies.
    Proven {
        /// The observations of the connection.
        facts: ProvenFacts,
        /// How long both sides' calls together took per trial connection, ns; it sizes the slices.
        iteration_ns: f64,
    },
    /// One of the two does not support the scenario at all.
    Unsupported {
        /// The side.
        side: Side,
        /// The reason.
        reason: String,
    },
    /// One of the two ended the connection.
    Refused(PairRefusal),
    /// A driver or the connection failed in another way.
    Failed(String),
}

/// A connection that one of two stacks ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairRefusal {
    /// The side that ended it.
    pub side: Side,
    /// The moment.
    pub step: Step,
    /// Its library's message.
    pub error: String,
    /// The alert that it sent, as far as the wire shows it; `None` if it sent none.
    pub alert: Option<String>,
    /// The peer's message about the alert, if only the peer could decrypt it.
    pub peer: Option<String>,
}

/// One slice of a pair: a few connections, both sides' calls.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PairSample {
    /// The visit's round.
    pub round: u32,
    /// The visit's scenario, as an index into the plan's.
    pub scenario: usize,
    /// The visit's attempt.
    pub attempt: u32,
    /// The block within the visit. In a block every pair has one slice, in random order.
    pub block: u32,
    /// The slice's place in its block.
    pub place: u32,
    /// The client's stack, as an index into the plan's.
    pub client: usize,
    /// The server's stack, likewise.
    pub server: usize,
    /// Connections.
    pub iterations: u64,
    /// The work of the client and of the server, in this order.
    pub sides: [PairSide; 2],
}

/// One side's share of a pair's slice, totals over its connections.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct PairSide {
    /// Time per phase, ns.
    pub phases: PhaseTimes,
    /// Readings of the clock that lie in those times.
    pub clock_reads: u64,
    /// Bytes that this side put on the wire.
    pub wire_bytes: u64,
}

impl PairSide {
    /// Adds another share of the same slice.
    pub fn add(&mut self, other: &PairSide) {
        let (sum, added) = (&mut self.phases, &other.phases);
        sum.create_ns = sum.create_ns.saturating_add(added.create_ns);
        sum.handshake_ns = sum.handshake_ns.saturating_add(added.handshake_ns);
        sum.post_handshake_ns = sum.post_handshake_ns.saturating_add(added.post_handshake_ns);
        sum.free_ns = sum.free_ns.saturating_add(added.free_ns);
        self.clock_reads = self.clock_reads.saturating_add(other.clock_reads);
        self.wire_bytes = self.wire_bytes.saturating_add(other.wire_bytes);
    }
}
