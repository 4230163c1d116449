//! The Walsh averages: the n(n+1)/2 means (xᵢ + xⱼ)/2 with i ≤ j, each value with itself included.
//!
//! The Hodges–Lehmann estimate is their median, and the bounds of the signed-rank interval are two of them,
//! so both use the same sorted list. Its size is quadratic: suited to a few hundred values (500 make 1 MB).

/// All Walsh averages of `values`, ascending.
pub(crate) fn walsh_averages(values: &[f64]) -> Vec<f64> {
    let mut averages = Vec::with_capacity(values.len() * (values.len() + 1) / 2);
    for (i, &first) in values.iter().enumerate() {
        averages.extend(values[i..].iter().map(|&second| first.midpoint(second)));
    }
    averages.sort_unstable_by(f64::total_cmp);
    averages
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        assert_eq!(walsh_averages(&[1.0, 2.0, 4.0]), [1.0, 1.5, 2.0, 2.5, 3.0, 4.0]);
        assert!(walsh_averages(&[]).is_empty());
    }
}
