//! What tests of several crates need: servers that they start for themselves and that end with them, and
//! variants of a library.

pub mod gitea;
pub mod postgres;
mod variant;

pub use variant::variant_files;
