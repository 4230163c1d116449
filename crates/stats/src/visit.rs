//! Reduces the slices of one visit to one observation.
//!
//! Slices of one pair of processes share its memory layout, so they are not independent of each other; visits
//! are. Sample sizes therefore count visits, not slices.

use crate::{Refused, median, trimmed_mean};

/// The fraction of a visit's slices that is trimmed on each side.
pub const VISIT_TRIM: f64 = 0.2;

/// One visit's value: the 20 %-trimmed mean of its slices, in their unit.
/// # Errors
/// Fails with [`Refused::TooFew`] if there are no slices, and with [`Refused::NotFinite`].
pub fn visit_value(slices: &[f64]) -> Result<f64, Refused> {
    trimmed_mean(slices, VISIT_TRIM)
}

/// One visit's log ratio: the 20 %-trimmed mean of ln(bᵢ/aᵢ) over blocks i, without a unit; above 0 if B took
/// more.
///
/// `a[i]` and `b[i]` come from the same block, measured within milliseconds of each other, so that drift over
/// seconds cancels within the block.
///
/// # Errors
/// Fails with [`Refused::Unpaired`] if the lengths differ, with [`Refused::TooFew`] if there are no slices,
/// and with [`Refused::NotFinite`] and [`Refused::NotPositive`] for their values.
pub fn paired_log_ratio(a: &[f64], b: &[f64]) -> Result<f64, Refused> {
    trimmed_mean(&log_ratios(a, b)?, VISIT_TRIM)
}

/// One visit's log ratio for short slices: the median of ln(bᵢ/aᵢ) over blocks i, without a unit; above 0 if
/// B took more.
///
/// A disturbance of some milliseconds then affects whole blocks and no others. The median tolerates it until
/// half of the blocks are affected.
///
/// # Errors
/// Fails as [`paired_log_ratio`] does.
pub fn paired_log_median(a: &[f64], b: &[f64]) -> Result<f64, Refused> {
    median(&log_ratios(a, b)?)
}

fn log_ratios(a: &[f64], b: &[f64]) -> Result<Vec<f64>, Refused> {
    if a.len() != b.len() {
        return Err(Refused::Unpaired { a: a.len(), b: b.len() });
    }
    let (a, b) = (logarithms(a)?, logarithms(b)?);
    Ok(b.iter().zip(&a).map(|(b, a)| b - a).collect())
}

/// A difference of logarithms neither overflows nor vanishes where the ratio itself would.
fn logarithms(values: &[f64]) -> Result<Vec<f64>, Refused> {
    let logarithm = |(index, &value): (usize, &f64)| match value {
        _ if !value.is_finite() => Err(Refused::NotFinite { index, value }),
        _ if value <= 0.0 => Err(Refused::NotPositive { index, value }),
        _ => Ok(value.ln()),
    };
    values.iter().enumerate().map(logarithm).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::LN_2;

    #[test]
    fn worked_by_hand() {
        assert_eq!(visit_value(&[10.0, 12.0, 11.0, 13.0, 900.0]), Ok(12.0));
        // Blocks drift by a factor of 100, B is twice A in all but two of them.
        let a = [1.0, 10.0, 100.0, 1.0, 10.0];
        let b = [2.0, 20.0, 200.0, 90.0, 0.1];
        assert!((paired_log_ratio(&a, &b).unwrap() - LN_2).abs() < 1e-15);
        // Two of five blocks are disturbed, both to the same side: a third of what is left after trimming, none of the median.
        let disturbed = [2.0, 20.0, 200.0, 90.0, 1000.0];
        assert!((paired_log_median(&a, &disturbed).unwrap() - LN_2).abs() < 1e-15);
        assert!(paired_log_ratio(&a, &disturbed).unwrap() > 1.2);
    }

    #[test]
    fn swapping_the_two_changes_only_the_sign() {
        let (a, b) = ([3.0, 5.0, 8.0, 13.0], [4.0, 5.5, 9.0, 11.0]);
        let (there, back) = (paired_log_ratio(&a, &b).unwrap(), paired_log_ratio(&b, &a).unwrap());
        assert!((there + back).abs() < 1e-15);
        let (there, back) = (paired_log_median(&a, &b).unwrap(), paired_log_median(&b, &a).unwrap());
        assert!((there + back).abs() < 1e-15);
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(visit_value(&[]), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert_eq!(paired_log_ratio(&[], &[]), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert_eq!(paired_log_median(&[], &[]), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert_eq!(paired_log_ratio(&[1.0], &[1.0, 2.0]), Err(Refused::Unpaired { a: 1, b: 2 }));
        assert_eq!(
            paired_log_ratio(&[1.0, 0.0], &[1.0, 2.0]),
            Err(Refused::NotPositive { index: 1, value: 0.0 })
        );
        assert!(matches!(paired_log_ratio(&[1.0], &[f64::NAN]), Err(Refused::NotFinite { index: 0, .. })));
    }
}
