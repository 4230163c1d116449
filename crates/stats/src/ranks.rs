//! Ranks, and the null distribution of a sum of randomly chosen ranks.
//!
//! Ranks are held doubled, so that the mean rank of tied values is a whole number and the counts stay exact.

use std::sync::OnceLock;

/// The exact null distribution is used up to this many values: more than the most rounds of a comparison,
/// including its confirmation.
pub const LARGEST_EXACT_N: usize = 128;

/// The doubled mid-ranks of `sorted`: equal neighbours share the mean of their places, which count from 1.
pub(crate) fn doubled_ranks(sorted: &[f64]) -> Vec<usize> {
    let mut ranks = Vec::with_capacity(sorted.len());
    for tied in sorted.chunk_by(|a, b| a == b) {
        let before = ranks.len();
        ranks.resize(before + tied.len(), 2 * before + tied.len() + 1);
    }
    ranks
}

/// The probability of each sum of `ranks`, from 0 to the sum of all, if each rank is included with
/// probability ½.
///
/// With a rank, the probabilities are half those without it plus half the same shifted by it. There are only
/// additions and halvings, so values above the smallest float are right to nearly the last digit, and exact
/// up to 53 ranks.
/// exactly.
pub(crate) fn coin_sums(ranks: &[usize]) -> Vec<f64> {
    let mut probabilities = vec![0.0; ranks.iter().sum::<usize>() + 1];
    probabilities[0] = 1.0;
    let mut reach = 0;
    for &rank in ranks {
        reach += rank;
        for sum in (rank..=reach).rev() {
            probabilities[sum] = 0.5 * (probabilities[sum] + probabilities[sum - rank]);
        }
        for probability in &mut probabilities[..rank.min(reach + 1)] {
            *probability *= 0.5;
        }
    }
    probabilities
}

/// P(T ≥ t) for t from 0 on, where T is the sum of those of the ranks 1 to n that are included with
/// probability ½; computed once for each n.
///
/// # Panics
/// Panics if n is above [`LARGEST_EXACT_N`].
pub(crate) fn untied_tails(n: usize) -> &'static [f64] {
    static TAILS: [OnceLock<Vec<f64>>; LARGEST_EXACT_N + 1] =
        [const { OnceLock::new() }; LARGEST_EXACT_N + 1];
    TAILS[n].get_or_init(|| tails(&(1..=n).collect::<Vec<usize>>()))
}

/// The same for any ranks. Summing from the smallest probability loses the least precision.
pub(crate) fn tails(ranks: &[usize]) -> Vec<f64> {
    let mut tails = coin_sums(ranks);
    let mut above = 0.0;
    for tail in tails.iter_mut().rev() {
        above += *tail;
        *tail = above;
    }
    tails
}

/// For each sum, from 0 to the sum of all, the number of ways to choose exactly `size` of `ranks`.
///
/// Needs at most 63 ranks and a `size` not above their number.
pub(crate) fn choices_by_sum(ranks: &[usize], size: usize) -> Vec<u64> {
    let highest = ranks.iter().sum::<usize>();
    let mut by_size = vec![vec![0_u64; highest + 1]; size + 1];
    by_size[0][0] = 1;
    let mut reach = 0;
    for (taken, &rank) in ranks.iter().enumerate() {
        reach += rank;
        for chosen in (1..=size.min(taken + 1)).rev() {
            let (smaller, larger) = by_size.split_at_mut(chosen);
            for (to, from) in larger[0][rank..=reach].iter_mut().zip(&smaller[chosen - 1]) {
                *to += from;
            }
        }
    }
    by_size.swap_remove(size)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Places 1, (2 + 3)/2 twice, 4, doubled.
        assert_eq!(doubled_ranks(&[0.5, 2.0, 2.0, 9.0]), [2, 5, 5, 8]);
        assert!(doubled_ranks(&[]).is_empty());
        // {}, {1}, {2}, {3} and {1, 2}, {1, 3}, {2, 3}, {1, 2, 3}.
        assert_eq!(coin_sums(&[1, 2, 3]), [0.125, 0.125, 0.125, 0.25, 0.125, 0.125, 0.125]);
        assert_eq!(tails(&[1, 2, 3]), [1.0, 0.875, 0.75, 0.625, 0.375, 0.25, 0.125]);
        assert_eq!(untied_tails(3), tails(&[1, 2, 3]));
        assert_eq!(choices_by_sum(&[1, 2, 3, 4], 2), [0, 0, 0, 1, 1, 2, 1, 1, 0, 0, 0]);
        assert_eq!(choices_by_sum(&[1, 2], 0), [1, 0, 0, 0]);
    }

    #[test]
    fn no_way_is_lost() {
        let ranks: Vec<usize> = (1..=60).collect();
        assert!((coin_sums(&ranks).iter().sum::<f64>() - 1.0).abs() < 1e-14);
        assert_eq!(choices_by_sum(&ranks, 30).iter().sum::<u64>(), 118_264_581_564_861_424, "60 over 30");
    }
}
