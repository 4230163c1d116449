//! Medians of logarithms, and how far values lie from them.

/// The standard deviation of a normal distribution over its median absolute deviation.
const NORMAL: f64 = 1.4826;

/// The middle of some values; none of none.
pub fn middle(values: &[f64]) -> Option<f64> {
    tlslab_stats::median(values).ok()
}

/// The median absolute deviation from the middle, scaled so that it is the standard deviation of normal values.
pub fn spread(values: &[f64]) -> Option<f64> {
    let middle = middle(values)?;
    let distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    Some(NORMAL * self::middle(&distances)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_far_value_moves_neither() {
        let values = [1.0, 2.0, 3.0, 4.0, 1000.0];
        assert_eq!(middle(&values), Some(3.0));
        // The distances are 2, 1, 0, 1, 997.
        assert_eq!(spread(&values), Some(NORMAL));
        assert_eq!(middle(&[]), None);
    }
}
