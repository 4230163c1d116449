//! The trimmed mean: the mean without the smallest and largest values.
//!
//! An interrupt makes a slice far too long. The mean follows it and the trimmed mean does not; unlike the
//! median, the trimmed mean is not limited to the clock's steps.

use crate::Refused;
use crate::sorted::Sorted;

/// The mean of `values` without the ⌊`trim_each_side` · n⌋ smallest and as many largest, in the unit of
/// `values`.
///
/// `trim_each_side` is a fraction from 0 (the plain mean) to below 0.5. The definition is that of SciPy's
/// `trim_mean`; source: Tukey & McLaughlin, "Less vulnerable confidence and significance procedures for
/// location based on a single sample", Sankhyā A 25 (1963).
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are no values, with [`Refused::NotFinite`], and with
/// [`Refused::OutOfRange`] for `trim_each_side`.
pub fn trimmed_mean(values: &[f64], trim_each_side: f64) -> Result<f64, Refused> {
    if !(0.0..0.5).contains(&trim_each_side) {
        let range = "from 0 to below 0.5";
        return Err(Refused::OutOfRange {
            what: "the fraction trimmed from each side",
            value: trim_each_side,
            range,
        });
    }
    let sorted = Sorted::at_least(1, values)?;
    let values = sorted.as_slice();
    let cut = (trim_each_side * values.len() as f64 + ROUNDING_SLACK).floor() as usize;
    let kept = &values[cut..values.len() - cut];
    // Rounding may shift the mean of equal values by one step; the clamp undoes that.
    let mean = kept.iter().sum::<f64>() / kept.len() as f64;
    Ok(mean.clamp(kept[0], kept[kept.len() - 1]))
}

/// 0.29 · 100 is 28.999999999999996 in binary: without a little slack one value too few would be cut.
const ROUNDING_SLACK: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // A fifth of five is one: 1 and 100 go, the mean of 2, 3, 4 stays.
        assert_eq!(trimmed_mean(&[100.0, 2.0, 4.0, 3.0, 1.0], 0.2), Ok(3.0));
        // A fifth of four is less than one value: nothing goes.
        assert_eq!(trimmed_mean(&[1.0, 2.0, 3.0, 6.0], 0.2), Ok(3.0));
        assert_eq!(trimmed_mean(&[7.0], 0.4), Ok(7.0));
    }

    #[test]
    fn a_fraction_that_binary_rounds_down_still_cuts_what_it_says() {
        let mut values = vec![0.0; 100];
        values[..29].fill(-1e6);
        assert_eq!(trimmed_mean(&values, 0.29), Ok(0.0));
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(trimmed_mean(&[], 0.2), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert!(matches!(trimmed_mean(&[1.0, f64::NAN], 0.2), Err(Refused::NotFinite { index: 1, .. })));
        for fraction in [-0.1, 0.5, f64::NAN] {
            assert!(matches!(trimmed_mean(&[1.0], fraction), Err(Refused::OutOfRange { .. })));
        }
    }
}
