//! Runs, written, read back and deleted.

pub(crate) mod reading;
pub(crate) mod retention;
pub(crate) mod sql;
