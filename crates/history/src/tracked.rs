//! The scatter of a cell from one version to the next.

use tlslab_stats::student_quantile;

use crate::level::spread;

/// How many ratios, or versions, a threshold rests on at least.
pub const ENOUGH: usize = 10;

/// How far a ratio of two versions that were measured together may lie from 1, as |ln ratio|, before it
/// exceeds the scatter of `ratios`: those of earlier pairs of versions, as logarithms. None with fewer than
/// [`ENOUGH`].
///
/// t(1 − alpha/2, n)·σ·√(1 + 1/n) with σ = 1.4826 · median |ln ratio|, the robust spread around no change.
/// Most versions change nothing in most cells, so the few that do hardly move it.
pub fn ratio_threshold(ratios: &[f64], alpha: f64) -> Option<f64> {
    let finite: Vec<f64> = ratios.iter().copied().filter(|ratio| ratio.is_finite()).collect();
    let n = finite.len();
    if n < ENOUGH {
        return None;
    }
    let spread = spread(&finite, 0)?;
    Some(student_quantile(1.0 - alpha / 2.0, n as f64) * spread * (1.0 + 1.0 / n as f64).sqrt())
}

/// How far two neighbours in a series may lie apart, as |ln ratio|, before that exceeds its scatter: `levels`
/// are one logarithm for each version, in order. None with fewer than [`ENOUGH`] versions.
///
/// t(1 − alpha/2, n)·√2·σ·√(1 + 1/n), with n the number of versions between two others and σ =
/// 1.4826·√⅔·median |x − (before + after)/2| over them. A lasting change of the level increases at most two
/// of these distances, and a steady rise or fall none: a series of changes does not count as scatter. Source:
/// Gasser, Sroka and Jennen-Steinmetz, "Residual variance and residual pattern in nonlinear regression",
/// Biometrika 73 (1986), with the median for the mean of squares.
pub fn neighbour_threshold(levels: &[f64], alpha: f64) -> Option<f64> {
    if levels.len() < ENOUGH {
        return None;
    }
    let distance = |three: &[f64]| (three[1] - (three[0] + three[2]) / 2.0) * (2.0_f64 / 3.0).sqrt();
    let distances: Vec<f64> =
        levels.windows(3).map(distance).filter(|distance| distance.is_finite()).collect();
    let n = distances.len() as f64;
    let spread = spread(&distances, 0)?;
    Some(student_quantile(1.0 - alpha / 2.0, n) * std::f64::consts::SQRT_2 * spread * (1.0 + 1.0 / n).sqrt())
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
        // One real change of 30 % has no effect.
        ratios[5] = 0.3;
        assert!((ratio_threshold(&ratios, 0.01).unwrap() - expected).abs() < 1e-9);
    }

    #[test]
    fn too_short_a_history_has_none() {
        assert_eq!(ratio_threshold(&[0.001; ENOUGH - 1], 0.01), None);
        let mut ratios = [0.001; ENOUGH];
        ratios[0] = f64::NAN;
        assert_eq!(ratio_threshold(&ratios, 0.01), None);
    }

    #[test]
    fn versions_that_go_up_and_down_have_a_threshold_and_steps_have_none() {
        // Each distance is 0.01·√⅔; t(0.995, 8) = 3.35539; √2; √(1 + 1/8).
        let alternating: Vec<f64> = (0..10).map(|at| if at % 2 == 0 { 0.0 } else { 0.01 }).collect();
        let expected = 3.355_387_33
            * std::f64::consts::SQRT_2
            * 1.482_602_218_5
            * 0.01
            * (2.0_f64 / 3.0).sqrt()
            * 1.125_f64.sqrt();
        assert!((neighbour_threshold(&alternating, 0.01).unwrap() - expected).abs() < 1e-9);
        let step: Vec<f64> = (0..10).map(|at| if at < 5 { 0.0 } else { 0.17 }).collect();
        assert_eq!(neighbour_threshold(&step, 0.01), Some(0.0));
        let stairs: Vec<f64> = (0..10).map(|at| 0.01 * f64::from(at)).collect();
        assert!(neighbour_threshold(&stairs, 0.01).unwrap() < 1e-12);
        assert_eq!(neighbour_threshold(&stairs[1..], 0.01), None);
        assert_eq!(neighbour_threshold(&[f64::NEG_INFINITY; 10], 0.01), None, "counts of 0 tell nothing");
    }
}
