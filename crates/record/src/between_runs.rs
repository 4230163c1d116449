//! Variation between runs of the same request, measured on a kind of host.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::BetweenRunsPolicy;

/// The variation between runs minutes apart that lasts for a whole run: the host's frequency, its load, its
/// neighbours.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BetweenRuns {
    /// The class of the machine, as in series.
    pub host: String,
    /// When it was measured, milliseconds since 1970.
    pub measured_unix_ms: u64,
    /// For ratios of two stacks that are measured together, in which most of it cancels, or for times.
    pub of_ratios: bool,
    /// The standard deviation of logarithms around the median of runs without a load, beyond a run's own
    /// interval.
    pub deviation: f64,
    /// The number of runs, and how many of them had a loop that kept a processor busy.
    pub runs: u32,
    /// See `runs`.
    pub loaded: u32,
}

/// The widening of intervals: half a width, as a logarithm, added in quadrature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The standard deviation of logarithms.
    pub deviation: f64,
    /// The number of runs from which it was measured; `None` for the policy's value.
    pub runs: Option<u32>,
}

impl BetweenRuns {
    /// The value to use: what all series of runs on the host show together, else the policy's.
    pub fn deviation(measured: &[Self], policy: &BetweenRunsPolicy, of_ratios: bool) -> Deviation {
        let of = measured.iter().filter(|one| one.of_ratios == of_ratios && one.deviation.is_finite());
        let (runs, squares) = of.fold((0_u32, 0.0), |(runs, squares), one| {
            (runs.saturating_add(one.runs), squares + f64::from(one.runs) * one.deviation.powi(2))
        });
        if runs == 0 {
            return Deviation { deviation: if of_ratios { policy.ratio } else { policy.time }, runs: None };
        }
        let least = if of_ratios { policy.least_ratio } else { 0.0 };
        Deviation { deviation: (squares / f64::from(runs)).sqrt().max(least), runs: Some(runs) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_goes_before_the_policy() {
        let one = |of_ratios, deviation, runs| BetweenRuns {
            host: "h".to_owned(),
            measured_unix_ms: 0,
            of_ratios,
            deviation,
            runs,
            loaded: 10,
        };
        let policy = BetweenRunsPolicy { time: 0.01, ratio: 0.005, least_ratio: 0.002 };
        let of_ratios = |known: &[BetweenRuns]| BetweenRuns::deviation(known, &policy, true).deviation;
        assert_eq!(of_ratios(&[one(true, 0.0, 20)]), 0.002);
        assert_eq!(of_ratios(&[one(true, 0.01, 20)]), 0.01);
        assert_eq!(of_ratios(&[one(false, 0.01, 20)]), 0.005);
        // (3 · 0.04² + 1 · 0²) / 4
        let known = [one(false, 0.04, 30), one(false, 0.0, 10), one(false, f64::NAN, 10)];
        let times = BetweenRuns::deviation(&known, &policy, false);
        assert_eq!(times.runs, Some(40));
        assert!((times.deviation - 0.0012_f64.sqrt()).abs() < 1e-12, "{times:?}");
        let unknown = BetweenRuns::deviation(&[], &policy, false);
        assert_eq!(unknown, Deviation { deviation: 0.01, runs: None });
    }
}
