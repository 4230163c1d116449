//! Measured figures next to published ones.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_estimate::Estimated;

/// A figure that was measured here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Here {
    /// A figure.
    Figure(Figure),
    /// The reason for a missing figure; it begins with `unsupported: ` or `failed: `, or states that the host
    /// has not measured it.
    Hole {
        /// The reason.
        hole: String,
    },
}

impl Here {
    /// A figure that another host has and this one has not.
    pub(crate) fn not_measured() -> Self {
        Self::Hole { hole: "not measured on this host".to_owned() }
    }
}

/// A figure with its interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Figure {
    /// The estimate.
    pub value: f64,
    /// Its bounds, if it has any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bounds: Option<[f64; 2]>,
}

impl Figure {
    /// A report's estimate, `times` as large.
    pub(crate) fn of(estimated: &Estimated, times: f64) -> Self {
        let bounds = estimated.interval.map(|interval| [interval.lower * times, interval.upper * times]);
        Self { value: estimated.value * times, bounds }
    }

    /// The ratio of two figures. Its bounds hold at the confidence of both together, whatever they have in
    /// common.
    pub(crate) fn over(self, other: Self) -> Self {
        let bounds = self.bounds.zip(other.bounds).map(|(of, over)| [of[0] / over[1], of[1] / over[0]]);
        Self { value: self.value / other.value, bounds }
    }
}
