//! The rank-sum test and shift estimate for two unpaired samples, such as two recorded runs.
//!
//! Measurements from different times drift apart, so this shows less than pairs from one run do.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::effect_test::{at_the_nearer_boundary, not_negative};
use crate::normal::{normal_cdf, normal_quantile};
use crate::quantile::median_of_sorted;
use crate::ranks::{choices_by_sum, doubled_ranks};
use crate::refused::open_unit;
use crate::signed_rank::PROBABILITY_SLACK;
use crate::sorted::Sorted;
use crate::{Estimate, Refused};

/// The shift between two unpaired samples and the test of a minimum effect.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct ShiftTest {
    /// b − a with its interval, in the unit of the values; its `n` counts the values of both samples.
    pub estimate: Estimate,
    /// The two-sided p-value: the probability of samples at least this far apart if the shift lay within
    /// ±delta.
    pub p_value: f64,
    /// The p-value as a signed normal deviate, Φ⁻¹(1 − p/2): above 0 if b seems shifted by more than +delta,
    /// below 0 if by less than −delta.
    pub z: f64,
}

/// The shift of `b` relative to `a`, its interval at `confidence` or more, and the test whether it lies
/// within ±`delta` (0 or more, in the unit of the values).
///
/// Assumes that both samples have the same distribution apart from the shift. The estimate is the median of
/// all
/// differences b − a, the interval lies between two of these differences, and the test is the rank-sum test
/// of Wilcoxon, Mann and Whitney at the nearer boundary, as in [`crate::effect_test`]. Up to 60 values
/// together it is exact, the test with mid-ranks for ties; above, the normal approximation with corrections
/// for ties and continuity. For ratios pass logarithms. Sources: Hodges & Lehmann, "Estimates of location
/// based on rank tests", Annals of Mathematical Statistics 34 (1963); Mann & Whitney, "On a test of whether
/// one of two random variables is stochastically larger than the other", Annals of Mathematical Statistics 18
/// (1947); Hollander & Wolfe, "Nonparametric Statistical Methods", 2nd edition (1999), section 4.3.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are too few values for `confidence` (counting both samples), with
/// [`Refused::NotFinite`] (whose index is that within its sample), and with [`Refused::OutOfRange`] for a
/// `confidence` that is not between 0 and 1, or a negative or infinite `delta`.
pub fn shift(a: &[f64], b: &[f64], confidence: f64, delta: f64) -> Result<ShiftTest, Refused> {
    not_negative("the smallest effect of interest", delta)?;
    let error = 1.0 - open_unit("confidence", confidence)?;
    let (n, needed) = (a.len() + b.len(), needed_values(a.len(), b.len(), error));
    if n < needed {
        return Err(Refused::TooFew { n, needed });
    }
    let (a, b) = (Sorted::new(a)?, Sorted::new(b)?);
    let (a, b) = (a.as_slice(), b.as_slice());
    let mut differences: Vec<f64> = b.iter().flat_map(|b| a.iter().map(move |a| b - a)).collect();
    differences.sort_unstable_by(f64::total_cmp);
    let (cut, outside) = cut(a.len(), b.len(), error);
    let estimate = Estimate {
        n,
        value: median_of_sorted(&differences),
        lower: differences[cut],
        upper: differences[differences.len() - 1 - cut],
        confidence: 1.0 - outside,
    };
    let up = RankSum::of(a, b.iter().map(|b| b - delta)).upper_tail();
    let down = RankSum::of(b, a.iter().map(|a| a - delta)).upper_tail();
    let (p_value, z) = at_the_nearer_boundary(up, down);
    Ok(ShiftTest { estimate, p_value, z })
}

/// The number of values of both samples (the smaller grows first) at which the whole range of the differences
/// has at most the error probability `error`: 2 over the number of ways to choose one sample.
fn needed_values(mut a: usize, mut b: usize, error: f64) -> usize {
    while a == 0 || b == 0 || whole_range_errs(a, b) > error + PROBABILITY_SLACK {
        *(if a < b { &mut a } else { &mut b }) += 1;
    }
    a + b
}

