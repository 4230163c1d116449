//! A distribution-free interval for a centre of symmetry, by inverting the Wilcoxon signed-rank test.
//!
//! It assumes only that the values are independent and symmetric about their centre, as log ratios of two
//! things treated alike are. With tied values the coverage is still at least the stated confidence.

use crate::Refused;
use crate::normal::{normal_cdf, normal_quantile};
use crate::ranks::{LARGEST_EXACT_N, untied_tails};
use crate::refused::open_unit;
use crate::sorted::Sorted;
use crate::walsh::walsh_averages;

/// The interval between two Walsh averages of the values, including both.
///
/// With W₁ ≤ … ≤ W_M the Walsh averages and C the largest number for which P(T < C) ≤ (1 − confidence)/2
/// under the null distribution of the signed-rank statistic T, the interval is [W_C, W_{M+1−C}]. Sources:
/// Bauer, "Constructing confidence sets using rank statistics", Journal of the American Statistical
/// Association 67 (1972); Hollander & Wolfe, "Nonparametric Statistical Methods", 2nd edition (1999), section
/// 3.3.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SignedRankInterval {
    /// The number of values.
    pub n: usize,
    /// Lower bound, in the unit of the values.
    pub lower: f64,
    /// Upper bound, in the unit of the values.
    pub upper: f64,
    /// The confidence achieved (0 to 1): at least the one requested, since the statistic is discrete. Exact
    /// up to [`LARGEST_EXACT_N`] values; the normal approximation with continuity correction above.
    pub confidence: f64,
}

impl SignedRankInterval {
    /// The interval for the centre of `values` at `confidence` (between 0 and 1) or more.
    ///
    /// # Errors
    /// Fails with [`Refused::TooFew`] if even the whole range of the values has less than `confidence`, with
    /// [`Refused::NotFinite`], and with [`Refused::OutOfRange`] for a `confidence` that is not between 0 and
    /// 1.
    pub fn of(values: &[f64], confidence: f64) -> Result<Self, Refused> {
        let sorted = Sorted::at_least(needed_n(confidence)?, values)?;
        Self::from_walsh(&walsh_averages(sorted.as_slice()), values.len(), confidence)
    }

    /// The same from the sorted Walsh averages of `n` values.
    pub(crate) fn from_walsh(walsh: &[f64], n: usize, confidence: f64) -> Result<Self, Refused> {
        let needed = needed_n(confidence)?;
        if n < needed {
            return Err(Refused::TooFew { n, needed });
        }
        let cut = Cut::new(n, 1.0 - confidence);
        let (lower, upper) = (walsh[cut.rank - 1], walsh[walsh.len() - cut.rank]);
        Ok(Self { n, lower, upper, confidence: cut.confidence })
    }
}

/// The smallest number of values that can give an interval at `confidence`: the least n with 1 − 2¹⁻ⁿ ≥
/// confidence.
///
/// # Errors
/// Fails with [`Refused::OutOfRange`] if `confidence` is not between 0 and 1.
pub fn needed_n(confidence: f64) -> Result<usize, Refused> {
    let error = 1.0 - open_unit("confidence", confidence)?;
    let mut n = 1;
    while 0.5_f64.powi(n - 1) > error + PROBABILITY_SLACK {
        n += 1;
    }
    Ok(n as usize)
}

/// Which Walsh average from either end bounds the interval, counted from 1, and the confidence this gives.
struct Cut {
    rank: usize,
    confidence: f64,
}

impl Cut {
    /// The cut whose error probability is at most `error`. Rank 1, the whole range of the values, is the
    /// widest; [`needed_n`] checks that it suffices.
    fn new(n: usize, error: f64) -> Self {
        if n <= LARGEST_EXACT_N { Self::exact(n, error) } else { Self::approximate(n, error) }
    }

    fn whole_range(n: usize) -> Self {
        Self { rank: 1, confidence: 1.0 - 2.0 * 0.5_f64.powi(n as i32) }
    }

    fn exact(n: usize, error: f64) -> Self {
        let mut cut = Self::whole_range(n);
        // T lies as far below its middle as above it.
        for (rank, below) in (1..).zip(untied_tails(n).iter().rev()) {
            let outside = 2.0 * below;
            if outside > error + PROBABILITY_SLACK {
                break;
            }
            cut = Self { rank, confidence: 1.0 - outside };
        }
        cut
    }

