//! E-divisive: the places at which the distribution of a series changes, whatever its distribution.
//!
//! The energy distance between the values before and after a place is largest at a change. A permutation test
//! on shuffled series decides whether it is significant. Source: Matteson & James, "A nonparametric approach
//! for multiple change point analysis of multivariate data", Journal of the American Statistical Association
//! 109 (2014), with exponent 1.

use rand::seq::SliceRandom;
use rand_chacha::ChaCha8Rng;

use crate::Options;

/// A place at which the series is cut, and its p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    /// The place of the first value after it, counted from 0.
    pub at: usize,
    /// The probability of so clear a cut in a series without a change.
    pub p_value: f64,
}

/// The cuts of `series`, ascending.
///
/// The clearest cut of all segments is tested first; while cuts are significant, they stay and both their
/// sides become segments. Time grows with the square of the number of values: a few milliseconds for 200. A
/// cut has to persist: the series without its last `options.persistence` values must have it, too, at ten
/// times alpha, as fewer values have less power.
pub(crate) fn cuts(series: &[f64], options: &Options, random: &mut ChaCha8Rng) -> Vec<Cut> {
    let mut cuts = all_cuts(series, options, random);
    if cuts.is_empty() || options.persistence == 0 {
        return cuts;
    }
    let earlier = series.len().saturating_sub(options.persistence);
    let looser = Options { alpha: (options.alpha * LOOSER).min(0.5), ..*options };
    let before = all_cuts(&series[..earlier], &looser, random);
    cuts.retain(|cut| before.iter().any(|known| known.at.abs_diff(cut.at) < options.minimum_segment));
    cuts
}

fn all_cuts(series: &[f64], options: &Options, random: &mut ChaCha8Rng) -> Vec<Cut> {
    let mut cuts: Vec<Cut> = Vec::new();
    loop {
        let edges = edges(series.len(), &cuts);
        let found = edges.windows(2).filter_map(|edge| {
            clearest(&series[edge[0]..edge[1]], options.minimum_segment)
                .map(|(at, clear)| (edge[0] + at, clear))
        });
        let Some((at, clear)) = found.max_by(|a, b| a.1.total_cmp(&b.1)) else { break };
        let Some(p_value) = significance(series, &edges, clear, options, random) else { break };
        // Random order puts exactly these values before the cut once in so many orders.
        let edge = edges.partition_point(|edge| *edge <= at);
        let p_value = p_value.max(1.0 / arrangements(edges[edge] - edges[edge - 1], at - edges[edge - 1]));
        if p_value > options.alpha {
            break;
        }
        let place = cuts.partition_point(|cut| cut.at < at);
        cuts.insert(place, Cut { at, p_value });
    }
    cuts
}

/// In how many ways `chosen` of `n` values can be chosen.
pub(crate) fn arrangements(n: usize, chosen: usize) -> f64 {
    (1..=chosen.min(n - chosen)).map(|k| (n + 1 - k) as f64 / k as f64).product()
}

fn edges(n: usize, cuts: &[Cut]) -> Vec<usize> {
    std::iter::once(0).chain(cuts.iter().map(|cut| cut.at)).chain([n]).collect()
}

/// The p-value of a cut as clear as `clear` when the values within each segment come in random order. None
/// above alpha: that is known as soon as too many permutations have exceeded the statistic. Below the
/// resolution of the permutations it is that of the [`tail`].
fn significance(
    series: &[f64],
    edges: &[usize],
    clear: f64,
    options: &Options,
    random: &mut ChaCha8Rng,
) -> Option<f64> {
    let allowed = options.allowed_exceedances();
    let mut shuffled = series.to_vec();
    let mut room = Room::for_values(series.len());
    let mut exceeding = 0;
    let mut by_chance = Vec::with_capacity(options.permutations);
    for _ in 0..options.permutations {
        let clearest = edges.windows(2).fold(0.0, |most, edge| {
            let segment = &mut shuffled[edge[0]..edge[1]];
            segment.shuffle(random);
            room.clearest(segment, options.minimum_segment).map_or(most, |(_, other)| other.max(most))
        });
        exceeding += usize::from(clearest >= clear * (1.0 - ROUNDING_SLACK));
        if exceeding > allowed {
            return None;
        }
        by_chance.push(clearest);
    }
    let resolved = (1 + exceeding) as f64 / (1 + options.permutations) as f64;
    let p = if exceeding > RESOLVED { resolved } else { tail(&mut by_chance, clear).unwrap_or(resolved) };
    (p <= options.alpha).then_some(p)
}

