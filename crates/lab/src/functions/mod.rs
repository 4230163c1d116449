//! Instructions by function: of a cell, between two cells, and of the rows of a run.

pub mod changed;
mod contention;
pub mod counted;
mod diff;
pub mod naming;
mod profile;
pub mod rows;
mod scaling;
mod scaling_text;
mod sheet;

pub use contention::contention;
pub use diff::diff;
pub use profile::{profile, profile_into};
pub use scaling::{Scaled, ScaledStack, Scaling, ScalingTable, scaling};
pub use sheet::Functions;

/// The event by which functions are sorted.
pub const INSTRUCTIONS: &str = "Ir";
