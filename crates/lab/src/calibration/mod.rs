//! Measurements of the lab's counters and host, recorded with the runs for their reports.

pub mod between_runs;
pub mod fidelity;
pub mod layouts;
pub mod neighbours;
