//! Deliberate costs, by which the lab tests whether a comparison detects them or is misled by them.

pub(crate) mod allocation;
pub(crate) mod cost;
