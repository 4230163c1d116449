//! What a scenario's work asks of the kernel.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Sides;

/// The reply to `kernel`.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct KernelWork {
    /// One entry per iteration.
    pub iterations: Vec<Sides<KernelPhases>>,
    /// One entry per pair of contexts that were made after the first ones of the process; none if each
    /// connection has its own.
    #[serde(default)]
    pub contexts: Vec<Sides<KernelPhases>>,
}

/// What one side asked of the kernel, by phase; a phase without any system call or page fault is missing.
pub type KernelPhases = BTreeMap<String, KernelUse>;

/// System calls and page faults of one phase.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(default)]
pub struct KernelUse {
    /// The number of system calls by name; a call that failed counts too.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub calls: BTreeMap<String, u64>,
    /// Page faults that the kernel resolved without reading from a disk.
    #[serde(skip_serializing_if = "is_zero")]
    pub minor_faults: u64,
    /// Page faults for which it read from a disk.
    #[serde(skip_serializing_if = "is_zero")]
    pub major_faults: u64,
    /// Bytes of anonymous memory that were asked for, by `brk`, `mmap` and `mremap`.
    #[serde(skip_serializing_if = "is_zero")]
    pub grown_bytes: u64,
    /// Bytes that were given back, by `brk`, `munmap`, `mremap` and `madvise`.
    #[serde(skip_serializing_if = "is_zero")]
    pub returned_bytes: u64,
}

impl KernelUse {
    /// All system calls.
    pub fn all_calls(&self) -> u64 {
        self.calls.values().fold(0, |sum, calls| sum.saturating_add(*calls))
    }

    /// The sum of both.
    #[must_use]
    pub fn plus(mut self, other: &Self) -> Self {
        for (name, calls) in &other.calls {
            let sum = self.calls.entry(name.clone()).or_default();
            *sum = sum.saturating_add(*calls);
        }
        Self {
            calls: self.calls,
            minor_faults: self.minor_faults.saturating_add(other.minor_faults),
            major_faults: self.major_faults.saturating_add(other.major_faults),
            grown_bytes: self.grown_bytes.saturating_add(other.grown_bytes),
            returned_bytes: self.returned_bytes.saturating_add(other.returned_bytes),
        }
    }
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_every_figure_of_both() {
        let of = |calls: &[(&str, u64)], more: u64| KernelUse {
            calls: calls.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect(),
            minor_faults: more,
            major_faults: 2 * more,
            grown_bytes: 4 * more,
            returned_bytes: 8 * more,
        };
        let sum = of(&[("brk", 1), ("getpid", 6)], 1).plus(&of(&[("brk", 1), ("mmap", 1)], 16));
        assert_eq!(sum, of(&[("brk", 2), ("getpid", 6), ("mmap", 1)], 17));
        assert_eq!(sum.all_calls(), 9);
        let text = serde_json::to_string(&KernelUse::default()).unwrap();
        assert_eq!(text, "{}", "what is missing is zero");
        assert_eq!(serde_json::from_str::<KernelUse>(&text).unwrap(), KernelUse::default());
    }
}
