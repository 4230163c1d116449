//! The slope of a straight line through points, by least squares.

use crate::Refused;

/// The slope of the least-squares line through `points` of (x, y), in the unit of y over that of x.
///
/// It is Σ(x − x̄)(y − ȳ) / Σ(x − x̄)² (Gauss's least squares; any textbook).
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are fewer than two points or all have the same x, and with
/// [`Refused::NotFinite`].
pub fn slope(points: &[(f64, f64)]) -> Result<f64, Refused> {
    for (index, (x, y)) in points.iter().enumerate() {
        if let Some(value) = [*x, *y].into_iter().find(|value| !value.is_finite()) {
            return Err(Refused::NotFinite { index, value });
        }
    }
    let too_few = |n| Refused::TooFew { n, needed: 2 };
    if points.len() < 2 {
        return Err(too_few(points.len()));
    }
    let n = points.len() as f64;
    let mean_x = points.iter().map(|(x, _)| x / n).sum::<f64>();
    let mean_y = points.iter().map(|(_, y)| y / n).sum::<f64>();
    let together: f64 = points.iter().map(|(x, y)| (x - mean_x) * (y - mean_y)).sum();
    let alone: f64 = points.iter().map(|(x, _)| (x - mean_x).powi(2)).sum();
    if alone == 0.0 {
        return Err(too_few(1));
    }
    Ok(together / alone)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Anscombe, "Graphs in statistical analysis", The American Statistician 27 (1973): all four sets have
    /// the slope 0.5 to three places. This is the first; R's `lm` gives 0.5000909.
    #[test]
    fn anscombes_first_set() {
        let x = [10.0, 8.0, 13.0, 9.0, 11.0, 14.0, 6.0, 4.0, 12.0, 7.0, 5.0];
        let y = [8.04, 6.95, 7.58, 8.81, 8.33, 9.96, 7.24, 4.26, 10.84, 4.82, 5.68];
        let points: Vec<(f64, f64)> = x.into_iter().zip(y).collect();
        assert!((slope(&points).unwrap() - 0.500_090_9).abs() < 5e-8);
    }

    #[test]
    fn worked_by_hand() {
        // Means 2 and 3; (−1)(−2) + 0 · 1 + 1 · 1 over 1 + 0 + 1.
        assert_eq!(slope(&[(1.0, 1.0), (2.0, 4.0), (3.0, 4.0)]), Ok(1.5));
        assert_eq!(slope(&[(100.0, 7.0), (1_000.0, 7.0), (10_000.0, 7.0)]), Ok(0.0));
    }

    #[test]
    fn what_has_no_slope_is_refused() {
        assert_eq!(slope(&[]), Err(Refused::TooFew { n: 0, needed: 2 }));
        assert_eq!(slope(&[(1.0, 1.0)]), Err(Refused::TooFew { n: 1, needed: 2 }));
        assert_eq!(slope(&[(1.0, 1.0), (1.0, 2.0)]), Err(Refused::TooFew { n: 1, needed: 2 }));
        assert!(matches!(slope(&[(1.0, 1.0), (f64::NAN, 2.0)]), Err(Refused::NotFinite { index: 1, .. })));
    }

    proptest! {
        #[test]
        fn a_line_has_its_own_slope(a in -1e6..1e6_f64, b in -1e6..1e6_f64) {
            let points: Vec<(f64, f64)> = [100.0, 1_000.0, 10_000.0].map(|x| (x, a + b * x)).into();
            prop_assert!((slope(&points).unwrap() - b).abs() <= 1e-6 * (1.0 + b.abs() + a.abs()));
        }
    }
}
