//! The level of a segment, and the scatter of its values around it.

use tlslab_stats::{hodges_lehmann, median};

/// The Hodges–Lehmann estimate of finite values, at least one.
pub(crate) fn level(logarithms: &[f64]) -> f64 {
    hodges_lehmann(logarithms).expect("a segment has values, and they are finite")
}

/// The standard deviation that `residuals` from `levels` estimated levels would have if they were normal;
/// none when there are no more residuals than levels.
///
/// 1.4826 times the median distance from 0, which outliers hardly move, times √(n/(n − levels)) for the
/// degrees of freedom of the levels. Source: Hampel, "The influence curve and its role in robust estimation",
/// Journal of the American Statistical Association 69 (1974).
pub(crate) fn spread(residuals: &[f64], levels: usize) -> Option<f64> {
    let free = residuals.len().checked_sub(levels).filter(|free| *free > 0)?;
    let distances: Vec<f64> = residuals.iter().map(|residual| residual.abs()).collect();
    let middle = median(&distances).expect("residuals are finite");
    Some(NORMAL_CONSISTENCY * middle * (residuals.len() as f64 / free as f64).sqrt())
}

/// 1/Φ⁻¹(¾).
const NORMAL_CONSISTENCY: f64 = 1.482_602_218_505_602;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        assert_eq!(level(&[1.0, 2.0, 4.0]), 2.25);
        // Distances 1, 1, 2, 3, 90: median 2; √(5/4).
        let spread_of_five = spread(&[-1.0, 2.0, 1.0, -3.0, 90.0], 1).unwrap();
        assert!((spread_of_five - 1.482_602_218_505_602 * 2.0 * 1.25_f64.sqrt()).abs() < 1e-12);
        assert_eq!(spread(&[0.0], 1), None);
        assert_eq!(spread(&[], 0), None);
    }
}
