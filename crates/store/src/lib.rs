//! Runs and every one of their samples, on disk.
//!
//! [`Store`] is what a database must be able to do; [`Sqlite`] does it in one file. Every call is one transaction:
//! when it has returned, a kill of the lab loses nothing of it. Nothing recorded is ever altered, but for a cell's
//! state, which can only get worse, and for the flags that say that a visit or a run has come to its end.

mod detail;
mod error;
mod pairs;
mod sqlite;
mod store;
#[cfg(test)]
mod tests;

pub use error::StoreError;
pub use sqlite::Sqlite;
pub use store::{RunSummary, Store};