    /// T is taken as normal with mean n(n+1)/4 and variance n(n+1)(2n+1)/24, and P(T ≤ t) as Φ at t + ½.
    fn approximate(n: usize, error: f64) -> Self {
        let count = n as f64;
        let mean = count * (count + 1.0) / 4.0;
        let deviation = (count * (count + 1.0) * (2.0 * count + 1.0) / 24.0).sqrt();
        // Beyond the largest exact n no confidence below 1 that a float can hold needs the whole range.
        let rank = (mean + deviation * normal_quantile(error / 2.0) + 0.5).floor();
        let outside = 2.0 * normal_cdf((rank - 0.5 - mean) / deviation);
        Self { rank: rank as usize, confidence: 1.0 - outside }
    }
}

/// In binary, 1 − 0.95 is a little more than 0.05 and 1 − 0.9 a little less than 0.1. This slack keeps a step
/// of the exact distribution that meets the requested confidence exactly.
pub(crate) const PROBABILITY_SLACK: f64 = 1e-12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // n = 5: P(T = 0) = 1/32, so the range of the values errs with 1/16, and nothing narrower reaches 90 %.
        let interval = SignedRankInterval::of(&[3.0, 1.0, 2.0, 8.0, 5.0], 0.9).unwrap();
        assert_eq!(interval, SignedRankInterval { n: 5, lower: 1.0, upper: 8.0, confidence: 0.9375 });
        // At 80 % C = 3: P(T < 3) = 3/32 (one pattern each for 0, 1 and 2), which gives 1 − 6/32; the Walsh averages
        // begin 1, 1.5, 2 and end 5, 5.5, 6.5, 8, so the third from either end are 2 and 5.5.
        let interval = SignedRankInterval::of(&[3.0, 1.0, 2.0, 8.0, 5.0], 0.8).unwrap();
        assert_eq!(interval, SignedRankInterval { n: 5, lower: 2.0, upper: 5.5, confidence: 0.8125 });
    }

    #[test]
    fn too_few_values_are_said_to_be_too_few() {
        let values = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(SignedRankInterval::of(&values, 0.99), Err(Refused::TooFew { n: 5, needed: 8 }));
        assert_eq!(SignedRankInterval::of(&values, 0.95), Err(Refused::TooFew { n: 5, needed: 6 }));
        assert_eq!(SignedRankInterval::of(&[], 0.5), Err(Refused::TooFew { n: 0, needed: 2 }));
        assert!(SignedRankInterval::of(&values, 0.9375).is_ok(), "met exactly");
    }

    #[test]
    fn needed_n_is_the_first_that_works() {
        for confidence in [0.5, 0.8, 0.9, 0.95, 0.99, 0.995, 0.999] {
            let needed = needed_n(confidence).unwrap();
            let values: Vec<f64> = (0..needed).map(|i| i as f64).collect();
            assert!(SignedRankInterval::of(&values, confidence).is_ok());
            assert!(SignedRankInterval::of(&values[1..], confidence).is_err());
        }
    }

    #[test]
    fn awkward_values_and_confidences_are_refused() {
        let nan = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, f64::NAN];
        assert!(matches!(SignedRankInterval::of(&nan, 0.9), Err(Refused::NotFinite { index: 6, .. })));
        for confidence in [0.0, 1.0, -1.0, f64::NAN] {
            assert!(matches!(SignedRankInterval::of(&[1.0; 9], confidence), Err(Refused::OutOfRange { .. })));
        }
    }

    #[test]
    fn zero_spread_gives_a_point() {
        let interval = SignedRankInterval::of(&[0.3; 20], 0.95).unwrap();
        assert_eq!((interval.lower, interval.upper), (0.3, 0.3));
    }

    #[test]
    fn the_highest_confidence_of_the_approximation_is_within_the_range() {
        let n = LARGEST_EXACT_N + 1;
        let values: Vec<f64> = (0..n as u32).map(f64::from).collect();
        let interval = SignedRankInterval::of(&values, 1.0 - f64::EPSILON / 2.0).unwrap();
        assert!(interval.lower > 0.0 && interval.upper < (n - 1) as f64, "{interval:?}");
    }

    #[test]
    fn the_approximation_continues_the_exact_distribution() {
        for error in [0.2, 0.1, 0.05, 0.01, 0.005] {
            let (exact, approximate) =
                (Cut::exact(LARGEST_EXACT_N, error), Cut::approximate(LARGEST_EXACT_N, error));
            assert!(exact.rank.abs_diff(approximate.rank) <= 8, "{} {}", exact.rank, approximate.rank);
            assert!((exact.confidence - approximate.confidence).abs() < 1.5e-3);
        }
    }
}
