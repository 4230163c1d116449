//! What pages and services ask a database, without changing it.

pub(crate) mod model;
pub(crate) mod sql;
