//! Memory, instructions and other exact figures of a side.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::Side;

/// One figure of one side.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExactCell {
    /// The scenario's name.
    pub scenario: String,
    /// The stack's name.
    pub stack: String,
    /// The side.
    pub side: Side,
    /// The metric:
    ///
    /// - `heap.peak`: the most that the side held at once, above what it held before its work;
    /// - `heap.allocations`, `heap.allocated`: blocks and bytes asked for in all;
    /// - `heap.held`, `heap.held_blocks`, `heap.held_room`: what it held when its work was done: bytes asked
    ///   for, blocks, and bytes that the allocator set aside;
    /// - `heap.left`: what it still held after it was freed;
    /// - `heap.context`, `heap.context_first`: what a further context of its kind holds, and the first one of
    ///   a process;
    /// - `stack`: the deepest that any of its calls went below the kit's own frame;
    /// - `heap.peak.PHASE`, `heap.allocations.PHASE`, `heap.allocated.PHASE`, `stack.PHASE`: the same in one
    ///   phase;
    /// - `idle.heap`, `idle.room`, `idle.resident`: what one more connection takes: bytes asked for, bytes
    ///   that the allocator set aside, and bytes by which the process's resident set grows; each a slope over
    ///   the number of connections;
    /// - `idle.resident_over_room`: the last as a share of the one before;
    /// - `count.instructions`, `count.loads`, `count.stores`: of one iteration, in all its phases;
    /// - `count.misses.instruction_cache`, `count.misses.data_cache`, `count.misses.last_level_cache`,
    ///   `count.misses.branches`: what a simulated processor misses in one iteration;
    /// - `count.instructions.PHASE`, `count.instructions.handshake.N`: the same in one phase, or in one call
    ///   of the handshake;
    /// - `contention.atomics`, `contention.stores`, `contention.loads`: atomic read-modify-writes, other
    ///   writes and other reads of one connection on cache lines that threads contend for;
    ///   `contention.hottest`: writes to the line with the most; `contention.allocator`: atomic operations of
    ///   the allocator's own code on such lines;
    /// - `contention.serial`: instructions of one connection while a thread held alone a lock that others
    ///   take;
    /// - `contention.atomics.PHASE`, `contention.serial.PHASE`: the same in one phase;
    /// - `wire.handshake`, `wire.handshake.records`, `wire.handshake.messages`: what the side sends in the
    ///   handshake, record headers included; messages in the clear;
    /// - `wire.flight.N`, `wire.flight.N.records`, `wire.flight.N.messages`, `wire.flight.N.packets_SIZE`:
    ///   the same of its N-th flight, and the packets that it needs with segments of that size;
    /// - `wire.hello`, `wire.hello.session_id`, `wire.hello.cipher_suites`, `wire.hello.extension.NAME`,
    ///   `wire.hello.fixed`: its first message, and the parts that add up to it;
    /// - `wire.round_trips`: of the handshake, as the client waits for them;
    /// - `wire.post_handshake`, `wire.post_handshake.records`, `wire.tickets`, `wire.tickets.bytes`: what the
    ///   server sends after the handshake, and its tickets;
    /// - `wire.close`, `wire.total`: of a short connection, a side's closing alert and all that it sends;
    /// - `wire.data`, `wire.data.records`, `wire.data.overhead`: one write on the wire, and what it takes
    ///   beyond its plaintext per KiB of that;
    /// - `kernel.calls`, `kernel.faults`, `kernel.major_faults`: system calls and page faults of a
    ///   connection, write or operation; major ones read from a disk;
    /// - `kernel.grown`, `kernel.returned`: anonymous memory that it asked the kernel for and gave back;
    /// - `kernel.call.NAME`: calls of one name; with `.PHASE` after it, and after those above, in one phase.
    pub metric: String,
    /// The unit.
    pub unit: ExactUnit,
    /// The outcome.
    #[serde(flatten)]
    pub outcome: ExactOutcome,
    /// The baseline's figure, if the two are comparable: instructions of code that runs on the host.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<ExactRatio>,
    /// The reason for a missing ratio to the baseline, if one could be expected.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_ratio: Option<String>,
    /// The fidelity of the count, if it is in doubt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fidelity: Option<FidelityMark>,
}

