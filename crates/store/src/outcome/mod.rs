//! Outcomes of jobs.

pub(crate) mod model;
pub(crate) mod sql;
