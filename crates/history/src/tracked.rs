//! How far a cell varies from one version to the next.

use tlslab_stats::student_quantile;

use crate::level::spread;

/// How many ratios a threshold rests on at least.
pub const ENOUGH: usize = 10;

/// How far a ratio of two versions that were measured together may lie from 1, as |ln ratio|, before it stands out among `ratios`: those
/// of earlier pairs of versions, as logarithms. None where there are fewer than [`ENOUGH`].
///
/// t(1 − alpha/2, n)·σ·√(1 + 1/n) with σ = 1.4826 · median |ln ratio|, the robust spread around no change. Most versions change nothing in
/// most cells, so the few that do hardly move it.
pub fn ratio_threshold(ratios: &[f64], alpha: f64) -> Option<f64> {
    threshold_of(ratios, alpha, ENOUGH)
}

/// The same of ratios between the points of a series, from at least this many: ten points have nine ratios, and five if each version is
/// there twice.
pub fn threshold_of(ratios: &[f64], alpha: f64, least: usize) -> Option<f64> {
    let finite: Vec<f64> = ratios.iter().copied().filter(|ratio| ratio.is_finite()).collect();
    let n = finite.len();
    if n < least.max(1) {
        return None;
    }
    let spread = spread(&finite, 0)?;
    Some(student_quantile(1.0 - alpha / 2.0, n as f64) * spread * (1.0 + 1.0 / n as f64).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Median distance 0.002; t(0.995, 10) = 3.16927.
        let mut ratios = [0.002; 10];
        ratios[3] = -0.002;
        let expected = 3.169_272_67 * 1.482_602_218_5 * 0.002 * 1.1_f64.sqrt();
        assert!((ratio_threshold(&ratios, 0.01).unwrap() - expected).abs() < 1e-9);
        // One real change of 30 % moves nothing.
        ratios[5] = 0.3;
        assert!((ratio_threshold(&ratios, 0.01).unwrap() - expected).abs() < 1e-9);
    }

    #[test]
    fn too_short_a_history_has_none() {
        assert_eq!(ratio_threshold(&[0.001; ENOUGH - 1], 0.01), None);
        let mut ratios = [0.001; ENOUGH];
        ratios[0] = f64::NAN;
        assert_eq!(ratio_threshold(&ratios, 0.01), None);
        assert_eq!(threshold_of(&[0.001; 4], 0.01, 5), None);
        assert!(threshold_of(&[0.001; 5], 0.01, 5) > ratio_threshold(&[0.001; 10], 0.01), "fewer tell less");
    }
}
