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
    /// The part of half its interval that a longer measurement does not narrow: the variance between runs; a
    /// logarithm.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub between: f64,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
pub(crate) fn is_zero(value: &f64) -> bool {
    *value == 0.0
}

impl Figure {
    /// A report's estimate, `times` as large.
    pub(crate) fn of(estimated: &Estimated, times: f64) -> Self {
        let bounds = estimated.interval.map(|interval| [interval.lower * times, interval.upper * times]);
        Self { bounds, ..Self::plain(estimated.value * times) }
    }

    /// A figure without an interval.
    pub(crate) fn plain(value: f64) -> Self {
        Self { value, bounds: None, between: 0.0 }
    }

    /// A figure whose interval is in these bounds.
    pub(crate) fn within(value: f64, bounds: [f64; 2]) -> Self {
        Self { bounds: Some(bounds), ..Self::plain(value) }
    }

    /// With so much more that differs between runs, a logarithm.
    #[must_use]
    pub(crate) fn widened(self, between: f64) -> Self {
        let bounds = self.bounds.map(|[lower, upper]| {
            let half = |bound: f64| (bound / self.value).ln().hypot(between).exp();
            [self.value / half(lower), self.value * half(upper)]
        });
        Self { bounds, between, ..self }
    }

    /// The ratio of two figures. Its bounds hold at the confidence of both together, whatever they have in
    /// common.
    pub(crate) fn over(self, other: Self) -> Self {
        let bounds = self.bounds.zip(other.bounds).map(|(of, over)| [of[0] / over[1], of[1] / over[0]]);
        Self { value: self.value / other.value, bounds, between: self.between + other.between }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_differs_between_runs_is_added_in_squares() {
        // Half of it is 0.03 on both sides, and 0.04 more: 0.05.
        let [value, lower, upper] = [0.1_f64, 0.07, 0.13].map(f64::exp);
        let wide = Figure::within(value, [lower, upper]).widened(0.04);
        let bounds = wide.bounds.unwrap().map(f64::ln);
        assert!((bounds[0] - 0.05).abs() < 1e-12 && (bounds[1] - 0.15).abs() < 1e-12, "{bounds:?}");
        assert_eq!(wide.over(wide).between, 0.08);
    }
}
