//! A signed-rank test of a minimum effect: whether a change is larger than `delta`.
//!
//! Two programs that differ only in their code layout differ a little in time. A test for any difference
//! would find that one, so this tests whether they differ by more than `delta`.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Refused;
use crate::normal::{normal_cdf, normal_quantile};
use crate::ranks::LARGEST_EXACT_N;
use crate::ranks::{doubled_ranks, tails, untied_tails};
use crate::sorted::Sorted;

/// The result of the test of a minimum effect.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct EffectTest {
    /// The number of values.
    pub n: usize,
    /// The two-sided p-value: the probability of values at least as extreme if the centre lay within ±delta.
    pub p_value: f64,
    /// The p-value as a signed normal deviate, Φ⁻¹(1 − p/2): above 0 if the centre seems larger than +delta,
    /// below 0 if it seems smaller than −delta, 0 if `p_value` is 1.
    pub z: f64,
}

/// Tests whether the centre of `log_ratios` lies within ±`delta` (0 or more, a log ratio as well).
///
/// Wilcoxon's signed-rank test at either boundary, p = min(1, 2·min(P(up | +delta), P(down | −delta))). Each
/// is exact up to [`LARGEST_EXACT_N`] values: the sum of the ranks of |x ∓ delta| over positive x ∓ delta is
/// counted over all sign patterns, with mid-ranks for ties, and values at the boundary keep their rank and
/// take neither sign. Above, the normal approximation with the variance ¼·Σ rank², which corrects for ties,
/// and continuity. Sources: Wilcoxon, "Individual comparisons by ranking methods", Biometrics Bulletin 1
/// (1945); Pratt, "Remarks on zeros and ties in the Wilcoxon signed rank procedures", Journal of the American
/// Statistical Association 54 (1959); for both boundaries, Hodges & Lehmann, "Testing the approximate
/// validity of statistical hypotheses", Journal of the Royal Statistical Society B 16 (1954).
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are no values, with [`Refused::NotFinite`], and with
/// [`Refused::OutOfRange`] for a negative or infinite `delta`.
pub fn effect_test(log_ratios: &[f64], delta: f64) -> Result<EffectTest, Refused> {
    not_negative("the smallest effect of interest", delta)?;
    let sorted = Sorted::at_least(1, log_ratios)?;
    let values = sorted.as_slice();
    let up = SignedRanks::of(values.iter().map(|value| value - delta)).upper_tail();
    let down = SignedRanks::of(values.iter().map(|value| -value - delta)).upper_tail();
    let (p_value, z) = at_the_nearer_boundary(up, down);
    Ok(EffectTest { n: values.len(), p_value, z })
}

/// The two-sided p and its signed deviate from the one-sided p at the upper and at the lower boundary.
///
/// A p too small for a float becomes the smallest float, so that the deviate stays finite.
pub(crate) fn at_the_nearer_boundary(up: f64, down: f64) -> (f64, f64) {
    let p_value = (2.0 * up.min(down)).clamp(f64::MIN_POSITIVE, 1.0);
    let z = -normal_quantile(p_value / 2.0);
    (p_value, if p_value == 1.0 { 0.0 } else { z.copysign(down - up) })
}

/// The argument, unless it is negative or not finite.
pub(crate) fn not_negative(what: &'static str, value: f64) -> Result<f64, Refused> {
    if value >= 0.0 && value.is_finite() {
        Ok(value)
    } else {
        Err(Refused::OutOfRange { what, value, range: "at 0 or above, and be finite" })
    }
}

/// The doubled ranks of the values that are not 0, and the sum of those of positive values.
struct SignedRanks {
    ranks: Vec<usize>,
    positive: usize,
}

