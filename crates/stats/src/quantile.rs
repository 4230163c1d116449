//! Quantiles by linear interpolation between order statistics.

use crate::Refused;
use crate::sorted::Sorted;

/// The middle value, or the mean of the two middle values, in the unit of `values`.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are no values, and with [`Refused::NotFinite`].
pub fn median(values: &[f64]) -> Result<f64, Refused> {
    Ok(median_of_sorted(Sorted::at_least(1, values)?.as_slice()))
}

/// The value below which a fraction `p` (0 to 1, both included) of `values` lies, in the unit of `values`.
///
/// With h = (n − 1)·p counted from 0, interpolates linearly between the order statistics ⌊h⌋ and ⌊h⌋ + 1.
/// This is type 7 of Hyndman & Fan, "Sample quantiles in statistical packages", The American Statistician 50
/// (1996), the default of R and NumPy.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are no values, with [`Refused::NotFinite`], and with
/// [`Refused::OutOfRange`] for a `p` outside 0 to 1.
pub fn quantile(values: &[f64], p: f64) -> Result<f64, Refused> {
    if !(0.0..=1.0).contains(&p) {
        return Err(Refused::OutOfRange {
            what: "the quantile's probability",
            value: p,
            range: "from 0 to 1",
        });
    }
    Ok(quantile_of_sorted(Sorted::at_least(1, values)?.as_slice(), p))
}

/// Needs at least one value in ascending order.
pub(crate) fn median_of_sorted(sorted: &[f64]) -> f64 {
    let upper = sorted.len() / 2;
    if sorted.len() % 2 == 1 { sorted[upper] } else { sorted[upper - 1].midpoint(sorted[upper]) }
}

/// Needs at least one value in ascending order, and `p` within 0 to 1.
pub(crate) fn quantile_of_sorted(sorted: &[f64], p: f64) -> f64 {
    let h = (sorted.len() - 1) as f64 * p;
    let below = h.floor() as usize;
    let low = sorted[below];
    let high = sorted[(below + 1).min(sorted.len() - 1)];
    let weight = h - h.floor();
    // In this form the interpolation cannot overflow; the clamp removes rounding errors.
    (low * (1.0 - weight) + high * weight).clamp(low, high)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        assert_eq!(median(&[3.0, 1.0, 2.0]), Ok(2.0));
        assert_eq!(median(&[4.0, 1.0, 2.0, 3.0]), Ok(2.5));
        // h = 3 · 0.25 = 0.75: three quarters of the way from 1 to 2.
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.25), Ok(1.75));
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 0.0), Ok(1.0));
        assert_eq!(quantile(&[1.0, 2.0, 3.0, 4.0], 1.0), Ok(4.0));
        assert_eq!(quantile(&[9.0], 0.3), Ok(9.0));
    }

    #[test]
    fn extremes_do_not_overflow() {
        assert_eq!(median(&[f64::MIN, f64::MAX]), Ok(0.0));
        assert_eq!(quantile(&[f64::MIN, f64::MAX], 0.5), Ok(0.0));
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(median(&[]), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert!(matches!(median(&[f64::INFINITY]), Err(Refused::NotFinite { index: 0, .. })));
        for p in [-0.01, 1.01, f64::NAN] {
            assert!(matches!(quantile(&[1.0], p), Err(Refused::OutOfRange { .. })));
        }
    }
}
