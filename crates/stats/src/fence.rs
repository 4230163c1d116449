//! The fence of a box plot as a significance threshold, as other projects use it; only for comparison with
//! them.

use crate::Refused;
use crate::quantile::quantile_of_sorted;
use crate::sorted::Sorted;

/// Q₃ + 3·IQR of the relative changes |xᵢ₊₁ − xᵢ| / xᵢ between neighbours in `series`, as a fraction.
///
/// A change above it is called significant by rustc-perf and by rustls's benchmark service. Steps of the
/// series are among the changes and widen the fence. The quartiles are those of [`crate::quantile`]. Source:
/// Tukey, "Exploratory data analysis" (1977), the outer fence.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are fewer than two values, with [`Refused::NotFinite`], and with
/// [`Refused::NotPositive`].
pub fn fence(series: &[f64]) -> Result<f64, Refused> {
    if series.len() < 2 {
        return Err(Refused::TooFew { n: series.len(), needed: 2 });
    }
    if let Some((index, &value)) = series.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        return Err(Refused::NotFinite { index, value });
    }
    if let Some((index, &value)) = series.iter().enumerate().find(|(_, value)| **value <= 0.0) {
        return Err(Refused::NotPositive { index, value });
    }
    let changes: Vec<f64> = series.windows(2).map(|pair| (pair[1] - pair[0]).abs() / pair[0]).collect();
    let changes = Sorted::new(&changes)?;
    let [first, third] = [0.25, 0.75].map(|p| quantile_of_sorted(changes.as_slice(), p));
    Ok(third + 3.0 * (third - first))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Changes 0.1, 0.2, 0, 0.25, 0.1; sorted 0, 0.1, 0.1, 0.2, 0.25: quartiles 0.1 and 0.2.
        let fence = fence(&[100.0, 110.0, 88.0, 88.0, 66.0, 72.6]).unwrap();
        assert!((fence - 0.5).abs() < 1e-12, "{fence}");
    }

    #[test]
    fn a_flat_series_has_no_room() {
        assert_eq!(fence(&[7.0; 9]), Ok(0.0));
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(fence(&[1.0]), Err(Refused::TooFew { n: 1, needed: 2 }));
        assert!(matches!(fence(&[1.0, f64::NAN]), Err(Refused::NotFinite { index: 1, .. })));
        assert_eq!(fence(&[1.0, 0.0]), Err(Refused::NotPositive { index: 1, value: 0.0 }));
    }
}
