//! The median absolute deviation: a measure of spread that outliers hardly affect.

use crate::Refused;
use crate::quantile::median;

/// The median absolute deviation, in the unit of `values`, scaled to equal the standard deviation for normal
/// values.
///
/// 1/Φ⁻¹(3/4) times the median of |x − median|. Source: Hampel, "The influence curve and its role in robust
/// estimation", Journal of the American Statistical Association 69 (1974).
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are no values, and with [`Refused::NotFinite`].
pub fn median_deviation(values: &[f64]) -> Result<f64, Refused> {
    let middle = median(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    Ok(NORMAL_PER_MEDIAN_DISTANCE * median(&distances)?)
}

/// 1/Φ⁻¹(3/4).
pub(crate) const NORMAL_PER_MEDIAN_DISTANCE: f64 = 1.482_602_218_505_602;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_far_value_does_not_move_it() {
        // The distances from 3 are 2, 1, 0, 1 and 997; their median is 1.
        assert_eq!(median_deviation(&[1.0, 2.0, 3.0, 4.0, 1000.0]), Ok(NORMAL_PER_MEDIAN_DISTANCE));
        assert_eq!(median_deviation(&[]), Err(Refused::TooFew { n: 0, needed: 1 }));
    }
}
