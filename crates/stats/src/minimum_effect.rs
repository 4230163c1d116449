//! The minimum detectable effect of a comparison.
//!
//! "No change" means nothing without it: a comparison that can only detect 5 % has not shown that 1 % is
//! absent.

use std::f64::consts::PI;

use crate::Refused;
use crate::normal::normal_quantile;
use crate::refused::open_unit;
use crate::sorted::Sorted;

/// The smallest true log ratio that a two-sided test at level `alpha` on `log_ratios` finds with a power of
/// 80 %.
///
/// It is [`minimum_detectable_effect_of`] with the standard deviation of `log_ratios`. If all are equal it is
/// 0, which then reflects the clock's resolution rather than the test.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are fewer than two values, with [`Refused::NotFinite`], and with
/// [`Refused::OutOfRange`] for `alpha`.
pub fn minimum_detectable_effect(log_ratios: &[f64], alpha: f64) -> Result<f64, Refused> {
    minimum_detectable_effect_of(standard_deviation(log_ratios)?, log_ratios.len(), alpha)
}

/// The minimum detectable effect before measuring, from the expected `deviation` of one visit and the number
/// `n` of visits, in the unit of `deviation`.
///
/// (z(1−α/2) + z(0.8)) · sd / √(3n/π): the usual power calculation for a mean (z(0.8) = 0.84 for a power of
/// 80 %) with n times the efficiency 3/π = 0.955 of the Hodges–Lehmann estimate under normal data (Hodges &
/// Lehmann 1963; Lehmann, "Nonparametrics", 1975, section 4.3).
///
/// # Errors
/// Fails with [`Refused::TooFew`] if `n` is 0, and with [`Refused::OutOfRange`] for `alpha` or for a negative
/// or infinite `deviation`.
pub fn minimum_detectable_effect_of(deviation: f64, n: usize, alpha: f64) -> Result<f64, Refused> {
    open_unit("alpha", alpha)?;
    if !(deviation >= 0.0 && deviation.is_finite()) {
        let range = "at 0 or above, and be finite";
        return Err(Refused::OutOfRange { what: "the standard deviation", value: deviation, range });
    }
    if n == 0 {
        return Err(Refused::TooFew { n, needed: 1 });
    }
    let reach = normal_quantile(1.0 - alpha / 2.0) + normal_quantile(POWER);
    Ok(reach * deviation / (HODGES_LEHMANN_EFFICIENCY * n as f64).sqrt())
}

/// The sample standard deviation (divisor n − 1), in the unit of `values`.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are fewer than two values, and with [`Refused::NotFinite`].
pub fn standard_deviation(values: &[f64]) -> Result<f64, Refused> {
    let sorted = Sorted::at_least(2, values)?;
    let values = sorted.as_slice();
    if values[0] == values[values.len() - 1] {
        return Ok(0.0);
    }
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
    Ok((squares / (n - 1.0)).sqrt())
}

pub(crate) const POWER: f64 = 0.8;
pub(crate) const HODGES_LEHMANN_EFFICIENCY: f64 = 3.0 / PI;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // sd of 2, 4, 4, 4, 5, 5, 7, 9 is √(32/7).
        let deviation = standard_deviation(&[2.0, 4.0, 4.0, 4.0, 5.0, 5.0, 7.0, 9.0]).unwrap();
        assert!((deviation - (32.0_f64 / 7.0).sqrt()).abs() < 1e-15);
        // (1.960 + 0.842) · 1 / √(0.955 · 16) = 0.7168.
        let effect = minimum_detectable_effect_of(1.0, 16, 0.05).unwrap();
        assert!((effect - 0.7168).abs() < 1e-4, "{effect}");
    }

    #[test]
    fn four_times_the_visits_see_half_the_effect() {
        let (few, many) =
            (minimum_detectable_effect_of(0.3, 16, 0.01), minimum_detectable_effect_of(0.3, 64, 0.01));
        assert!((few.unwrap() / many.unwrap() - 2.0).abs() < 1e-12);
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(minimum_detectable_effect(&[0.1; 7], 0.05), Ok(0.0));
        assert_eq!(minimum_detectable_effect(&[0.1], 0.05), Err(Refused::TooFew { n: 1, needed: 2 }));
        assert_eq!(minimum_detectable_effect_of(0.1, 0, 0.05), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert!(matches!(minimum_detectable_effect(&[0.1, f64::NAN], 0.05), Err(Refused::NotFinite { .. })));
        assert!(matches!(minimum_detectable_effect(&[0.1, 0.2], 0.0), Err(Refused::OutOfRange { .. })));
        assert!(matches!(minimum_detectable_effect_of(-1.0, 3, 0.05), Err(Refused::OutOfRange { .. })));
    }
}
