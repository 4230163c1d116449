//! Samples: a row each while a visit is open, one pack when it has ended.

mod detail;
pub(crate) mod journal;
pub(crate) mod pack;
mod scenario;
