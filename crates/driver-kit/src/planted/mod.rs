//! Deliberate costs, by which the lab tests whether a comparison finds them or mistakes them.

pub(crate) mod allocation;
pub(crate) mod cost;
