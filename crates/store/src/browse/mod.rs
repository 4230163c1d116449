//! Queries of pages and services, which do not change the database.

pub(crate) mod model;
pub(crate) mod sql;
