//! Ranking of stacks for a mix of work.
//!
//! A connection of a mix costs `(1 − r) · full + r · resumed + bytes / 16 KiB · record`, with the costs that
//! a run measured. Bounds are those of the costs, added up, which is wider than an interval of the sum.
//! Candidates that one run measured in turns are ranked by the interval of their ratio, others by these
//! bounds. On several processors they are ranked by total throughput. Everything here is pure.

mod candidate;
mod cores;
mod library;
mod memory;
mod mix;
mod pairs;
mod ranking;
mod scenarios;
mod wire;
mod work;

pub use candidate::{Candidate, Cost, PROTECTS_NOTHING, Source, Total};
pub use cores::{Cores, OnCores};
pub use library::SeveralLibraries;
pub use memory::{MemoryOf, MemoryRanking};
pub use mix::{Mix, PROFILES, Profile, profiles};
pub use pairs::Pair;
pub use ranking::{Excluded, FirstOver, Ranked, Ranking};
pub use scenarios::scenarios_of;
pub use wire::{WireOf, WireRanking};
pub use work::{RECORD_BYTES, Work};
