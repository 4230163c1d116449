//! What one process shows of a cell beside times and counts: its memory, or what its threads contend for.

use serde::{Deserialize, Serialize};
use tlslab_contention::Contention;
use tlslab_protocol::{Side, Weighing};

/// One weighing of one scenario on one stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weight {
    /// The scenario, as an index into the plan's.
    pub scenario: usize,
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// How it was weighed.
    pub kind: WeightKind,
    /// Which of the processes that were started for it, from 0.
    pub process: u32,
    /// The outcome.
    pub weighed: Weighed,
}

/// Processes that each cell is weighed in at first: what two of them say alike, the next one will say, too.
pub const FIRST_PROCESSES: u32 = 2;

/// Further processes that confirm a change of figures that differ between those.
pub const CONFIRMING_PROCESSES: u32 = 4;

/// How a cell is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightKind {
    /// By counting allocations.
    Heap,
    /// By what the operating system says of processes that hold one side of connections each.
    Resident,
    /// By noting what threads of one process contend for.
    Contention,
}

impl WeightKind {
    /// `heap`, `resident` or `contention`.
    pub fn name(self) -> &'static str {
        match self {
            WeightKind::Heap => "heap",
            WeightKind::Resident => "resident",
            WeightKind::Contention => "contention",
        }
    }
}

/// What came of a weighing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weighed {
    /// The driver's reply.
    Heap(Box<Weighing>),
    /// What the system said, for each number of connections.
    Resident(Vec<Resident>),
    /// What the threads contended for.
    Contention(Box<Contention>),
    /// The stack cannot be weighed.
    Unsupported(String),
    /// It should have worked.
    Failed(String),
}

/// The resident sets of two processes, each with one side of so many connections.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Resident {
    /// Connections that are held open.
    pub connections: u32,
    /// The client's process, bytes.
    pub client_bytes: u64,
    /// The server's process, bytes.
    pub server_bytes: u64,
}

impl Resident {
    /// One side's process, bytes.
    pub fn side(&self, side: Side) -> u64 {
        match side {
            Side::Client => self.client_bytes,
            Side::Server => self.server_bytes,
        }
    }
}
