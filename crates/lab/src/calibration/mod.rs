//! What the lab has measured of its counters and its host, noted beside the runs for their reports.

pub mod between_runs;
pub mod fidelity;
pub mod layouts;
pub mod neighbours;
