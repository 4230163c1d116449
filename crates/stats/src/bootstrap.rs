//! Bootstrap intervals: a check of the signed-rank interval, which assumes symmetry and independence.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::Refused;
use crate::autocorrelation::lag_one_autocorrelation;
use crate::quantile::quantile_of_sorted;
use crate::refused::open_unit;
use crate::sorted::Sorted;

/// The interval of the Hodges–Lehmann estimate, from resampled values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BootstrapInterval {
    /// The number of values.
    pub n: usize,
    /// Lower bound, in the unit of the values.
    pub lower: f64,
    /// Upper bound, in the unit of the values.
    pub upper: f64,
    /// The block length: how many consecutive values were drawn together.
    pub block: usize,
}

/// The percentile interval of [`crate::hodges_lehmann`] if processes are resampled. `visits` has one value
/// per process, in any unit.
///
/// It is [`block_bootstrap`] with blocks of one. Source: Efron, "Bootstrap methods: another look at the
/// jackknife", Annals of Statistics 7 (1979).
///
/// # Errors
/// Fails as [`block_bootstrap`] does.
pub fn process_bootstrap(visits: &[f64], confidence: f64, seed: u64) -> Result<BootstrapInterval, Refused> {
    block_bootstrap(visits, 1, confidence, seed)
}

/// The percentile interval of [`crate::hodges_lehmann`] if blocks of `block` consecutive values of `series`
/// are resampled.
///
/// For values in time order that are autocorrelated; [`block_length`] computes how long blocks should be. The
/// series is closed to a circle, so that each value is drawn equally often. There are 2000 resamples from an
/// RNG with `seed`. The interval is too short below about 20 blocks, as all of its kind are. Source: Politis
/// & Romano, "A circular block-resampling procedure for stationary data", in "Exploring the limits of
/// bootstrap" (1992).
///
/// # Errors
/// Fails with [`Refused::TooFew`] if there are fewer than two values or two blocks, with
/// [`Refused::NotFinite`], and with [`Refused::OutOfRange`] for a `confidence` that is not between 0 and 1,
/// or a `block` of 0.
pub fn block_bootstrap(
    series: &[f64],
    block: usize,
    confidence: f64,
    seed: u64,
) -> Result<BootstrapInterval, Refused> {
    let tail = (1.0 - open_unit("confidence", confidence)?) / 2.0;
    if block == 0 {
        return Err(Refused::OutOfRange { what: "the block's length", value: 0.0, range: "at 1 or above" });
    }
    Sorted::at_least(2.max(block.saturating_mul(2)), series)?;
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut resample = Vec::with_capacity(series.len() + block);
    let mut walsh = Vec::new();
    let estimates: Vec<f64> = (0..RESAMPLES)
        .map(|_| {
            resample.clear();
            while resample.len() < series.len() {
                let start = random.random_range(0..series.len());
                resample.extend(series.iter().cycle().skip(start).take(block));
            }
            resample.truncate(series.len());
            centre(&resample, &mut walsh)
        })
        .collect();
    let estimates = Sorted::new(&estimates)?;
    let [lower, upper] = [tail, 1.0 - tail].map(|p| quantile_of_sorted(estimates.as_slice(), p));
    Ok(BootstrapInterval { n: series.len(), lower, upper, block })
}

/// The recommended block length for `series`: 1 if its [`lag_one_autocorrelation`] ρ is at most 0.1.
///
/// Above 0.1, it is (2ρ/(1 − ρ²))^⅔·n^⅓, rounded, at least 2 and at most a quarter of the series. Source:
/// statistic from a stationary sequence", Annals of Statistics 14 (1986), for autoregression of the first
/// order.
///
/// # Errors
/// Fails as [`lag_one_autocorrelation`] does.
pub fn block_length(series: &[f64]) -> Result<usize, Refused> {
    let follows = lag_one_autocorrelation(series)?;
    if follows <= NEGLIGIBLE_AUTOCORRELATION {
        return Ok(1);
    }
    let length = (2.0 * follows / (1.0 - follows * follows)).powf(2.0 / 3.0) * (series.len() as f64).cbrt();
    Ok((length.round() as usize).max(2).min((series.len() / 4).max(1)))
}

