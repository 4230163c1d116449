//! Helpers for the tests of several crates: servers that tests start and that end with them, and variants of
//! a library.

pub mod gitea;
pub mod postgres;
mod variant;

pub use variant::variant_files;
