//! The sources of scatter between a cell's rounds, and the remedies.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_stats::{median, median_deviation, standard_deviation};

/// The standard deviation of a round's log ratio, and the part of it that slices explain.
///
/// A round is one process of each stack with one code layout and one placement of its memory, and its value
/// the median over pairs of slices. So `round`² is the variance between such processes plus `slices`², the
/// variance of that median (Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM 2013, for a
/// hierarchy of two levels).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Spread {
    /// Between rounds, all causes together.
    pub round: f64,
    /// Of a round's median, if its process could be measured again.
    pub slices: f64,
}

impl Spread {
    /// From the log ratios of rounds, and of each those of its slices. None with too few.
    pub fn of(rounds: &[f64], slices: &[Vec<f64>]) -> Option<Self> {
        let round = standard_deviation(rounds).ok()?;
        let variances: Vec<f64> = slices.iter().filter_map(|slices| variance_of_median(slices)).collect();
        if variances.is_empty() {
            return None;
        }
        // The median, because a disturbed round has slices that scatter many times as much.
        Some(Self { round, slices: median(&variances).ok()?.sqrt().min(round) })
    }

    /// The share of the variance that more slices would reduce.
    pub fn share_of_slices(self) -> f64 {
        if self.round > 0.0 { (self.slices / self.round).powi(2) } else { 0.0 }
    }
}

/// π/2 · σ²/n, with σ from the median distance to the median: a few disturbed slices move neither.
fn variance_of_median(values: &[f64]) -> Option<f64> {
    let deviation = median_deviation(values).ok()?;
    (values.len() >= FEWEST)
        .then(|| std::f64::consts::FRAC_PI_2 * deviation * deviation / values.len() as f64)
}

const FEWEST: usize = 4;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn worked_by_hand() {
        // Distances to the median 3: 2, 1, 0, 1, 2, with median 1: π/2 · 1.4826² / 5.
        let variance = variance_of_median(&[1.0, 2.0, 3.0, 4.0, 5.0]).unwrap();
        assert!((variance - 0.6906).abs() < 1e-4, "{variance}");
        assert_eq!(variance_of_median(&[1.0, 2.0, 3.0]), None);
    }

    #[test]
    fn what_rounds_share_is_not_the_slices() {
        // Slices that never differ: all of it is between processes.
        let spread = Spread::of(&[0.0, 1.0, 2.0], &[vec![0.0; 8], vec![1.0; 8], vec![2.0; 8]]).unwrap();
        assert_eq!((spread.round, spread.slices, spread.share_of_slices()), (1.0, 0.0, 0.0));
        // Slices that scatter far more than rounds do explain all of it and no more.
        let wild = vec![vec![-9.0, 9.0, -8.0, 8.0]; 3];
        assert_eq!(Spread::of(&[0.0, 1.0, 2.0], &wild).unwrap().share_of_slices(), 1.0);
        assert_eq!(Spread::of(&[0.0, 1.0], &[]), None);
    }
}
