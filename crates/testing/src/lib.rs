//! Servers that tests start for themselves and that end with them.

pub mod gitea;
pub mod postgres;
