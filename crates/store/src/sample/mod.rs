//! Samples: a row each while a visit is open, one pack when it has ended.

pub(crate) mod detail;
pub(crate) mod journal;
pub(crate) mod pack;
pub(crate) mod scenario;