/// The Hodges–Lehmann estimate, without sorting all Walsh averages. `walsh` is scratch memory.
fn centre(values: &[f64], walsh: &mut Vec<f64>) -> f64 {
    walsh.clear();
    for (i, first) in values.iter().enumerate() {
        walsh.extend(values[i..].iter().map(|second| first.midpoint(*second)));
    }
    let upper = walsh.len() / 2;
    let even = walsh.len().is_multiple_of(2);
    let (below, &mut middle, _) = walsh.select_nth_unstable_by(upper, f64::total_cmp);
    if even { below.iter().copied().fold(f64::NEG_INFINITY, f64::max).midpoint(middle) } else { middle }
}

/// Up to this autocorrelation, values are treated as independent.
const NEGLIGIBLE_AUTOCORRELATION: f64 = 0.1;

const RESAMPLES: usize = 2000;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hodges_lehmann;

    #[test]
    fn the_centre_is_that_of_hodges_and_lehmann() {
        for n in 1..30 {
            let values: Vec<f64> = (0..n).map(|i| f64::from(i * i * 7919 % 101)).collect();
            assert_eq!(Ok(centre(&values, &mut Vec::new())), hodges_lehmann(&values));
        }
    }

    #[test]
    fn worked_by_hand() {
        // Two of the blocks 00, 01, 11 and 10: only zeros come with probability 1/16, only ones with 1/16, so 5 % lie at or
        // below 0 and 5 % at or above 1.
        let interval = block_bootstrap(&[0.0, 0.0, 1.0, 1.0], 2, 0.9, 1).unwrap();
        assert_eq!(interval, BootstrapInterval { n: 4, lower: 0.0, upper: 1.0, block: 2 });
        assert_eq!(process_bootstrap(&[0.3; 9], 0.99, 1).unwrap().upper, 0.3);
    }

    #[test]
    fn the_seed_decides() {
        let values: Vec<f64> = (0..40).map(|i| f64::from(i * 37 % 41).sqrt()).collect();
        let of = |seed| block_bootstrap(&values, 3, 0.95, seed).unwrap();
        assert_eq!(of(5), of(5));
        assert_ne!(of(5), of(6));
    }

    #[test]
    fn blocks_grow_with_what_neighbours_share() {
        let alternating: Vec<f64> = (0..100).map(|i| f64::from(i % 2)).collect();
        assert_eq!(block_length(&alternating), Ok(1));
        // In runs of five, ρ is about 0.6: (1.2/0.64)^⅔ · 100^⅓ = 1.52 · 4.64 = 7.
        let runs: Vec<f64> = (0..100).map(|i| f64::from(i / 5 % 2)).collect();
        assert_eq!(block_length(&runs), Ok(7));
        assert_eq!(block_length(&[1.0, 1.0, 2.0, 2.0]), Ok(1), "no more than a quarter");
        let rising: Vec<f64> = (0..100).map(f64::from).collect();
        assert_eq!(block_length(&rising), Ok(25));
    }

    #[test]
    fn awkward_values_are_refused() {
        assert_eq!(process_bootstrap(&[1.0], 0.9, 0), Err(Refused::TooFew { n: 1, needed: 2 }));
        assert_eq!(block_bootstrap(&[1.0; 5], 3, 0.9, 0), Err(Refused::TooFew { n: 5, needed: 6 }));
        assert!(matches!(block_bootstrap(&[1.0; 5], 0, 0.9, 0), Err(Refused::OutOfRange { .. })));
        assert!(matches!(process_bootstrap(&[1.0, f64::NAN], 0.9, 0), Err(Refused::NotFinite { .. })));
        assert!(matches!(process_bootstrap(&[1.0, 2.0], 1.0, 0), Err(Refused::OutOfRange { .. })));
    }
}
