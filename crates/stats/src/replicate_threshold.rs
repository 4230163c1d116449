//! The significance threshold for a count that is exact under replication.

use crate::effect_test::not_negative;
use crate::minimum_effect::standard_deviation;
use crate::refused::open_unit;
use crate::{Refused, student_quantile};

/// The threshold for |ln(B/A)|, a log ratio, from the differences `d` of replicates with common seeds, which
/// are log ratios as well.
///
/// max(`tau_min`, `bias` + t(1 − `alpha`/2, K − 1)·sd(d)/√K): the effect that K replicates cannot distinguish
/// from 0, in addition to the bias that relinking the same source causes. The quantile is Student's, since K
/// is small.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are fewer than two replicates, with [`Refused::NotFinite`], and
/// with [`Refused::OutOfRange`] for a negative `tau_min` or `bias`, or an `alpha` that is not between 0 and
/// 1.
pub fn replicate_threshold(d: &[f64], tau_min: f64, bias: f64, alpha: f64) -> Result<f64, Refused> {
    not_negative("the smallest threshold", tau_min)?;
    not_negative("the bias of relinking", bias)?;
    open_unit("alpha", alpha)?;
    let deviation = standard_deviation(d)?;
    let replicates = d.len() as f64;
    let reach = student_quantile(1.0 - alpha / 2.0, replicates - 1.0) * deviation / replicates.sqrt();
    Ok(tau_min.max(bias + reach))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // sd of 1…5 is √2.5, t(0.975, 4) = 2.776445: 0.1 + 2.776445 · √2.5 / √5 = 2.063243.
        let threshold = replicate_threshold(&[1.0, 2.0, 3.0, 4.0, 5.0], 0.5, 0.1, 0.05).unwrap();
        assert!((threshold - 2.063_243).abs() < 1e-6, "{threshold}");
        assert_eq!(
            replicate_threshold(&[3e-4; 5], 2e-4, 1e-4, 0.05),
            Ok(2e-4),
            "all alike: only what is asked for"
        );
        assert_eq!(replicate_threshold(&[3e-4; 5], 2e-4, 5e-4, 0.05), Ok(5e-4));
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(replicate_threshold(&[1.0], 0.0, 0.0, 0.05), Err(Refused::TooFew { n: 1, needed: 2 }));
        assert!(matches!(
            replicate_threshold(&[1.0, f64::NAN], 0.0, 0.0, 0.05),
            Err(Refused::NotFinite { .. })
        ));
        assert!(matches!(replicate_threshold(&[1.0, 2.0], -1.0, 0.0, 0.05), Err(Refused::OutOfRange { .. })));
        assert!(matches!(
            replicate_threshold(&[1.0, 2.0], 0.0, f64::NAN, 0.05),
            Err(Refused::OutOfRange { .. })
        ));
        assert!(matches!(replicate_threshold(&[1.0, 2.0], 0.0, 0.0, 1.0), Err(Refused::OutOfRange { .. })));
    }
}
