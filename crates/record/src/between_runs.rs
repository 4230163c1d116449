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

/// The standard deviation by which intervals are widened, in squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Deviation {
    /// The standard deviation of logarithms.
    pub deviation: f64,
    /// The number of runs from which it was measured; `None` for the policy's value.
    pub runs: Option<u32>,
}

impl BetweenRuns {
    /// The value to use: the largest that a series of runs on the host showed, or the policy's if that is
    /// larger. A series of some minutes does not show by how much hours differ.
    pub fn deviation(measured: &[Self], policy: &BetweenRunsPolicy, of_ratios: bool) -> Deviation {
        let of_policy = if of_ratios { policy.ratio } else { policy.time };
        let of = measured.iter().filter(|one| one.of_ratios == of_ratios && one.deviation > of_policy);
        match of.max_by(|one, other| one.deviation.total_cmp(&other.deviation)) {
            Some(one) => Deviation { deviation: one.deviation, runs: Some(one.runs) },
            None => Deviation { deviation: of_policy, runs: None },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurements_only_raise_the_policys_value() {
        let one = |of_ratios, deviation, runs| BetweenRuns {
            host: "h".to_owned(),
            measured_unix_ms: 0,
            of_ratios,
            deviation,
            runs,
            loaded: 10,
        };
        let policy = BetweenRunsPolicy { time: 0.02, ratio: 0.005 };
        let known =
            [one(false, 0.03, 20), one(false, 0.04, 30), one(false, 0.0, 40), one(false, f64::NAN, 50)];
        let of = |of_ratios| BetweenRuns::deviation(&known, &policy, of_ratios);
        assert_eq!(of(false), Deviation { deviation: 0.04, runs: Some(30) });
        assert_eq!(of(true), Deviation { deviation: 0.005, runs: None });
        let calm = [one(true, 0.001, 20), one(false, 0.01, 20)];
        let of = |of_ratios| BetweenRuns::deviation(&calm, &policy, of_ratios);
        assert_eq!(of(false), Deviation { deviation: 0.02, runs: None });
        assert_eq!(of(true), Deviation { deviation: 0.005, runs: None });
    }
}
