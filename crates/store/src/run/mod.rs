//! Runs, written, read back and deleted.

pub(crate) mod reading;
mod retention;
pub(crate) mod sql;
