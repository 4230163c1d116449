//! What the lab has measured of its counters and its host, kept beside the runs for their reports.

pub mod fidelity;
pub mod neighbours;
