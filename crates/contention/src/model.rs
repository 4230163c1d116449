//! Contention of threads, as plain data.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::ceilings::Limits;

/// How often something is accessed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Accesses {
    /// Atomic operations that read and write at once.
    pub atomics: u64,
    /// Other writes.
    pub stores: u64,
    /// Other reads.
    pub loads: u64,
}

impl Accesses {
    /// Both together.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        let plus = u64::saturating_add;
        Self {
            atomics: plus(self.atomics, more.atomics),
            stores: plus(self.stores, more.stores),
            loads: plus(self.loads, more.loads),
        }
    }

    /// Those that take the line away from other processors.
    pub fn writes(&self) -> u64 {
        self.atomics.saturating_add(self.stores)
    }
}

/// One step of one side, all connections together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Accesses to contended lines by the library.
    pub library: Accesses,
    /// Accesses to contended lines by the allocator's own code.
    pub allocator: Accesses,
    /// Instructions executed while a thread held alone a lock that others take; under nested locks they count
    /// once.
    pub serial_instructions: u64,
}

impl Step {
    /// Both together.
    #[must_use]
    pub fn plus(self, more: Self) -> Self {
        Self {
            library: self.library.plus(more.library),
            allocator: self.allocator.plus(more.allocator),
            serial_instructions: self.serial_instructions.saturating_add(more.serial_instructions),
        }
    }
}

/// The owner of a line or a lock.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Owner {
    /// A block of the heap.
    Heap {
        /// Where in the block, bytes.
        offset: u64,
        /// How long the block is, bytes.
        bytes: u64,
        /// The functions that allocated it, from the innermost on.
        allocated_by: Vec<String>,
    },
    /// A variable with a fixed address.
    Static {
        /// Its name.
        variable: String,
        /// Where in it, bytes.
        offset: i64,
    },
    /// The allocator.
    Allocator,
    /// Memory known only by the file that it was loaded from, if it was.
    Other {
        /// The file.
        file: String,
    },
}

/// How often one function accesses a line in one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Touch {
    /// The step: `server.handshake.1`.
    pub step: String,
    /// How often.
    pub accesses: Accesses,
    /// The function and, of atomic operations, its callers, from the innermost on.
    pub functions: Vec<String>,
}

/// A line of the cache that at least two threads use and one writes.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Line {
    /// Whether two threads use the same bytes and one writes them. Else only the line is the same: false
    /// sharing.
    pub is_truly_shared: bool,
    /// Its owner.
    pub owner: Owner,
    /// Its accesses: the most frequent writers first.
    pub touches: Vec<Touch>,
}

impl Line {
    /// All accesses.
    pub fn accesses(&self) -> Accesses {
        self.touches.iter().fold(Accesses::default(), |sum, touch| sum.plus(touch.accesses))
    }
}

/// How a lock was held in one step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Held {
    /// Times it was taken alone.
    pub alone: u64,
    /// Times it was taken together with others, as readers do.
    pub together: u64,
    /// Instructions executed while it was held alone.
    pub instructions: u64,
}

/// A lock that at least two threads take, and one of them alone.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Lock {
    /// Its owner.
    pub owner: Owner,
    /// Where it is taken: the functions from the innermost on.
    pub taken_in: Vec<String>,
    /// How it was held, by step.
    pub held: BTreeMap<String, Held>,
}

impl Lock {
    /// How it was held in all steps.
    pub fn in_all(&self) -> Held {
        self.held.values().fold(Held::default(), |sum, more| Held {
            alone: sum.alone.saturating_add(more.alone),
            together: sum.together.saturating_add(more.together),
            instructions: sum.instructions.saturating_add(more.instructions),
        })
    }
}

/// The contention in a number of connections.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Contention {
    /// How many connections the figures are of.
    pub connections: u64,
    /// How many threads made them in turn.
    pub threads: u32,
    /// Instructions that each side executed in all, whether or not it contended for anything.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub instructions: BTreeMap<String, u64>,
    /// By step of a side: `server.handshake.1`. Empty steps are omitted.
    pub steps: BTreeMap<String, Step>,
    /// Contended lines, those with the most writes first.
    pub lines: Vec<Line>,
    /// Shared locks, those held longest first.
    pub locks: Vec<Lock>,
    /// Lines and locks that are not listed.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: u64,
}

fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl Contention {
    /// The same with the first `most` lines and locks, and every line with atomic operations, by which places
    /// are compared; without the allocator's. Steps are of all.
    #[must_use]
    pub fn shortened(mut self, most: usize) -> Self {
        let all = self.lines.len() + self.locks.len();
        self.lines.retain(|line| line.owner != Owner::Allocator);
        let mut at = 0;
        self.lines.retain(|line| {
            at += 1;
            at <= most || line.accesses().atomics > 0
        });
        self.locks.truncate(most);
        let left_out = all - self.lines.len() - self.locks.len();
        self.others = self.others.saturating_add(left_out as u64);
        self
    }

    /// A side's writes to the line that it writes most.
    pub fn hottest(&self, side: &str) -> u64 {
        let is_of_side = |touch: &&Touch| touch.step.split_once('.').is_some_and(|(of, _)| of == side);
        let writes = |line: &Line| -> u64 {
            line.touches.iter().filter(is_of_side).map(|touch| touch.accesses.writes()).sum()
        };
        let lines = self.lines.iter().filter(|line| line.owner != Owner::Allocator);
        lines.map(writes).max().unwrap_or(0)
    }

    /// The serial parts of one connection of a side.
    pub fn limits(&self, side: &str) -> Limits {
        let each = |number: u64| number as f64 / self.connections.max(1) as f64;
        let of_side = self.side(side);
        let instructions = self.instructions.get(side).copied().unwrap_or_default();
        Limits {
            contended_writes: each(of_side.library.writes()),
            hottest_writes: each(self.hottest(side)),
            serial_share: of_side.serial_instructions as f64 / instructions.max(1) as f64,
        }
    }

    /// One side's steps together.
    pub fn side(&self, side: &str) -> Step {
        let is_of_side = |name: &str| name.split_once('.').is_some_and(|(of, _)| of == side);
        let of_side = self.steps.iter().filter(|(name, _)| is_of_side(name));
        of_side.fold(Step::default(), |sum, (_, step)| sum.plus(*step))
    }
}
