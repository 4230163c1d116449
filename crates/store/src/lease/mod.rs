//! Who measures a run, and until when nobody else may.

pub(crate) mod fence;
pub(crate) mod model;
pub(crate) mod renewal;
pub(crate) mod sql;
