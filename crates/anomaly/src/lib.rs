//! Detection of a run's cells that break an expectation.
//!
//! A rule compares figures of one run, or of the releases of one library, with an expectation by construction
//! or from the other cells. A finding is a candidate for a look at the cause, not a verdict. Everything here
//! is pure.

mod anomaly;
mod axes;
mod cluster;
mod observations;
mod ranking;
mod releases;
mod rules;
mod text;

pub use anomaly::{Anomaly, CellName, Evidence, Rule};
pub use observations::{Measure, Observations, Observed, Place, Speeds};
pub use ranking::{Anomalies, Found, RuleCount};
pub use releases::{Release, Releases};
pub use text::{json, markdown, terminal};
