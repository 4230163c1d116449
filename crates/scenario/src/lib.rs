//! Scenario and suite files, the scenarios that they resolve to, and the matrix of requirements and
//! capabilities.
//!
//! The crate is pure: it takes texts and returns values. A scenario never names a stack, and this crate knows
//! no stack.

pub mod capabilities;
mod catalogue;
mod error;
mod family;
mod matrix;
mod near;
mod pattern;
mod reading;
mod rows;
mod suite;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tests_of_defaults;
#[cfg(test)]
mod tests_of_rates;
#[cfg(test)]
mod tests_of_repository;
#[cfg(test)]
mod tests_of_roots;

pub use catalogue::{Catalogue, SourceFile};
pub use error::ScenarioError;
pub use family::Family;
pub use matrix::{Claim, claims, hole};
pub use rows::{Row, RowColumn, RowFile, Rows, RowsOf};
pub use suite::{Suite, SuiteCounting, selected_of};

/// The JSON Schema of a scenario file.
pub fn family_schema() -> schemars::Schema {
    schemars::schema_for!(family::written::WrittenFile)
}

/// The JSON Schema of a suite file.
pub fn suite_schema() -> schemars::Schema {
    schemars::schema_for!(Suite)
}
