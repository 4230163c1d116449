//! The estimate of a cell: one value and its interval.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::quantile::median_of_sorted;
use crate::signed_rank::needed_n;
use crate::sorted::Sorted;
use crate::walsh::walsh_averages;
use crate::{Refused, SignedRankInterval};

/// A centre with its interval: `lower` ≤ `value` ≤ `upper`, all three in the unit of the values.
#[derive(Clone, Copy, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Estimate {
    /// The number of values (visits).
    pub n: usize,
    /// The Hodges–Lehmann estimate.
    pub value: f64,
    /// Lower bound of the signed-rank interval.
    pub lower: f64,
    /// Upper bound of the signed-rank interval.
    pub upper: f64,
    /// The confidence that the interval achieves (0 to 1): at least the one requested.
    pub confidence: f64,
}

/// Estimates the centre of `values`, with an interval at `confidence` or more.
///
/// The value is that of [`crate::hodges_lehmann`], the bounds are those of [`SignedRankInterval`].
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are too few values for `confidence`, with [`Refused::NotFinite`],
/// and with [`Refused::OutOfRange`] for a `confidence` that is not between 0 and 1.
pub fn estimate(values: &[f64], confidence: f64) -> Result<Estimate, Refused> {
    let sorted = Sorted::at_least(needed_n(confidence)?, values)?;
    let walsh = walsh_averages(sorted.as_slice());
    let interval = SignedRankInterval::from_walsh(&walsh, values.len(), confidence)?;
    let SignedRankInterval { n, lower, upper, confidence } = interval;
    Ok(Estimate { n, value: median_of_sorted(&walsh), lower, upper, confidence })
}

/// Estimates the ratio whose logarithms are `log_ratios`: [`estimate`] in logarithms, then exponentiated.
///
/// With logarithms ln(B/A), a ratio of 1 means no change, and 1.01 that B took 1 % more than A. The interval
/// keeps its confidence, since the exponential is monotonic. A logarithm too large for a float makes the
/// ratio infinite.
///
/// # Errors
/// Fails as [`estimate`] does.
pub fn ratio_estimate(log_ratios: &[f64], confidence: f64) -> Result<Estimate, Refused> {
    let Estimate { n, value, lower, upper, confidence } = estimate(log_ratios, confidence)?;
    Ok(Estimate { n, value: value.exp(), lower: lower.exp(), upper: upper.exp(), confidence })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::LN_2;

    #[test]
    fn worked_by_hand() {
        // See the Walsh averages of 1, 2, 3, 5, 8: 1 1.5 2 2 2.5 3 3 3.5 | 4 | 4.5 5 5 5.5 6.5 8 has 15, the eighth is 3.5.
        let values = [3.0, 1.0, 2.0, 8.0, 5.0];
        let expected = Estimate { n: 5, value: 3.5, lower: 2.0, upper: 5.5, confidence: 0.8125 };
        assert_eq!(estimate(&values, 0.8), Ok(expected));
    }

    #[test]
    fn a_doubling_is_a_ratio_of_two() {
        let doubled = ratio_estimate(&[LN_2; 8], 0.95).unwrap();
        assert_eq!((doubled.value, doubled.lower, doubled.upper), (2.0, 2.0, 2.0));
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(estimate(&[], 0.95), Err(Refused::TooFew { n: 0, needed: 6 }));
        assert_eq!(estimate(&[1.0], 0.95), Err(Refused::TooFew { n: 1, needed: 6 }));
        assert!(matches!(estimate(&[f64::NAN; 9], 0.95), Err(Refused::NotFinite { index: 0, .. })));
        assert!(matches!(ratio_estimate(&[0.0; 9], 95.0), Err(Refused::OutOfRange { .. })));
    }
}
