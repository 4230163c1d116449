//! Instructions by function: of a cell, between two cells, and of the rows of a run.

pub(crate) mod changed;
pub(crate) mod counted;
mod diff;
pub(crate) mod naming;
mod profile;
pub(crate) mod rows;
mod sheet;

pub use diff::diff;
pub use profile::{profile, profile_into};
pub use sheet::Functions;

/// The event that functions are ordered by.
pub(crate) const INSTRUCTIONS: &str = "Ir";
