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
    /// The value to use: measured, else the policy's.
    pub fn deviation(measured: &[Self], policy: &BetweenRunsPolicy, of_ratios: bool) -> Deviation {
        match measured.iter().rev().find(|one| one.of_ratios == of_ratios && one.deviation.is_finite()) {
            // So little remains for ratios that a few runs may show none of it: measurements only raise the
            // policy's value.
            Some(one) if of_ratios => {
                Deviation { deviation: one.deviation.max(policy.ratio), runs: Some(one.runs) }
            }
            Some(one) => Deviation { deviation: one.deviation, runs: Some(one.runs) },
            None => Deviation { deviation: if of_ratios { policy.ratio } else { policy.time }, runs: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_measured_last_goes_before_the_policy() {
        let one = |of_ratios, deviation| BetweenRuns {
            host: "h".to_owned(),
            measured_unix_ms: 0,
            of_ratios,
            deviation,
            runs: 20,
            loaded: 10,
        };
        let policy = BetweenRunsPolicy { time: 0.01, ratio: 0.002 };
        let known = [one(false, 0.03), one(false, 0.004)];
        let calm = [one(true, 0.0)];
        assert_eq!(BetweenRuns::deviation(&calm, &policy, true).deviation, 0.002);
        assert_eq!(BetweenRuns::deviation(&[one(true, 0.01)], &policy, true).deviation, 0.01);
        let of = |of_ratios| BetweenRuns::deviation(&known, &policy, of_ratios);
        assert_eq!(of(false), Deviation { deviation: 0.004, runs: Some(20) });
        assert_eq!(of(true), Deviation { deviation: 0.002, runs: None });
    }
}
