//! One place at which the series changed.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A change between two points.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Change {
    /// The place of the first point after it, counted from 0.
    pub at: usize,
    /// That point's label.
    pub label: String,
    /// The level before, in the unit of the values; of the reference if the machine is the cause.
    pub before: f64,
    /// The level after, in the same unit.
    pub after: f64,
    /// `after` over `before`; none if that was 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<f64>,
    /// The probability of such a change in a series without one; none if only the environment cut the series,
    /// and none for counts, which are deterministic.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p_value: Option<f64>,
    /// The cause.
    pub cause: Cause,
}

/// The cause of a change.
#[derive(Clone, Copy, Debug, Deserialize, Eq, JsonSchema, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Cause {
    /// The level changed while the environment did not: the program has changed.
    Change,
    /// The environment changed here, or the reference begins or ends. Without a reference the series is
    /// always cut, and the ratio cannot be attributed to the program.
    Epoch,
    /// The reference changed: the machine did. The series was divided by it and is not cut here.
    Machine,
}
