//! Autocorrelation of a series. Correlated values carry less information than as many independent ones.

use crate::Refused;

/// The correlation of each value of `series` with the next, −1 to 1; 0 when all are equal.
///
/// Σ(xᵢ − x̄)(xᵢ₊₁ − x̄) / Σ(xᵢ − x̄)². Without autocorrelation it scatters around −1/n with a standard
/// deviation of about 1/√n. Source: Box & Jenkins, "Time series analysis: forecasting and control" (1970),
/// section 2.1.5.
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are fewer than three values, and with [`Refused::NotFinite`].
pub fn lag_one_autocorrelation(series: &[f64]) -> Result<f64, Refused> {
    if series.len() < 3 {
        return Err(Refused::TooFew { n: series.len(), needed: 3 });
    }
    if let Some((index, &value)) = series.iter().enumerate().find(|(_, value)| !value.is_finite()) {
        return Err(Refused::NotFinite { index, value });
    }
    if series.iter().all(|value| *value == series[0]) {
        return Ok(0.0);
    }
    let mean = series.iter().map(|value| value / series.len() as f64).sum::<f64>();
    let farthest = series.iter().map(|value| (value - mean).abs()).fold(0.0, f64::max);
    // Divided by the farthest, squares neither overflow nor vanish.
    let scaled: Vec<f64> = series.iter().map(|value| (value - mean) / farthest).collect();
    let together: f64 = scaled.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let alone: f64 = scaled.iter().map(|value| value * value).sum();
    Ok(if alone > 0.0 && alone.is_finite() { together / alone } else { 0.0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Around 3: −2, −1, 0, 1, 2: (2 + 0 + 0 + 2)/10.
        assert_eq!(lag_one_autocorrelation(&[1.0, 2.0, 3.0, 4.0, 5.0]), Ok(0.4));
        assert_eq!(lag_one_autocorrelation(&[1.0, -1.0, 1.0, -1.0]), Ok(-0.75));
        assert_eq!(lag_one_autocorrelation(&[0.1; 7]), Ok(0.0));
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(lag_one_autocorrelation(&[1.0, 2.0]), Err(Refused::TooFew { n: 2, needed: 3 }));
        let infinite = [1.0, f64::INFINITY, 2.0];
        assert!(matches!(lag_one_autocorrelation(&infinite), Err(Refused::NotFinite { index: 1, .. })));
    }
}
