//! Counts of a cell.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use tlslab_protocol::Counting;

/// How instructions are counted in a run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountPlan {
    /// The counter.
    pub counter: CounterRecord,
    /// Iterations of each count.
    pub iterations: u64,
    /// Seeds of the deterministic RNG: one count for each.
    pub seeds: Vec<u64>,
}

/// What counts instructions.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct CounterRecord {
    /// Its kind.
    pub kind: CounterKind,
    /// Its name and version, for readers.
    pub name: String,
    /// The program that runs drivers; empty if they run on their own.
    pub program: String,
    /// Its arguments before the driver.
    pub arguments: Vec<String>,
    /// The variables that the program needs.
    pub environment: BTreeMap<String, String>,
    /// SHA-256 of the program, hex.
    pub digest: String,
    /// A library that is preloaded into drivers and hides differences between processes from them.
    #[serde(default)]
    pub preload: String,
    /// Why there is no counter: every cell has this reason. Empty if there is one.
    #[serde(default)]
    pub missing: String,
}

impl CounterRecord {
    /// The same with the RNG of its program seeded, from the program's start.
    #[must_use]
    pub fn seeded(&self, seed: u64) -> Self {
        let mut seeded = self.clone();
        // Callgrind has no such option: a preloaded library makes the RNG deterministic, and gets the seed
        // when a copy is made.
        if self.kind.forges() && self.kind != CounterKind::Callgrind {
            seeded.arguments.push(format!("--seed={seed}"));
        }
        seeded
    }
}

/// Kinds of counters, by the code that they see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum CounterKind {
    /// The lab's own tool of valgrind. It shows the program a processor with fewer features than the host's.
    Valgrind,
    /// Valgrind's callgrind, if the lab's own tool is unavailable or a simulated processor is requested.
    Callgrind,
    /// The processor's own counter.
    Hardware,
    /// Frida's Stalker: each block of code is counted during native execution.
    Frida,
}

impl CounterKind {
    /// `valgrind`, `callgrind`, `hardware` or `frida`.
    pub fn name(self) -> &'static str {
        match self {
            CounterKind::Valgrind => "valgrind",
            CounterKind::Callgrind => "callgrind",
            CounterKind::Hardware => "hardware",
            CounterKind::Frida => "frida",
        }
    }

    /// Whether it counts native execution.
    pub fn is_native(self) -> bool {
        match self {
            CounterKind::Valgrind | CounterKind::Callgrind => false,
            CounterKind::Hardware | CounterKind::Frida => true,
        }
    }

    /// Whether random numbers and time are deterministic.
    pub fn forges(self) -> bool {
        match self {
            CounterKind::Valgrind | CounterKind::Callgrind | CounterKind::Frida => true,
            CounterKind::Hardware => false,
        }
    }

    /// Whether the counter itself reports its count, so that a driver's report can be compared with it.
    pub fn reports_totals(self) -> bool {
        self == CounterKind::Valgrind
    }

    /// Whether a counted process can be copied. Frida runs threads of its own in it.
    pub fn lets_copy(self) -> bool {
        self != CounterKind::Frida
    }
}

/// One count of one scenario on one stack.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CellCount {
    /// The scenario, as an index into the plan's.
    pub scenario: usize,
    /// The stack, as an index into the plan's.
    pub stack: usize,
    /// The seed of the deterministic RNG.
    pub seed: u64,
    /// The outcome.
    pub counted: Counted,
}

/// The outcome of a count.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Counted {
    /// The driver's reply.
    Counted(Box<Counting>),
    /// The stack or the scenario cannot be counted.
    Unsupported(String),
    /// It failed.
    Failed(String),
}