/// The fidelity of a count: whether it is of the code that runs on the host.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct FidelityMark {
    /// Whether anybody has looked.
    pub known: bool,
    /// The result, or how to find out.
    pub what: String,
}

/// A figure by the baseline's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExactRatio {
    /// The baseline.
    pub baseline: String,
    /// This figure over the baseline's.
    pub value: f64,
}

/// A unit of counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ExactUnit {
    /// Bytes.
    Bytes,
    /// Blocks.
    Blocks,
    /// Instructions of the processor.
    Instructions,
    /// Accesses to memory.
    Accesses,
    /// Atomic operations that read and write at once.
    Operations,
    /// Times that a simulated processor missed.
    Misses,
    /// Records of TLS.
    Records,
    /// Handshake messages of TLS.
    Messages,
    /// Packets.
    Packets,
    /// Session tickets.
    Tickets,
    /// Times that a side waits for the other.
    #[serde(rename = "round trips")]
    RoundTrips,
    /// System calls.
    Calls,
    /// Page faults.
    Faults,
    /// Bytes per KiB of plaintext.
    #[serde(rename = "bytes/KiB")]
    BytesPerKibibyte,
    /// Parts of one hundred.
    #[serde(rename = "%")]
    Percent,
}

impl ExactUnit {
    /// Its symbol.
    pub fn symbol(self) -> &'static str {
        match self {
            ExactUnit::Bytes => "bytes",
            ExactUnit::Blocks => "blocks",
            ExactUnit::Instructions => "instructions",
            ExactUnit::Accesses => "accesses",
            ExactUnit::Operations => "operations",
            ExactUnit::Misses => "misses",
            ExactUnit::Records => "records",
            ExactUnit::Messages => "messages",
            ExactUnit::Packets => "packets",
            ExactUnit::Tickets => "tickets",
            ExactUnit::RoundTrips => "round trips",
            ExactUnit::Calls => "calls",
            ExactUnit::Faults => "faults",
            ExactUnit::BytesPerKibibyte => "bytes/KiB",
            ExactUnit::Percent => "%",
        }
    }
}

/// A value, or the reason for its absence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum ExactOutcome {
    /// It was seen.
    Measured(ExactValue),
    /// The stack cannot be weighed or counted.
    Unsupported {
        /// Why.
        unsupported: String,
    },
    /// It should have worked.
    Failed {
        /// The error.
        failed: String,
    },
}

impl ExactOutcome {
    /// The value with all that it was seen to be, if there is one.
    pub fn measured(&self) -> Option<&ExactValue> {
        match self {
            ExactOutcome::Measured(measured) => Some(measured),
            _ => None,
        }
    }

    /// The value, if there is one.
    pub fn value(&self) -> Option<f64> {
        match self {
            ExactOutcome::Measured(measured) => Some(measured.value),
            _ => None,
        }
    }

    /// Why there is no value, after `unsupported` or `failed`.
    pub fn hole(&self) -> Option<(&'static str, &str)> {
        match self {
            ExactOutcome::Measured(_) => None,
            ExactOutcome::Unsupported { unsupported } => Some(("unsupported", unsupported)),
            ExactOutcome::Failed { failed } => Some(("failed", failed)),
        }
    }
}

/// A value with all that it was seen to be.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ExactValue {
    /// How often it was seen, over all processes or seeds.
    pub n: usize,
    /// The median.
    #[serde(rename = "estimate")]
    pub value: f64,
    /// The smallest.
    pub minimum: f64,
    /// The largest.
    pub maximum: f64,
    /// Whether every process or seed had the same values, iteration by iteration.
    pub repeatable: bool,
}
