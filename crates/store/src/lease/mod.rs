//! Leases: which process measures a run, and until when no other may.

pub(crate) mod fence;
pub(crate) mod model;
pub(crate) mod renewal;
pub(crate) mod sql;
