//! Scenario and suite files as written, the scenarios they resolve to, and the matrix of requirement and
//! capability.
//!
//! Pure: texts come in, values go out. A scenario never names a stack, and nothing here knows one.

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
mod tests_of_rates;
#[cfg(test)]
mod tests_of_roots;

pub use catalogue::{Catalogue, SourceFile};
pub use error::ScenarioError;
pub use family::Family;
pub use matrix::{Claim, claims, hole};
pub use rows::{Row, RowColumn, RowFile, Rows, RowsOf};
pub use suite::{Suite, SuiteCounting, selected_of};

/// The JSON Schema of a file of scenarios.
pub fn family_schema() -> schemars::Schema {
    schemars::schema_for!(family::written::WrittenFile)
}

/// That of a suite's file.
pub fn suite_schema() -> schemars::Schema {
    schemars::schema_for!(Suite)
}