/// The probability of a value at least as large as `value`, by an exponential tail through the largest tenth
/// of `by_chance`: the share of those times exp(−(value − threshold)/mean excess). None if there are too few
/// of them, or none lies above the threshold.
///
/// The tail of a generalised Pareto distribution with shape 0, which is heavier than that of a statistic with
/// an upper bound. Source: Knijnenburg et al., "Fewer permutations, more accurate P-values", Bioinformatics
/// 25 (2009).
fn tail(by_chance: &mut [f64], value: f64) -> Option<f64> {
    let n = by_chance.len();
    let largest = n / 10;
    if largest < LEAST_TAIL {
        return None;
    }
    by_chance.sort_by(|a, b| b.total_cmp(a));
    let threshold = f64::midpoint(by_chance[largest - 1], by_chance[largest]);
    let excess: f64 =
        by_chance[..largest].iter().map(|value| value - threshold).sum::<f64>() / largest as f64;
    if excess <= 0.0 || value <= threshold {
        return None;
    }
    Some(largest as f64 / n as f64 * (-(value - threshold) / excess).exp())
}

/// By how much alpha is larger without the last values.
pub(crate) const LOOSER: f64 = 10.0;
/// With so many exceeding permutations their share is more precise than the tail.
const RESOLVED: usize = 10;
/// From how many values a tail is estimated at least.
const LEAST_TAIL: usize = 50;

/// The place of the clearest cut of `segment` and its statistic; none if the segment is too short or all
/// values are equal.
///
/// The statistic for a cut at τ is, over the ends κ of the values after it, the largest mn/(m + n) times the
/// energy distance 2·E|X − Y| − E|X − X′| − E|Y − Y′| between X, the m values before τ, and Y, the n values
/// from τ to κ: a series that returns later does not hide a change.
fn clearest(segment: &[f64], least: usize) -> Option<(usize, f64)> {
    Room::for_values(segment.len()).clearest(segment, least)
}

/// Data for the search of the clearest cut, made once for all shuffles of a series.
struct Room {
    /// At τ: for each j the sum of |xᵢ − xⱼ| over i < τ, for j < τ also those i between j and τ.
    from_before: Vec<f64>,
    /// For each j the sum of |xᵢ − xⱼ| over i < j.
    from_all: Vec<f64>,
    /// 1/n, and 2/(n − 1): division takes longer than all else.
    inverse: Vec<f64>,
    per_pair: Vec<f64>,
}

impl Room {
    fn for_values(count: usize) -> Self {
        let inverse = (0..=count).map(|n| 1.0 / n.max(1) as f64).collect();
        let per_pair = (0..=count).map(|n| if n < 2 { 0.0 } else { 2.0 / (n - 1) as f64 }).collect();
        Self { from_before: vec![0.0; count], from_all: vec![0.0; count], inverse, per_pair }
    }

    fn clearest(&mut self, segment: &[f64], least: usize) -> Option<(usize, f64)> {
        let count = segment.len();
        let (from_before, from_all) = (&mut self.from_before[..count], &mut self.from_all[..count]);
        from_before.fill(0.0);
        from_all.fill(0.0);
        // Row by row, which a processor does several at once.
        for (i, value) in segment.iter().enumerate() {
            for (sum, other) in from_all[i + 1..].iter_mut().zip(&segment[i + 1..]) {
                *sum += (other - value).abs();
            }
        }
        let mut best: Option<(usize, f64)> = None;
        let mut within_before = 0.0;
        for cut in 1..count {
            let newest = segment[cut - 1];
            within_before += from_all[cut - 1];
            for (sum, value) in from_before[cut..].iter_mut().zip(&segment[cut..]) {
                *sum += (value - newest).abs();
            }
            if cut < least {
                continue;
            }
            // mn/(m + n) times the distance: (2·between − n·2/(m − 1)·within before − m·2/(n − 1)·within after)/(m + n).
            let m = cut as f64;
            let of_before = self.per_pair[cut] * within_before;
            let enough = best.map_or(0.0, |(_, other)| other * (1.0 + ROUNDING_SLACK));
            let (mut between, mut within_after, mut most) = (0.0, 0.0, enough);
            for (n, end) in (1..).zip(cut..count) {
                between += from_before[end];
                within_after += from_all[end] - from_before[end];
                if n < least {
                    continue;
                }
                let of_after = m * self.per_pair[n] * within_after;
                let clear = (2.0 * between - n as f64 * of_before - of_after) * self.inverse[cut + n];
                if clear > most {
                    most = clear * (1.0 + ROUNDING_SLACK);
                    best = Some((cut, clear));
                }
            }
        }
        best
    }
}