fn whole_range_errs(a: usize, b: usize) -> f64 {
    (1..=a.min(b)).fold(2.0, |errs, k| errs * k as f64 / (a.max(b) + k) as f64)
}

/// The exact null distribution is used up to this many values of both samples: the ways to choose half of 60
/// fit an integer.
const LARGEST_EXACT_TOGETHER: usize = 60;

/// The number of differences to exclude at either end, and the resulting error probability.
fn cut(a: usize, b: usize, error: f64) -> (usize, f64) {
    if a + b <= LARGEST_EXACT_TOGETHER { exact_cut(a, b, error) } else { approximate_cut(a, b, error) }
}

/// Without ties the number of differences below the true shift is U, the sum of one sample's ranks less its
/// minimum.
fn exact_cut(a: usize, b: usize, error: f64) -> (usize, f64) {
    let ranks: Vec<usize> = (1..=a + b).collect();
    let by_statistic = &choices_by_sum(&ranks, b)[b * (b + 1) / 2..];
    let all = by_statistic.iter().sum::<u64>() as f64;
    let mut below = 0;
    let mut best = (0, whole_range_errs(a, b));
    for (cut, &count) in by_statistic.iter().enumerate() {
        below += count;
        let outside = 2.0 * below as f64 / all;
        if outside > error + PROBABILITY_SLACK {
            break;
        }
        best = (cut, outside);
    }
    best
}

/// U is taken as normal with mean ab/2 and variance ab(a + b + 1)/12, and P(U ≤ u) as Φ at u + ½.
fn approximate_cut(a: usize, b: usize, error: f64) -> (usize, f64) {
    let pairs = (a * b) as f64;
    let deviation = (pairs * (a + b + 1) as f64 / 12.0).sqrt();
    let cut = (pairs / 2.0 + deviation * normal_quantile(error / 2.0) - 0.5).floor();
    if cut < 0.0 {
        return (0, whole_range_errs(a, b));
    }
    (cut as usize, 2.0 * normal_cdf((cut + 0.5 - pairs / 2.0) / deviation))
}

/// The doubled ranks of both samples together, and the sum of those of the one that may be larger.
struct RankSum {
    ranks: Vec<usize>,
    size: usize,
    sum: usize,
}

impl RankSum {
    fn of(others: &[f64], larger: impl Iterator<Item = f64>) -> Self {
        let mut both: Vec<(f64, bool)> = others.iter().map(|value| (*value, false)).collect();
        both.extend(larger.map(|value| (value, true)));
        both.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
        let ranks = doubled_ranks(&both.iter().map(|(value, _)| *value).collect::<Vec<f64>>());
        let sum = ranks.iter().zip(&both).filter(|(_, (_, larger))| *larger).map(|(rank, _)| rank).sum();
        Self { ranks, size: both.len() - others.len(), sum }
    }

    /// The probability of a rank sum at least as large if the values are assigned to the samples at random.
    fn upper_tail(&self) -> f64 {
        if self.ranks.len() <= LARGEST_EXACT_TOGETHER {
            let choices = choices_by_sum(&self.ranks, self.size);
            let as_large: u64 = choices[self.sum..].iter().sum();
            as_large as f64 / choices.iter().sum::<u64>() as f64
        } else {
            self.approximate_upper_tail()
        }
    }

