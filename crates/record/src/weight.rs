//! What extra processes note that are not timed: memory, contention, lengths on the wire, system calls.

use serde::{Deserialize, Serialize};
use tlslab_contention::Contention;
use tlslab_protocol::{Side, Weighing};

use crate::{KernelFigures, PerConnection};

/// One weighing of one scenario on one stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Weight {
    /// The scenario, as an index into the plan's.
    pub scenario: usize,
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// The kind of weighing.
    pub kind: WeightKind,
    /// The index of the process among those started for the cell.
    pub process: u32,
    /// The outcome.
    pub weighed: Weighed,
}

/// Processes in which each cell is weighed at first: if two of them agree, so will the next one.
pub const FIRST_PROCESSES: u32 = 2;

/// Further processes that confirm a change of figures that differ between the first ones.
pub const CONFIRMING_PROCESSES: u32 = 4;

/// How a cell is weighed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum WeightKind {
    /// By counting allocations.
    Heap,
    /// By the operating system's figures for processes that hold one side of connections each.
    Resident,
    /// By recording contention of the threads of one process.
    Contention,
    /// By reading what both sides of its connections send.
    Wire,
    /// By counting system calls and page faults.
    Kernel,
}

impl WeightKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Heap, Self::Resident, Self::Contention, Self::Wire, Self::Kernel];

    /// `heap`, `resident`, `contention`, `wire` or `kernel`.
    pub fn name(self) -> &'static str {
        match self {
            WeightKind::Heap => "heap",
            WeightKind::Resident => "resident",
            WeightKind::Contention => "contention",
            WeightKind::Wire => "wire",
            WeightKind::Kernel => "kernel",
        }
    }
}

/// The outcome of a weighing.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Weighed {
    /// The driver's reply.
    Heap(Box<Weighing>),
    /// The system's figures, for each number of connections.
    Resident(Vec<Resident>),
    /// The contention of the threads.
    Contention(Box<Contention>),
    /// What both sides sent.
    Wire(Box<PerConnection>),
    /// What both sides asked of the kernel.
    Kernel(Box<KernelFigures>),
    /// The stack cannot be weighed.
    Unsupported(String),
    /// It failed.
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
