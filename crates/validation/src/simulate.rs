//! The shipped rule on simulated rounds with known truth: noise of several kinds, and changes of the
//! detectable size.

use std::collections::BTreeMap;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tlslab_comparison::{CellRounds, TimeRule};
use tlslab_record::Rounds;
use tlslab_stats::normal_quantile;

use crate::replay::Replayed;

/// The prefix of the source of simulated rounds.
pub(super) const SIMULATED: &str = "simulated: ";
/// Cells of a simulated job: as many as the suite of comparisons has.
const CELLS: usize = 16;
/// How rounds scatter, a standard deviation as a share.
const DEVIATION: f64 = 0.006;

/// One value after the other.
type Draw = fn(&mut ChaCha8Rng, usize) -> Vec<f64>;

/// Noise with a name.
const NOISE: [(&str, Draw); 6] = [
    ("normal", |random, n| (0..n).map(|_| normal(random)).collect()),
    ("Student's t, 3 degrees of freedom", |random, n| {
        let one = |random: &mut ChaCha8Rng| {
            let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
            normal(random) / (squares / 3.0).sqrt()
        };
        (0..n).map(|_| one(random)).collect()
    }),
    ("both programs in two modes, 30 % of processes slow", |random, n| {
        let one = |random: &mut ChaCha8Rng| {
            let mode = if random.random_bool(0.3) { 5.0 } else { 0.0 };
            mode + 0.5 * normal(random)
        };
        (0..n).map(|_| one(random) - one(random)).collect()
    }),
    ("bursts that hit one program in a quarter of rounds", |random, n| {
        let burst = |random: &mut ChaCha8Rng| {
            if random.random_bool(0.25) { random.random_range(0.0..4.0) } else { 0.0 }
        };
        (0..n).map(|_| 0.5 * normal(random) + burst(random) - burst(random)).collect()
    }),
    ("each round resembles the one before, correlation 0.3", |random, n| following(random, n, 0.3)),
    ("each round resembles the one before, correlation 0.6", |random, n| following(random, n, 0.6)),
];

/// Jobs without a change for each kind of noise, and a tenth as many in which one cell changed by the
/// detectable effect.
pub(crate) fn simulate((rule, rounds): (&TimeRule, &Rounds), jobs: u64, seed: u64) -> Vec<Replayed> {
    let mut all: Vec<Replayed> = (0..)
        .zip(NOISE)
        .map(|(at, (name, draw))| run((rule, rounds), (name, draw), jobs, 0.0, seed.wrapping_add(at)))
        .collect();
    let detectable = rule.whole(CELLS, 1).and_then(|whole| whole.detectable_share(DEVIATION));
    all.extend(detectable.map(|by| run((rule, rounds), NOISE[0], jobs.div_ceil(10), by, seed)));
    all
}

fn run(
    (rule, rounds): (&TimeRule, &Rounds),
    (name, draw): (&str, Draw),
    jobs: u64,
    slowed: f64,
    seed: u64,
) -> Replayed {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let first = rounds.looks.last().copied().unwrap_or(0) as usize;
    let all = first + rounds.confirmation as usize;
    let mut done = Replayed {
        source: format!("{SIMULATED}{name}"),
        recordings: 0,
        cells: CELLS,
        slowed,
        jobs,
        flagged_at_first: 0,
        confirmed: 0,
        found: BTreeMap::new(),
    };
    for _ in 0..jobs {
        let job: Vec<CellRounds> = (0..CELLS)
            .map(|cell| {
                let by = if cell == 0 { slowed.ln_1p() } else { 0.0 };
                let values: Vec<f64> =
                    draw(&mut random, all).into_iter().map(|value| by + DEVIATION * value).collect();
                CellRounds {
                    first: (0..).zip(values[..first].iter().copied()).collect(),
                    ended: vec![true; rounds.looks.len()],
                    confirming: values[first..].to_vec(),
                    confirmed: true,
                }
            })
            .collect();
        done.add(&rule.judge(&job), (slowed > 0.0).then_some((0, "one cell")));
    }
    done
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(random.random_range(1e-12..1.0 - 1e-12))
}

/// Autocorrelated values with a standard deviation of 1.
fn following(random: &mut ChaCha8Rng, n: usize, part: f64) -> Vec<f64> {
    let mut before = normal(random);
    let mut next = |random: &mut ChaCha8Rng| {
        before = part * before + (1.0 - part * part).sqrt() * normal(random);
        before
    };
    (0..n).map(|_| next(random)).collect()
}

#[cfg(test)]
mod tests {
    use tlslab_record::{ComparisonPlan, Policy};

    use super::*;

    #[test]
    fn what_is_detectable_is_found_and_noise_is_not() {
        let policy = Policy::default();
        let rounds = policy.comparison.rounds[1].clone();
        let rule = TimeRule::of(&ComparisonPlan::by(&policy, &rounds), &policy).unwrap();
        let all = simulate((&rule, &rounds), 400, 1);
        assert_eq!(all.len(), NOISE.len() + 1);
        assert!(all.iter().take(4).all(|done| done.confirmed <= 3), "{all:?}");
        let (jobs, found) = all[NOISE.len()].found["one cell"];
        // Four in five of forty, with random variation.
        assert!(jobs == 40 && (24..=39).contains(&found), "{found}");
    }
}
