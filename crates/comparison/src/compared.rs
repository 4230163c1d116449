//! The metrics that are compared, with their names and units.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A compared metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub enum Compared {
    /// Time of one iteration, ns.
    #[serde(rename = "time")]
    Time,
    /// Instructions of one iteration.
    #[serde(rename = "count.instructions")]
    Instructions,
    /// Bytes held at the most.
    #[serde(rename = "heap.peak")]
    Peak,
    /// Blocks allocated.
    #[serde(rename = "heap.allocations")]
    Allocations,
    /// Bytes allocated.
    #[serde(rename = "heap.allocated")]
    Allocated,
    /// Atomic operations on cache lines that threads contend for.
    #[serde(rename = "contention.atomics")]
    ContendedAtomics,
    /// Instructions under a lock that other threads take.
    #[serde(rename = "contention.serial")]
    SerialInstructions,
    /// Bytes of a side's first flight on the wire.
    #[serde(rename = "wire.flight.1")]
    FirstFlight,
    /// Bytes of its second flight.
    #[serde(rename = "wire.flight.2")]
    SecondFlight,
    /// Bytes of its third flight.
    #[serde(rename = "wire.flight.3")]
    ThirdFlight,
    /// Records of its handshake.
    #[serde(rename = "wire.handshake.records")]
    HandshakeRecords,
    /// Bytes that it sends after the handshake and before any data.
    #[serde(rename = "wire.post_handshake")]
    PostHandshake,
    /// Round trips of the handshake.
    #[serde(rename = "wire.round_trips")]
    RoundTrips,
    /// Bytes of one write on the wire.
    #[serde(rename = "wire.data")]
    DataBytes,
    /// Records of one write.
    #[serde(rename = "wire.data.records")]
    DataRecords,
    /// System calls of one connection, write or operation.
    #[serde(rename = "kernel.calls")]
    KernelCalls,
    /// Page faults without a read from a disk.
    #[serde(rename = "kernel.faults")]
    KernelFaults,
    /// Bytes of anonymous memory that were asked of the kernel.
    #[serde(rename = "kernel.grown")]
    KernelGrown,
    /// Bytes that were given back to it.
    #[serde(rename = "kernel.returned")]
    KernelReturned,
    /// Bytes of the library's code in a program.
    #[serde(rename = "size.text")]
    CodeSize,
    /// Bytes of its constants and initialised variables.
    #[serde(rename = "size.data")]
    DataSize,
    /// Bytes of the shared libraries that are loaded.
    #[serde(rename = "size.shared")]
    SharedSize,
}

impl Compared {
    /// All of them.
    pub const ALL: [Self; 22] = [
        Self::Time,
        Self::Instructions,
        Self::Peak,
        Self::Allocations,
        Self::Allocated,
        Self::ContendedAtomics,
        Self::SerialInstructions,
        Self::FirstFlight,
        Self::SecondFlight,
        Self::ThirdFlight,
        Self::HandshakeRecords,
        Self::PostHandshake,
        Self::RoundTrips,
        Self::DataBytes,
        Self::DataRecords,
        Self::KernelCalls,
        Self::KernelFaults,
        Self::KernelGrown,
        Self::KernelReturned,
        Self::CodeSize,
        Self::DataSize,
        Self::SharedSize,
    ];

    /// What is compared of what each side sends.
    pub(crate) const WIRE: [Self; 8] = [
        Self::FirstFlight,
        Self::SecondFlight,
        Self::ThirdFlight,
        Self::HandshakeRecords,
        Self::PostHandshake,
        Self::RoundTrips,
        Self::DataBytes,
        Self::DataRecords,
    ];

    /// What is compared of what each side asks of the kernel.
    pub(crate) const KERNEL: [Self; 4] =
        [Self::KernelCalls, Self::KernelFaults, Self::KernelGrown, Self::KernelReturned];

    /// Whether it is read from the wire.
    pub fn is_of_wire(self) -> bool {
        Self::WIRE.contains(&self)
    }

    /// Whether it is asked of the kernel.
    pub fn is_of_kernel(self) -> bool {
        Self::KERNEL.contains(&self)
    }

    /// Whether any difference is a change, whatever its size.
    pub fn has_no_floor(self) -> bool {
        self.is_of_wire() || self.is_of_kernel()
    }

    /// Its name in files.
    pub fn name(self) -> &'static str {
        match self {
            Compared::Time => "time",
            Compared::Instructions => "count.instructions",
            Compared::Peak => "heap.peak",
            Compared::Allocations => "heap.allocations",
            Compared::Allocated => "heap.allocated",
            Compared::ContendedAtomics => "contention.atomics",
            Compared::SerialInstructions => "contention.serial",
            Compared::FirstFlight => "wire.flight.1",
            Compared::SecondFlight => "wire.flight.2",
            Compared::ThirdFlight => "wire.flight.3",
            Compared::HandshakeRecords => "wire.handshake.records",
            Compared::PostHandshake => "wire.post_handshake",
            Compared::RoundTrips => "wire.round_trips",
            Compared::DataBytes => "wire.data",
            Compared::DataRecords => "wire.data.records",
            Compared::KernelCalls => "kernel.calls",
            Compared::KernelFaults => "kernel.faults",
            Compared::KernelGrown => "kernel.grown",
            Compared::KernelReturned => "kernel.returned",
            Compared::CodeSize => "size.text",
            Compared::DataSize => "size.data",
            Compared::SharedSize => "size.shared",
        }
    }

    /// In a word or two.
    pub fn words(self) -> &'static str {
        match self {
            Compared::Time => "time",
            Compared::Instructions => "instructions",
            Compared::Peak => "peak heap",
            Compared::Allocations => "allocations",
            Compared::Allocated => "allocated bytes",
            Compared::ContendedAtomics => "contended atomics",
            Compared::SerialInstructions => "serial instructions",
            Compared::FirstFlight => "first flight",
            Compared::SecondFlight => "second flight",
            Compared::ThirdFlight => "third flight",
            Compared::HandshakeRecords => "records of the handshake",
            Compared::PostHandshake => "bytes after the handshake",
            Compared::RoundTrips => "round trips",
            Compared::DataBytes => "data on the wire",
            Compared::DataRecords => "records of data",
            Compared::KernelCalls => "system calls",
            Compared::KernelFaults => "page faults",
            Compared::KernelGrown => "bytes asked of the kernel",
            Compared::KernelReturned => "bytes given back to the kernel",
            Compared::CodeSize => "code size",
            Compared::DataSize => "data size",
            Compared::SharedSize => "size of shared libraries",
        }
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Compared::Time => "ns",
            Compared::Instructions | Compared::SerialInstructions => "instructions",
            Compared::ContendedAtomics => "operations",
            Compared::HandshakeRecords | Compared::DataRecords => "records",
            Compared::RoundTrips => "round trips",
            Compared::KernelCalls => "calls",
            Compared::KernelFaults => "faults",
            Compared::FirstFlight
            | Compared::SecondFlight
            | Compared::ThirdFlight
            | Compared::PostHandshake
            | Compared::DataBytes
            | Compared::KernelGrown
            | Compared::KernelReturned
            | Compared::Peak
            | Compared::Allocated
            | Compared::CodeSize
            | Compared::DataSize
            | Compared::SharedSize => "bytes",
            Compared::Allocations => "blocks",
        }
    }
}
