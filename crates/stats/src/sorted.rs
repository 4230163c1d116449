//! Values that are known to be finite and sorted.
//!
//! Checking once here means that no estimator has to check for NaN again, and that the order in which samples
//! arrive cannot change a result, not even by rounding.

use crate::Refused;

/// Finite values in ascending order; may be empty.
pub(crate) struct Sorted(Vec<f64>);

impl Sorted {
    /// Copies and sorts `values`; fails with the first that is not finite.
    pub(crate) fn new(values: &[f64]) -> Result<Self, Refused> {
        if let Some((index, &value)) = values.iter().enumerate().find(|(_, value)| !value.is_finite()) {
            return Err(Refused::NotFinite { index, value });
        }
        let mut sorted = values.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        Ok(Self(sorted))
    }

    /// As [`Sorted::new`], and fails if there are fewer than `needed` values.
    pub(crate) fn at_least(needed: usize, values: &[f64]) -> Result<Self, Refused> {
        if values.len() < needed {
            return Err(Refused::TooFew { n: values.len(), needed });
        }
        Self::new(values)
    }

    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.0
    }
}