impl SignedRanks {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut values: Vec<f64> = values.collect();
        values.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
        let sizes: Vec<f64> = values.iter().map(|value| value.abs()).collect();
        let signed: Vec<(usize, f64)> =
            doubled_ranks(&sizes).into_iter().zip(values).filter(|(_, value)| *value != 0.0).collect();
        let positive = signed.iter().filter(|(_, value)| *value > 0.0).map(|(rank, _)| rank).sum();
        Self { ranks: signed.into_iter().map(|(rank, _)| rank).collect(), positive }
    }

    /// The probability of a sum of positive ranks at least as large when every sign is a fair coin.
    fn upper_tail(&self) -> f64 {
        if self.ranks.is_empty() {
            1.0
        } else if self.ranks.len() <= LARGEST_EXACT_N {
            let is_untied = self.ranks.iter().enumerate().all(|(at, rank)| *rank == 2 * (at + 1));
            match is_untied {
                true => untied_tails(self.ranks.len())[self.positive / 2],
                false => tails(&self.ranks)[self.positive],
            }
        } else {
            self.approximate_upper_tail()
        }
    }

    /// In doubled ranks the mean is half their sum, the variance a quarter of their squares' sum, and half a
    /// step 1.
    fn approximate_upper_tail(&self) -> f64 {
        let mean = self.ranks.iter().sum::<usize>() as f64 / 2.0;
        let variance = self.ranks.iter().map(|rank| (rank * rank) as f64).sum::<f64>() / 4.0;
        normal_cdf((mean + 1.0 - self.positive as f64) / variance.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Against 1: 1, 2, −0.5, 3, 4 have the ranks 2, 3, 1, 4, 5, so T = 14; of 32 patterns two reach 14 (T = 14, 15).
        let test = effect_test(&[2.0, 3.0, 0.5, 4.0, 5.0], 1.0).unwrap();
        assert_eq!((test.n, test.p_value), (5, 4.0 / 32.0));
        assert!((test.z - 1.534_120_544_352_547).abs() < 1e-12, "{}", test.z);
    }

    #[test]
    fn ties_and_values_at_the_boundary() {
        // Against 1: 0, 1, 1, −1, 2 have the ranks 1, 3, 3, 3, 5 and the 0 takes no sign: T = 11 of 14, and of 16 patterns
        // {3, 3, 5} three times and {3, 3, 3, 5} once are as large.
        let test = effect_test(&[1.0, 2.0, 2.0, 0.0, 3.0], 1.0).unwrap();
        assert_eq!(test.p_value, 8.0 / 16.0);
        assert_eq!(effect_test(&[0.1; 9], 0.1).unwrap(), EffectTest { n: 9, p_value: 1.0, z: 0.0 });
        assert_eq!(effect_test(&[0.2; 9], 0.1).unwrap().p_value, 2.0 / 512.0);
    }

    #[test]
    fn within_the_boundaries_nothing_is_found() {
        let values = [-0.3, 0.1, 0.2, -0.1, 0.35];
        assert_eq!(effect_test(&values, 0.4).unwrap(), EffectTest { n: 5, p_value: 1.0, z: 0.0 });
        assert_eq!(effect_test(&[1.0], 0.0).unwrap().p_value, 1.0);
    }

    #[test]
    fn the_sign_of_z_is_the_direction() {
        let values: Vec<f64> = (0..20).map(|i| 0.01 + 0.001 * f64::from(i)).collect();
        let turned: Vec<f64> = values.iter().map(|value| -value).collect();
        let (slower, faster) = (effect_test(&values, 0.002).unwrap(), effect_test(&turned, 0.002).unwrap());
        assert!(slower.z > 4.0, "{slower:?}");
        assert_eq!((slower.p_value, slower.z), (faster.p_value, -faster.z));
    }

    #[test]
    fn the_approximation_continues_the_exact_distribution() {
        let last = LARGEST_EXACT_N as i32;
        for cut in 5..25 {
            let ranks = SignedRanks::of((1..=last).map(|i| f64::from(if i % 30 < cut { -i } else { i })));
            let (exact, approximate) = (ranks.upper_tail(), ranks.approximate_upper_tail());
            assert!((exact - approximate).abs() < 1e-3, "{exact} {approximate}");
        }
    }

    #[test]
    fn many_values_keep_z_finite() {
        let values: Vec<f64> = (1..=3000).map(f64::from).collect();
        let test = effect_test(&values, 0.0).unwrap();
        assert!(test.p_value > 0.0 && test.z > 30.0 && test.z.is_finite(), "{test:?}");
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(effect_test(&[], 0.0), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert!(matches!(effect_test(&[1.0, f64::NAN], 0.0), Err(Refused::NotFinite { index: 1, .. })));
        for delta in [-0.1, f64::NAN, f64::INFINITY] {
            assert!(matches!(effect_test(&[1.0], delta), Err(Refused::OutOfRange { .. })));
        }
    }
}
