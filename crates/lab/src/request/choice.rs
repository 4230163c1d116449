//! Values that several requests share.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_protocol::{Scenario, WarmUpRule};
use tlslab_record::{Count, Slicing};

/// Iterations of each scenario's count.
pub type Iterations = Count<1, 1_000_000>;
/// The number of seeds of the deterministic RNG.
pub type Seeds = Count<1, 1_000>;
/// Arrivals per second.
pub type Rate = Count<1, { Scenario::MOST_RATE as u64 }>;
/// Rounds of new processes.
pub type Rounds = Count<1, 10_000>;
/// The number of comparisons of one kind.
pub type Trials = Count<0, 100_000>;
/// The number of stacks that take part at once.
pub type Stacks = Count<0, 1_000>;
/// The number of rows that are shown.
pub type Top = Count<0, 1_000_000>;

/// The longest slice and the longest warm-up, ns.
const LONGEST_NS: u64 = 1_000_000_000;

/// An instruction counter.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Counter {
    /// The lab's valgrind tool: repeatable, on a processor with fewer features than this one.
    Valgrind,
    /// Valgrind's callgrind.
    Callgrind,
    /// The processor's own counter.
    Hardware,
    /// Frida, which counts native execution.
    Frida,
    /// The processor's own counter if the host has one, else Frida.
    Native,
}

/// A counter of instructions by function.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Profiler {
    /// The lab's valgrind tool.
    Valgrind,
    /// Frida.
    Frida,
}

/// The parts of a processor that callgrind simulates.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Simulation {
    /// Two levels of caches, as large as this processor's first and last.
    Caches,
    /// A branch predictor.
    Branches,
}

/// The order of the slices of a visit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum ArrangementChoice {
    /// The order with the least noise on this host, found by a short trial.
    #[default]
    Best,
    /// Slice by slice on one processor.
    Interleaved,
    /// ABBA order: one stack's slices together, then the other's, then reversed.
    Turns,
    /// Both at once on two processors, which are swapped halfway.
    Duet,
}

/// How stacks take turns, if that differs from the lab's own rule.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct SlicingRequest {
    /// The length of a slice, ns.
    pub slice_ns: Option<Count<1, LONGEST_NS>>,
    /// The number of slices per turn.
    pub slices: Option<Count<1, 1_000>>,
    /// The warm-up before them; `Some(None)` means no warm-up.
    #[serde(skip_serializing_if = "Option::is_none", deserialize_with = "present")]
    pub warm_up: Option<Option<WarmUpRule>>,
}

/// Distinguishes `null`, which means no warm-up, from a missing field.
fn present<'de, D: serde::Deserializer<'de>>(from: D) -> Result<Option<Option<WarmUpRule>>, D::Error> {
    let rule: Option<WarmUpRule> = Option::deserialize(from)?;
    match rule.is_some_and(|rule| rule.least_ns.max(rule.most_ns) > LONGEST_NS) {
        true => Err(serde::de::Error::custom(
            "a warm-up takes at most 1 s: write least_ns and most_ns up to 1000000000",
        )),
        false => Ok(Some(rule)),
    }
}

impl SlicingRequest {
    /// The rule with these differences.
    pub fn over(self, rule: Slicing) -> Slicing {
        Slicing {
            slice_ns: self.slice_ns.map_or(rule.slice_ns, Count::get),
            slices: self.slices.map_or(rule.slices, Count::small),
            warm_up: self.warm_up.unwrap_or(rule.warm_up),
        }
    }
}