/// Shuffled ties must count as ties whatever the order in which they were added.
const ROUNDING_SLACK: f64 = 1e-9;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tested::TESTED;
    use rand::{RngExt, SeedableRng};

    fn distances(values: &[f64], from: f64) -> f64 {
        values.iter().map(|value| (value - from).abs()).sum()
    }

    /// Straight from the definition.
    fn by_definition(segment: &[f64], cut: usize, end: usize) -> f64 {
        let mean = |a: &[f64], b: &[f64]| {
            let sum: f64 = a.iter().map(|value| distances(b, *value)).sum();
            sum / (a.len() * b.len()) as f64
        };
        let unbiased = |a: &[f64]| mean(a, a) * a.len() as f64 / (a.len() as f64 - 1.0).max(1.0);
        let (x, y) = (&segment[..cut], &segment[cut..end]);
        let (m, n) = (x.len() as f64, y.len() as f64);
        m * n / (m + n) * (2.0 * mean(x, y) - unbiased(x) - unbiased(y))
    }

    #[test]
    fn worked_by_hand() {
        // 0 0 | 3 3: 2 · 2/4 · (2 · 3 − 0 − 0) = 6.
        assert_eq!(clearest(&[0.0, 0.0, 3.0, 3.0], 2), Some((2, 6.0)));
        assert_eq!(clearest(&[0.0, 0.0, 3.0], 2), None, "too short");
        assert_eq!(clearest(&[4.0; 9], 2), None, "no distance");
    }

    #[test]
    fn the_sums_that_are_carried_along_are_those_of_the_definition() {
        let segment: Vec<f64> = (0..17).map(|i| f64::from(i * i * 31 % 23)).collect();
        let mut best = (0, 0.0);
        for cut in 3..=14 {
            for end in cut + 3..=17 {
                let clear = by_definition(&segment, cut, end);
                best = if clear > best.1 { (cut, clear) } else { best };
            }
        }
        let (cut, clear) = clearest(&segment, 3).unwrap();
        assert_eq!(cut, best.0);
        assert!((clear - best.1).abs() < 1e-12, "{clear} {}", best.1);
    }

    #[test]
    fn steps_are_cut_where_they_are() {
        let series: Vec<f64> =
            (0..60).map(|i| f64::from(i / 20 % 2) + 0.01 * f64::from(i * 7 % 11)).collect();
        let cuts = cuts(&series, &TESTED, &mut ChaCha8Rng::seed_from_u64(1));
        assert_eq!(cuts.iter().map(|cut| cut.at).collect::<Vec<usize>>(), [20, 40]);
        assert!(cuts.iter().all(|cut| cut.p_value <= 0.001));
    }

    #[test]
    fn too_few_values_are_never_cut() {
        // Of the 20 ways to choose three of six, two are as clear: random order does that too often.
        let series = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0];
        assert!(cuts(&series, &TESTED, &mut ChaCha8Rng::seed_from_u64(1)).is_empty());
        assert!(cuts(&[], &TESTED, &mut ChaCha8Rng::seed_from_u64(1)).is_empty());
    }

    #[test]
    fn a_tail_continues_what_permutations_show() {
        // Of an exponential distribution with mean 2: P(X > 20) = exp(−10).
        let mut random = ChaCha8Rng::seed_from_u64(5);
        let mut drawn: Vec<f64> = (0..20_000).map(|_| -2.0 * (1.0 - random.random::<f64>()).ln()).collect();
        let p = tail(&mut drawn, 20.0).unwrap();
        assert!((p.ln() + 10.0).abs() < 0.6, "{p}");
        assert_eq!(tail(&mut [1.0; 2000], 3.0), None, "no tail");
        assert_eq!(tail(&mut [1.0, 2.0, 3.0], 9.0), None, "too few");
    }

    #[test]
    fn no_p_lies_below_what_orders_allow() {
        assert_eq!((arrangements(14, 7), arrangements(6, 2), arrangements(5, 5)), (3432.0, 15.0, 1.0));
        let series: Vec<f64> = (0..14).map(|i| f64::from(i / 7) + 0.001 * f64::from(i * 5 % 7)).collect();
        let options = Options { alpha: 0.001, persistence: 0, ..TESTED };
        let found = cuts(&series, &options, &mut ChaCha8Rng::seed_from_u64(1));
        assert!(found[0].p_value >= 1.0 / 3432.0, "{found:?}");
    }

    #[test]
    fn a_change_has_to_persist() {
        // Three values of the new level are enough to see it, and with one less it was not to be seen.
        let series = |after: usize| -> Vec<f64> {
            (0..30 + after).map(|i| f64::from(i >= 30) + 0.01 * (i as f64 * 7.0 % 11.0)).collect()
        };
        let found = |after: usize, persistence: usize| {
            let options = Options { alpha: 0.001, persistence, ..TESTED };
            cuts(&series(after), &options, &mut ChaCha8Rng::seed_from_u64(1)).len()
        };
        assert_eq!((found(3, 0), found(3, 1), found(4, 1), found(4, 2)), (1, 0, 1, 0));
    }
}
