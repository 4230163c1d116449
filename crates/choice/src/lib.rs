//! Which stack suits a mix of work.
//!
//! A connection of a mix costs `(1 − r) · full + r · resumed + bytes / 16 KiB · record`, with each cost as a run measured it. Bounds are
//! those of the costs, added up, which is wider than an interval of the sum. Everything here is pure.

mod candidate;
mod library;
mod mix;
mod ranking;
mod work;

pub use candidate::{Candidate, Cost, Total};
pub use library::SeveralLibraries;
pub use mix::{Mix, PROFILE_NAMES, profiles};
pub use ranking::{Excluded, FirstOver, Ranked, Ranking};
pub use work::{RECORD_BYTES, Work, scenarios_of};
