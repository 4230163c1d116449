//! Summary statistics of a set of values, for plots.

use std::num::NonZeroUsize;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::Refused;
use crate::quantile::{median_of_sorted, quantile_of_sorted};
use crate::sorted::Sorted;

/// Tukey's five-number summary (quartiles of type 7) in the unit of the values, and a histogram on request.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Summary {
    /// The number of values.
    pub n: usize,
    /// The smallest value.
    pub minimum: f64,
    /// The lower quartile: a quarter of the values lie below.
    pub lower_quartile: f64,
    /// Half of the values lie below.
    pub median: f64,
    /// The upper quartile: a quarter of the values lie above.
    pub upper_quartile: f64,
    /// The largest value.
    pub maximum: f64,
    /// How the values are distributed between minimum and maximum.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub histogram: Option<Histogram>,
}

/// Bins of equal width from minimum to maximum. Each includes its lower edge; the last one also includes its
/// upper edge.
///
/// The counts add up to the number of values. If all values are equal there is a single bin of width 0,
/// whatever number was requested.
#[derive(Clone, Debug, Deserialize, JsonSchema, PartialEq, Serialize)]
pub struct Histogram {
    /// The lower edge of the first bin, in the unit of the values.
    pub lower: f64,
    /// The upper edge of the last bin, in the unit of the values.
    pub upper: f64,
    /// The number of values in each bin, in ascending order of the bins.
    pub counts: Vec<u64>,
}

/// Summarises `values`, with a histogram of `bins` bins if requested.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are no values, and with [`Refused::NotFinite`].
pub fn summarise(values: &[f64], bins: Option<NonZeroUsize>) -> Result<Summary, Refused> {
    let sorted = Sorted::at_least(1, values)?;
    let sorted = sorted.as_slice();
    Ok(Summary {
        n: sorted.len(),
        minimum: sorted[0],
        lower_quartile: quantile_of_sorted(sorted, 0.25),
        median: median_of_sorted(sorted),
        upper_quartile: quantile_of_sorted(sorted, 0.75),
        maximum: sorted[sorted.len() - 1],
        histogram: bins.map(|bins| histogram(sorted, bins)),
    })
}

fn histogram(sorted: &[f64], bins: NonZeroUsize) -> Histogram {
    let (lower, upper) = (sorted[0], sorted[sorted.len() - 1]);
    if lower == upper {
        return Histogram { lower, upper, counts: vec![sorted.len() as u64] };
    }
    let mut counts = vec![0; bins.get()];
    // Uses halves, so that the distance between two finite values is finite, too.
    let half_range = upper / 2.0 - lower / 2.0;
    for value in sorted {
        let position = (value / 2.0 - lower / 2.0) / half_range;
        counts[((position * bins.get() as f64) as usize).min(bins.get() - 1)] += 1;
    }
    Histogram { lower, upper, counts }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(number: usize) -> Option<NonZeroUsize> {
        NonZeroUsize::new(number)
    }

    #[test]
    fn worked_by_hand() {
        let summary = summarise(&[4.0, 1.0, 2.0, 3.0, 0.0], bins(2)).unwrap();
        let histogram = Some(Histogram { lower: 0.0, upper: 4.0, counts: vec![2, 3] });
        let expected = Summary {
            n: 5,
            minimum: 0.0,
            lower_quartile: 1.0,
            median: 2.0,
            upper_quartile: 3.0,
            maximum: 4.0,
            histogram,
        };
        assert_eq!(summary, expected);
        assert_eq!(summarise(&[1.0, 2.0], None).unwrap().histogram, None);
    }

    #[test]
    fn zero_spread_is_one_bin_and_extremes_do_not_overflow() {
        let point = summarise(&[2.0; 3], bins(10)).unwrap().histogram.unwrap();
        assert_eq!(point, Histogram { lower: 2.0, upper: 2.0, counts: vec![3] });
        let extremes = summarise(&[f64::MIN, 0.0, f64::MAX], bins(3)).unwrap().histogram.unwrap();
        assert_eq!(extremes.counts, [1, 1, 1]);
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(summarise(&[], None), Err(Refused::TooFew { n: 0, needed: 1 }));
        assert!(matches!(summarise(&[f64::NAN], None), Err(Refused::NotFinite { index: 0, .. })));
    }
}
