//! The procedure of Benjamini and Hochberg, which controls the false discovery rate over many cells.

use crate::Refused;

/// Adjusts each of `p_values` (0 to 1); the result is in the same order.
///
/// Marking every adjusted p of at most q keeps the expected fraction of false marks among all marks at or
/// below q, for tests that are independent or positively dependent. With p₍₁₎ ≤ … ≤ p₍ₘ₎, the adjusted p₍ᵢ₎
/// is the minimum over j ≥ i of m·p₍ⱼ₎/j, at most 1. An empty slice gives an empty vector. Source: Benjamini
/// & Hochberg, "Controlling the false discovery rate", Journal of the Royal Statistical Society B 57 (1995).
///
/// # Errors
/// Fails with [`Refused::NotFinite`], and with [`Refused::OutOfRange`] for a p outside 0 to 1.
pub fn benjamini_hochberg(p_values: &[f64]) -> Result<Vec<f64>, Refused> {
    for (index, &value) in p_values.iter().enumerate() {
        if !value.is_finite() {
            return Err(Refused::NotFinite { index, value });
        }
        if !(0.0..=1.0).contains(&value) {
            return Err(Refused::OutOfRange { what: "a p-value", value, range: "from 0 to 1" });
        }
    }
    let mut descending: Vec<usize> = (0..p_values.len()).collect();
    descending.sort_by(|&a, &b| p_values[b].total_cmp(&p_values[a]));
    let mut adjusted = vec![1.0; p_values.len()];
    let mut lowest: f64 = 1.0;
    for (rank, index) in (1..=p_values.len()).rev().zip(descending) {
        let p = p_values[index];
        // Rounding must not make an adjusted p smaller than p.
        lowest = lowest.min((p * p_values.len() as f64 / rank as f64).max(p));
        adjusted[index] = lowest;
    }
    Ok(adjusted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Sorted 0.01, 0.02, 0.03, 0.5 times 4/1, 4/2, 4/3, 4/4: 0.04, 0.04, 0.04, 0.5.
        assert_eq!(benjamini_hochberg(&[0.02, 0.5, 0.01, 0.03]), Ok(vec![0.04, 0.5, 0.04, 0.04]));
        assert_eq!(benjamini_hochberg(&[0.3]), Ok(vec![0.3]));
        assert_eq!(benjamini_hochberg(&[0.9, 1.0, 0.0]), Ok(vec![1.0, 1.0, 0.0]));
        assert_eq!(benjamini_hochberg(&[]), Ok(vec![]));
    }

    #[test]
    fn awkward_values_are_refused() {
        assert!(matches!(benjamini_hochberg(&[0.1, f64::NAN]), Err(Refused::NotFinite { index: 1, .. })));
        for p in [-0.1, 1.1] {
            assert!(matches!(benjamini_hochberg(&[p]), Err(Refused::OutOfRange { .. })));
        }
    }
}
