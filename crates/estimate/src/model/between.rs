//! Differences between runs, as part of every interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Half a width, as a logarithm, that was added in squares to the halves of a run's own intervals.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Between {
    /// Of times.
    pub time: f64,
    /// Of ratios.
    pub ratio: f64,
}
