//! Candidates that one run measured in turns: their ratios, work by work, and those of whole mixes.

use serde::{Deserialize, Serialize};
use tlslab_estimate::PairRatio;
use tlslab_protocol::Side;

use crate::candidate::Candidate;
use crate::mix::Mix;

/// The time of a candidate over that of another for a piece of work, measured in turns of one run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Pair {
    /// The work, as costs name it.
    pub work: String,
    /// The side.
    pub side: Side,
    /// The candidates by their places: the first over the second.
    pub of: [usize; 2],
    /// The ratio.
    #[serde(flatten)]
    pub ratio: PairRatio,
}

/// The total of a candidate over that of another, both by their places, if every part of the mix was measured
/// of both in turns of one run.
///
/// A total is Σ tᵢ·xᵢ, with tᵢ the number of times that a connection has a part and xᵢ its cost. With rᵢ =
/// xᵢ/yᵢ and aᵢ = tᵢ·yᵢ the ratio of two totals is Σ aᵢ·rᵢ / Σ aᵢ: the mean of the ratios of the parts, each
/// weighted by the part's cost for the other candidate. It rises in each rᵢ; in each aᵢ alone it is (c +
/// aᵢ·rᵢ)/(d + aᵢ), which is monotonic. So it is largest and smallest at ends of the intervals: those of all
/// rᵢ at once, and some choice of those of the aᵢ, all of which are tried. If all intervals contain their
/// true values, so does this one; with k parts and intervals of confidence 1 − α the probability of that is
/// at least 1 − 2kα (Bonferroni), and 1 − α with one part, whose weight is 1.
pub(crate) fn ratio_of_totals(
    mix: &Mix,
    candidates: &[Candidate],
    pairs: &[Pair],
    of: [usize; 2],
) -> Option<PairRatio> {
    let mut parts = Vec::new();
    for (work, times) in mix.parts() {
        let ratio = pair(pairs, work.name(), mix.side, of)?;
        let cost = candidates[of[1]].cost(&work, mix.side, &mix.metric).ok()?;
        let ends = [cost.lower, cost.upper].map(|end| times * end.unwrap_or(cost.value));
        parts.push((ratio, times * cost.value, ends));
    }
    let mean = |value: &dyn Fn(&PairRatio) -> f64, weight: &dyn Fn(usize) -> f64| {
        let sum: f64 = (0..parts.len()).map(|at| weight(at) * value(&parts[at].0)).sum();
        sum / (0..parts.len()).map(weight).sum::<f64>()
    };
    let best = |at: usize| parts[at].1;
    // Every choice of an end for each weight: there are at most three parts.
    let corners = (0..1_usize << parts.len()).map(|choice| move |at: usize| (choice >> at) & 1);
    let (mut lower, mut upper) = (f64::INFINITY, f64::NEG_INFINITY);
    for end in corners {
        let weight = |at: usize| parts[at].2[end(at)];
        lower = lower.min(mean(&|ratio| ratio.lower, &weight));
        upper = upper.max(mean(&|ratio| ratio.upper, &weight));
    }
    let (ratio, floor) = (mean(&|ratio| ratio.ratio, &best), mean(&|ratio| ratio.floor, &best));
    (!parts.is_empty()).then_some(PairRatio { ratio, lower, upper, floor })
}

/// A ratio in either direction.
fn pair(pairs: &[Pair], work: &str, side: Side, of: [usize; 2]) -> Option<PairRatio> {
    let is_of = |pair: &&Pair| pair.work == work && pair.side == side;
    pairs.iter().filter(is_of).find_map(|pair| match pair.of {
        known if known == of => Some(pair.ratio),
        [one, other] if [other, one] == of => Some(pair.ratio.turned_round()),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use tlslab_estimate::Quantity;

    use super::*;
    use crate::candidate::Cost;
    use crate::mix::profiles;

    fn candidate(costs: &[(&str, f64)]) -> Candidate {
        let cost = |(work, value): &(&str, f64)| Cost {
            work: (*work).to_owned(),
            side: Side::Server,
            metric: "time".to_owned(),
            figure: Some(Quantity {
                value: *value,
                lower: Some(value * 0.96),
                upper: Some(value * 1.04),
                unit: "µs".to_owned(),
            }),
            hole: String::new(),
            source: None,
        };
        Candidate { costs: costs.iter().map(cost).collect(), ..Candidate::default() }
    }

    fn measured(work: &str, ratio: f64) -> Pair {
        let ratio = PairRatio { ratio, lower: ratio - 0.01, upper: ratio + 0.01, floor: 0.002 };
        Pair { work: work.to_owned(), side: Side::Server, of: [0, 1], ratio }
    }

    #[test]
    fn the_ratio_of_totals_is_the_weighted_mean_of_the_ratios_of_the_parts() {
        // 0.5 · full + 0.5 · resumed + 1 · record
        let mix = Mix { resumed: 0.5, bytes: 16_384.0, ..profiles().remove(0) };
        let first = candidate(&[("ecdsa-p256 x25519", 90.0), ("resumed", 40.0), ("send", 5.0)]);
        let other = candidate(&[("ecdsa-p256 x25519", 100.0), ("resumed", 40.0), ("send", 4.0)]);
        let pairs = [measured("ecdsa-p256 x25519", 0.9), measured("resumed", 1.0), measured("send", 1.25)];
        let both = [first, other];
        let found = ratio_of_totals(&mix, &both, &pairs, [0, 1]).unwrap();
        // (50 · 0.9 + 20 · 1 + 4 · 1.25) / 74
        assert!((found.ratio - 70.0 / 74.0).abs() < 1e-12, "{found:?}");
        assert!((found.floor - 0.002).abs() < 1e-12);
        // Lowest with the least weight on ratios above the mean: 52 · 0.89, 19.2 · 0.99, 3.84 · 1.24.
        let lowest = (52.0 * 0.89 + 19.2 * 0.99 + 3.84 * 1.24) / (52.0 + 19.2 + 3.84);
        let highest = (48.0 * 0.91 + 20.8 * 1.01 + 4.16 * 1.26) / (48.0 + 20.8 + 4.16);
        assert!((found.lower - lowest).abs() < 1e-12 && (found.upper - highest).abs() < 1e-12, "{found:?}");
        // The bounds of the totals do not show it: they reach from 67.2 to 72.8 and from 71.04 to 76.96.
        assert!(found.is_less());
        let turned = ratio_of_totals(&mix, &both, &pairs, [1, 0]).unwrap();
        assert!(turned.lower > 1.0 && (turned.ratio - 74.0 / 70.0).abs() < 1e-2, "{turned:?}");
        assert_eq!(
            ratio_of_totals(&mix, &both, &pairs[..2], [0, 1]),
            None,
            "one part was not measured of both"
        );
        // With one part it is that of the part.
        let bulk = Mix { resumed: 1.0, bytes: 0.0, ..mix };
        let one = ratio_of_totals(&bulk, &both, &pairs, [0, 1]).unwrap();
        assert!((one.lower - 0.99).abs() < 1e-12 && (one.upper - 1.01).abs() < 1e-12);
    }
}
