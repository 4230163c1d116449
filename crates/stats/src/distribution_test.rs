//! Whether two samples can be of one distribution: the two-sample test of Kolmogorov and Smirnov.

use std::collections::BTreeMap;

/// How far two samples differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DistributionTest {
    /// The largest difference of the two empirical distribution functions, 0 to 1.
    pub distance: f64,
    /// A bound on the probability of such a distance or a larger one between two samples of one
    /// distribution; at most 1.
    pub p_value: f64,
}

/// Compares how often each value occurs in two samples, given as numbers of occurrences. `None` if one of
/// them is empty.
///
/// The bound is e · exp(−2 d² nm/(n + m)). Source: Wei & Dudley, "Two-sample Dvoretzky–Kiefer–Wolfowitz
/// inequalities", Statistics & Probability Letters 82 (2012): it holds for samples of equal size, of whatever
/// distribution, with ties too. For others it is the usual approximation.
pub fn distribution_test(one: &BTreeMap<u64, u32>, other: &BTreeMap<u64, u32>) -> Option<DistributionTest> {
    let size = |sample: &BTreeMap<u64, u32>| sample.values().map(|count| f64::from(*count)).sum::<f64>();
    let (n, m) = (size(one), size(other));
    if n == 0.0 || m == 0.0 {
        return None;
    }
    let mut values: Vec<u64> = one.keys().chain(other.keys()).copied().collect();
    values.sort_unstable();
    values.dedup();
    let (mut below_one, mut below_other, mut distance) = (0.0, 0.0, 0.0_f64);
    for value in values {
        let count = |sample: &BTreeMap<u64, u32>| sample.get(&value).map_or(0.0, |count| f64::from(*count));
        below_one += count(one) / n;
        below_other += count(other) / m;
        distance = distance.max(f64::abs(below_one - below_other));
    }
    let bound = std::f64::consts::E * (-2.0 * distance * distance * n * m / (n + m)).exp();
    Some(DistributionTest { distance, p_value: bound.min(1.0) })
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn sample(values: &[(u64, u32)]) -> BTreeMap<u64, u32> {
        values.iter().copied().collect()
    }

    #[test]
    fn the_distance_is_that_of_the_distribution_functions() {
        let (one, other) = (sample(&[(70, 1), (71, 2), (72, 1)]), sample(&[(71, 1), (72, 2), (73, 1)]));
        let test = distribution_test(&one, &other).unwrap();
        // At 71 three of four values lie below, and one of four.
        assert!((test.distance - 0.5).abs() < 1e-12);
        assert_eq!(test.p_value, 1.0);
        let same = distribution_test(&one, &one).unwrap();
        assert_eq!((same.distance, same.p_value), (0.0, 1.0));
        let apart = distribution_test(&sample(&[(5, 16)]), &sample(&[(6, 16)])).unwrap();
        assert!((apart.distance - 1.0).abs() < 1e-12);
        let expected = std::f64::consts::E * f64::exp(-16.0);
        assert!((apart.p_value - expected).abs() < 1e-15);
        assert_eq!(distribution_test(&one, &sample(&[])), None);
    }

    /// Lengths of ECDSA signatures, of which one in four has 70 bytes and one in four 72.
    #[test]
    fn a_shift_by_one_byte_is_found_and_none_is_found_where_there_is_none() {
        let mut random = rand_chacha::ChaCha8Rng::seed_from_u64(1);
        let mut draw = |shift: u64| {
            let mut drawn = BTreeMap::new();
            for _ in 0..128 {
                let value =
                    70 + shift + u64::from(random.random::<bool>()) + u64::from(random.random::<bool>());
                *drawn.entry(value).or_insert(0) += 1;
            }
            drawn
        };
        let tests = 2_000;
        let found = |shift: u64, draw: &mut dyn FnMut(u64) -> BTreeMap<u64, u32>| {
            let is_found = |_: &u32| distribution_test(&draw(0), &draw(shift)).unwrap().p_value <= 1e-6;
            (0..tests).filter(is_found).count()
        };
        assert_eq!(found(0, &mut draw), 0);
        let missed = tests as usize - found(1, &mut draw);
        assert!(missed < 20, "{missed} of {tests}");
    }
}