    /// Mean and variance of a sum drawn without replacement, in doubled ranks, where half a step is 1.
    fn approximate_upper_tail(&self) -> f64 {
        let (all, drawn) = (self.ranks.len() as f64, self.size as f64);
        let mean = all + 1.0;
        let squares: f64 = self.ranks.iter().map(|rank| (*rank as f64 - mean).powi(2)).sum();
        let variance = drawn * (all - drawn) * squares / (all * (all - 1.0));
        if variance == 0.0 {
            return 1.0;
        }
        normal_cdf((drawn * mean + 1.0 - self.sum as f64) / variance.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Differences 4, 5, 6, 7, 8 − 1, 2, 3: sorted 1 2 2 3 3 3 4 4 4 5 5 5 6 6 7. All lie above 0: U is extreme with
        // 1 of the 56 ways on either side; at 90 % C(U ≤ 0), C(U ≤ 1) are 1 and 2 of 56, so one at either end goes.
        let test = shift(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0, 7.0, 8.0], 0.9, 0.0).unwrap();
        let expected = Estimate { n: 8, value: 4.0, lower: 2.0, upper: 6.0, confidence: 1.0 - 4.0 / 56.0 };
        assert_eq!((test.estimate, test.p_value), (expected, 2.0 / 56.0));
        assert!((test.z - normal_quantile(1.0 - 1.0 / 56.0)).abs() < 1e-12);
    }

    #[test]
    fn ties_share_their_rank() {
        // Ranks 1.5, 1.5 | 3.5, 3.5: 7 is reached by one way of six.
        assert_eq!(shift(&[1.0, 1.0], &[2.0, 2.0], 0.5, 0.0).unwrap().p_value, 2.0 / 6.0);
        let same = shift(&[5.0; 40], &[5.0; 40], 0.9, 0.0).unwrap();
        assert_eq!((same.estimate.value, same.p_value, same.z), (0.0, 1.0, 0.0));
    }

    #[test]
    fn a_shift_within_delta_is_not_found() {
        let (a, b): (Vec<f64>, Vec<f64>) = (0..12).map(|i| (f64::from(i), f64::from(i) + 5.0)).unzip();
        assert!(shift(&a, &b, 0.95, 0.0).unwrap().p_value < 0.02);
        assert_eq!(shift(&a, &b, 0.95, 6.0).unwrap().p_value, 1.0);
        let (there, back) = (shift(&a, &b, 0.95, 1.0).unwrap(), shift(&b, &a, 0.95, 1.0).unwrap());
        assert_eq!((there.p_value, there.z), (back.p_value, -back.z));
        assert_eq!(
            (there.estimate.lower, there.estimate.upper),
            (-back.estimate.upper, -back.estimate.lower)
        );
    }

    #[test]
    fn the_approximation_continues_the_exact_distribution() {
        for error in [0.2, 0.1, 0.05, 0.01] {
            let (exact, approximate) = (exact_cut(30, 30, error), approximate_cut(30, 30, error));
            assert!(exact.0.abs_diff(approximate.0) <= 2, "{exact:?} {approximate:?}");
            assert!((exact.1 - approximate.1).abs() < 2e-3, "{exact:?} {approximate:?}");
        }
        for step in 0..20 {
            let larger = (0..30).map(|i| f64::from(i) + 0.3 + f64::from(step) / 2.0);
            let sum = RankSum::of(&(0..30).map(f64::from).collect::<Vec<f64>>(), larger);
            let (exact, approximate) = (sum.upper_tail(), sum.approximate_upper_tail());
            assert!((exact - approximate).abs() < 2e-3, "{exact} {approximate}");
        }
    }

    #[test]
    fn awkward_values_are_refused() {
        // 2/6 > 0.05, 2/10 > 0.05, 2/20 > 0.05, 2/35 > 0.05, 2/70 is enough.
        assert_eq!(shift(&[1.0; 2], &[1.0; 2], 0.95, 0.0), Err(Refused::TooFew { n: 4, needed: 8 }));
        assert_eq!(shift(&[], &[1.0; 50], 0.95, 0.0), Err(Refused::TooFew { n: 50, needed: 51 }));
        assert!(matches!(
            shift(&[0.0, f64::NAN], &[1.0; 50], 0.95, 0.0),
            Err(Refused::NotFinite { index: 1, .. })
        ));
        assert!(matches!(shift(&[0.0; 9], &[1.0; 9], 1.0, 0.0), Err(Refused::OutOfRange { .. })));
        assert!(matches!(shift(&[0.0; 9], &[1.0; 9], 0.9, -1.0), Err(Refused::OutOfRange { .. })));
    }
}
