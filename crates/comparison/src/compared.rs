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
    pub const ALL: [Self; 10] = [
        Self::Time,
        Self::Instructions,
        Self::Peak,
        Self::Allocations,
        Self::Allocated,
        Self::ContendedAtomics,
        Self::SerialInstructions,
        Self::CodeSize,
        Self::DataSize,
        Self::SharedSize,
    ];

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
            Compared::Peak
            | Compared::Allocated
            | Compared::CodeSize
            | Compared::DataSize
            | Compared::SharedSize => "bytes",
            Compared::Allocations => "blocks",
        }
    }
}
