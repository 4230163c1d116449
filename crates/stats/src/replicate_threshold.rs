//! From which difference on a count that is exact under replication is worth a flag.

use crate::effect_test::not_negative;
use crate::minimum_effect::standard_deviation;
use crate::refused::open_unit;
use crate::{Refused, student_quantile};

/// The threshold for |ln(B/A)| from the differences `d` of replicates with common seeds, in their unit.
///
/// max(`tau_min`, `bias` + t(1 − `alpha`/2, K − 1)·sd(d)/√K): what K replicates cannot tell from nothing, on
/// top of what relinking the same source does. The quantile is Student's, since K is small.
///
/// # Errors
/// [`Refused::TooFew`] below two replicates, [`Refused::NotFinite`], [`Refused::OutOfRange`] for a negative
/// `tau_min` or `bias` and for `alpha`.
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
