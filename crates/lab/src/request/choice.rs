//! What can be chosen in several requests.

use serde::{Deserialize, Serialize};
use tlslab_protocol::WarmUpRule;
use tlslab_record::Slicing;

/// What counts instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Counter {
    /// The lab's tool of valgrind: repeatable, on a processor with fewer features than this one.
    Valgrind,
    /// Valgrind's callgrind.
    Callgrind,
    /// The processor's own counter.
    Hardware,
    /// Frida, which counts what runs on the processor itself.
    Frida,
    /// The processor's own counter if the host has one, else Frida.
    Native,
}

/// What counts functions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Profiler {
    /// The lab's tool of valgrind.
    Valgrind,
    /// Frida.
    Frida,
}

/// What callgrind simulates of a processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Simulation {
    /// Two levels of caches, as large as this processor's first and last.
    Caches,
    /// A branch predictor.
    Branches,
}

/// The order of the slices of a visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ArrangementChoice {
    /// The one with the least noise on this host, by a short trial.
    #[default]
    Best,
    /// Slice by slice on one processor.
    Interleaved,
    /// One stack's slices together, then the other's, there and back.
    Turns,
    /// Both at once on two processors, which they change at half-time.
    Duet,
}

/// How stacks take turns, where that differs from the lab's own rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SlicingRequest {
    /// How long a slice is, ns.
    pub slice_ns: Option<u64>,
    /// How many slices a turn has.
    pub slices: Option<u32>,
    /// The warm-up before them; `Some(None)` is none.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub warm_up: Option<Option<WarmUpRule>>,
}

/// `null` is a value of its own: no warm-up.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Option<WarmUpRule>>, D::Error> {
    Option::deserialize(from).map(Some)
}

impl SlicingRequest {
    /// The rule with what differs.
    pub fn over(self, rule: Slicing) -> Slicing {
        Slicing {
            slice_ns: self.slice_ns.unwrap_or(rule.slice_ns),
            slices: self.slices.unwrap_or(rule.slices),
            warm_up: self.warm_up.unwrap_or(rule.warm_up),
        }
    }
}
