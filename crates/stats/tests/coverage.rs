//! Does the interval hold the truth as often as it says? Seeded simulations of 16 visits.
//!
//! Each count of hits is judged by its Clopper–Pearson interval at 99.9 %, so that a seed without luck does not fail.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tlslab_stats::{clopper_pearson, estimate, normal_quantile};

#[test]
fn normal_values() {
    covers(1, normal);
}

#[test]
fn heavy_tails_from_the_difference_of_two_skewed_times() {
    covers(2, |random| normal(random).exp() - normal(random).exp());
}

#[test]
fn a_few_visits_far_off_on_either_side() {
    covers(3, |random| normal(random) * if random.random::<f64>() < 0.1 { 50.0 } else { 1.0 });
}

/// Many values are equal here, as they are when a clock has coarse steps: the interval may only become safer.
#[test]
fn values_on_a_coarse_grid() {
    let (hits, confidence) = simulate(4, |random| normal(random).round());
    let interval = clopper_pearson(hits, TRIALS, 0.999).unwrap();
    assert!(interval.upper >= confidence, "{hits} hits");
}

/// For continuous symmetric values the achieved confidence is exact, so it must not be missed upwards either.
fn covers(seed: u64, draw: impl Fn(&mut ChaCha8Rng) -> f64) {
    let (hits, confidence) = simulate(seed, draw);
    let interval = clopper_pearson(hits, TRIALS, 0.999).unwrap();
    assert!(
        interval.lower <= confidence && confidence <= interval.upper,
        "{hits} hits of {TRIALS}: {interval:?}"
    );
}

/// How often the interval holds the centre, which is 0, and the confidence it claims.
fn simulate(seed: u64, draw: impl Fn(&mut ChaCha8Rng) -> f64) -> (u64, f64) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let mut hits = 0;
    let mut confidence = 0.0;
    for _ in 0..TRIALS {
        let values: Vec<f64> = (0..VISITS).map(|_| draw(&mut random)).collect();
        let estimate = estimate(&values, 0.95).unwrap();
        hits += u64::from(estimate.lower <= 0.0 && 0.0 <= estimate.upper);
        confidence = estimate.confidence;
    }
    assert!((0.95..0.96).contains(&confidence), "{confidence}");
    (hits, confidence)
}

/// The quantile of a uniform variable, kept off 0.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(random.random::<f64>().max(f64::EPSILON))
}

const VISITS: usize = 16;
const TRIALS: u64 = 20_000;
