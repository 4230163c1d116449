//! Whether two samples of discrete values can be of one distribution.

use std::collections::BTreeMap;

/// A bound on the probability of a difference like this one, or a larger one, between two samples of one
/// distribution, 0 to 1. Samples are given as numbers of occurrences; `None` if one of them is empty.
///
/// Fisher's exact test compares how many values of each sample are at most v, and how many are v, for each v
/// that occurs; the smallest of the k probabilities counts k times (Bonferroni). So a shift is found, and a
/// value that occurs more often, with ties and samples of any size. Source: Fisher, "The Logic of Inductive
/// Inference", Journal of the Royal Statistical Society 98 (1935); both sides are the doubled smaller tail.
pub fn distribution_test(one: &BTreeMap<u64, u32>, other: &BTreeMap<u64, u32>) -> Option<f64> {
    let size = |sample: &BTreeMap<u64, u32>| sample.values().map(|count| u64::from(*count)).sum::<u64>();
    let (n, m) = (size(one), size(other));
    if n == 0 || m == 0 {
        return None;
    }
    let mut values: Vec<u64> = one.keys().chain(other.keys()).copied().collect();
    values.sort_unstable();
    values.dedup();
    let count = |sample: &BTreeMap<u64, u32>, value| u64::from(sample.get(&value).copied().unwrap_or(0));
    let (mut below_one, mut below_other, mut smallest) = (0, 0, 1.0_f64);
    for value in &values {
        let (in_one, in_other) = (count(one, *value), count(other, *value));
        below_one += in_one;
        below_other += in_other;
        smallest = smallest.min(fisher(in_one, n, in_other, m)).min(fisher(below_one, n, below_other, m));
    }
    Some((smallest * (2 * values.len()) as f64).min(1.0))
}

/// The two-sided probability of Fisher's exact test: `a` of `n` against `b` of `m`.
fn fisher(a: u64, n: u64, b: u64, m: u64) -> f64 {
    let hits = a + b;
    let observed = (ln_choose(n, a) + ln_choose(m, b) - ln_choose(n + m, hits)).exp();
    // From one number of hits in the first sample to the next one.
    let ratio = |k: u64| (n - k) as f64 * (hits - k) as f64 / ((k + 1) as f64 * (m + k + 1 - hits) as f64);
    let (lowest, highest) = (hits.saturating_sub(m), hits.min(n));
    let (mut lower, mut upper) = (observed, observed);
    let mut term = observed;
    for k in (lowest..a).rev() {
        term /= ratio(k);
        lower += term;
    }
    term = observed;
    for k in a..highest {
        term *= ratio(k);
        upper += term;
    }
    (2.0 * lower.min(upper)).min(1.0)
}

/// The logarithm of the number of ways to choose `k` of `n`.
fn ln_choose(n: u64, k: u64) -> f64 {
    (1..=k.min(n - k)).map(|i| ((n - k.min(n - k) + i) as f64 / i as f64).ln()).sum()
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};

    use super::*;

    fn sample(values: &[(u64, u32)]) -> BTreeMap<u64, u32> {
        values.iter().copied().collect()
    }

    #[test]
    fn the_exact_test_has_the_probabilities_of_its_table() {
        // Fisher's tea: 3 of 4 against 1 of 4 has 17 of 70 ways, 4 of 4 against none has one.
        assert!((fisher(3, 4, 1, 4) - 2.0 * 17.0 / 70.0).abs() < 1e-12);
        assert!((fisher(4, 4, 0, 4) - 2.0 / 70.0).abs() < 1e-12);
        assert!((fisher(0, 4, 4, 4) - 2.0 / 70.0).abs() < 1e-12);
        assert_eq!((fisher(2, 4, 2, 4), fisher(0, 4, 0, 9), fisher(4, 4, 9, 9)), (1.0, 1.0, 1.0));
    }

    #[test]
    fn values_are_compared_one_by_one_and_by_thresholds() {
        let apart = distribution_test(&sample(&[(5, 16)]), &sample(&[(6, 16)])).unwrap();
        let ways = 601_080_390.0;
        assert!((apart * ways / 8.0 - 1.0).abs() < 1e-9, "{apart}");
        let varies = sample(&[(70, 30), (71, 66), (72, 32)]);
        assert_eq!(distribution_test(&varies, &varies), Some(1.0));
        // The threshold functions hardly differ, the number of 71 does.
        assert!(distribution_test(&varies, &sample(&[(71, 128)])).unwrap() < 1e-12);
        assert_eq!(distribution_test(&varies, &sample(&[])), None);
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
            let is_found = |_: &u32| distribution_test(&draw(0), &draw(shift)).unwrap() <= 1e-6;
            (0..tests).filter(is_found).count()
        };
        assert_eq!(found(0, &mut draw), 0);
        let missed = tests as usize - found(1, &mut draw);
        assert!(missed < 20, "{missed} of {tests}");
    }
}
