//! The whole rule as it ships: the default policy's looks, floors, false discoveries and confirmation, on simulated rounds.
//!
//! The figures are printed: `cargo test -p tlslab-comparison --test whole_rule -- --nocapture --include-ignored`. A rate is held to its
//! Clopper–Pearson bound at 99.9 %, so that a seed without luck does not fail.

#[macro_use]
#[path = "../../stats/tests/effort/mod.rs"]
mod effort;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tlslab_comparison::{CellJudged, CellRounds, TimeRule, Verdict};
use tlslab_record::{ComparisonPlan, Policy, Rounds};
use tlslab_stats::{clopper_pearson, normal_quantile};

simulations!(
    what_is_called_detectable_is_found_four_times_in_five,
    jobs_in_which_nothing_changed_confirm_nothing
);

/// The rule of the policy's longest comparison, and how many rounds that has.
fn shipped() -> (TimeRule, Rounds) {
    let policy = Policy::default();
    let rounds = policy.comparison.rounds[0].clone();
    (TimeRule::of(&ComparisonPlan::by(&policy, &rounds), &policy).unwrap(), rounds)
}

/// Rounds of a cell, with a deviation of about 1.
type Noise = fn(&mut ChaCha8Rng, usize) -> Vec<f64>;
/// The source of a job's rounds.
type Draw<'d> = &'d mut dyn FnMut(&mut ChaCha8Rng, usize) -> Vec<f64>;

/// One job: so many cells, each with its rounds and those of its confirmation.
fn job(
    rule: &TimeRule,
    rounds: &Rounds,
    cells: usize,
    random: &mut ChaCha8Rng,
    draw: Draw<'_>,
) -> Vec<CellJudged> {
    let (first, confirming) = (rounds.looks[rounds.looks.len() - 1] as usize, rounds.confirmation as usize);
    let cell = |_| {
        let values = draw(random, first + confirming);
        CellRounds {
            first: (0..).zip(values[..first].iter().copied()).collect(),
            ended: vec![true; rounds.looks.len()],
            confirming: values[first..].to_vec(),
            confirmed: true,
        }
    };
    rule.judge(&(0..cells).map(cell).collect::<Vec<_>>())
}

fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(random.random_range(1e-12..1.0 - 1e-12))
}

/// A change that is confirmed.
fn is_marked(cell: &CellJudged) -> bool {
    matches!(cell.verdict, Verdict::Regression | Verdict::Improvement)
}

/// The detectable effect has the stated power: a cell that alone changed by as much is confirmed four times
/// in five, among however many cells.
fn what_is_called_detectable_is_found_four_times_in_five(effort: u64) {
    let (rule, rounds) = shipped();
    for cells in [1, 2, 16, 64] {
        for deviation in [0.003, 0.01] {
            let effect = rule.whole(cells, 1).unwrap().detectable(deviation).unwrap();
            let mut random = ChaCha8Rng::seed_from_u64(cells as u64);
            let trials = effort * 6_000 / cells.max(20) as u64;
            let found = (0..trials).filter(|_| {
                let mut is_first = true;
                let mut draw = |random: &mut ChaCha8Rng, n| -> Vec<f64> {
                    let by = if std::mem::take(&mut is_first) { effect } else { 0.0 };
                    (0..n).map(|_| by + deviation * normal(random)).collect()
                };
                let judged = job(&rule, &rounds, cells, &mut random, &mut draw);
                judged[0].verdict == Verdict::Regression
            });
            let found = found.count() as u64;
            let power = clopper_pearson(found, trials, 0.999).unwrap();
            println!(
                "{cells} cells, rounds of {:.1} %: {:.2} % is found in {:.1} % of {trials} jobs",
                100.0 * deviation,
                100.0 * effect.exp_m1(),
                100.0 * found as f64 / trials as f64
            );
            // Where cells end early the interval of some is wider than expected, and they go on: then a little more is found.
            assert!(power.lower <= 0.83 && power.upper >= 0.78, "{power:?}");
        }
    }
}

/// Of jobs in which every cell lies just at the floor, and is therefore no change, at most one in a hundred confirms anything: also where
/// values have heavy tails, fall in two groups, or resemble the values before them a little; three in a hundred where they do so much.
fn jobs_in_which_nothing_changed_confirm_nothing(effort: u64) {
    let (rule, rounds) = shipped();
    let (deviation, floor) = (0.006, ComparisonPlan::by(&Policy::default(), &rounds).time_floor);
    let kinds: [(&str, f64, Noise); 7] = [
        ("normal", 0.01, |random, n| (0..n).map(|_| normal(random)).collect()),
        ("Student's t with 3 degrees", 0.01, |random, n| {
            (0..n)
                .map(|_| {
                    let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
                    normal(random) / (squares / 3.0).sqrt()
                })
                .collect()
        }),
        ("a difference of two mixtures, 30 % five deviations apart", 0.01, |random, n| {
            let one = |random: &mut ChaCha8Rng| {
                let group = if random.random_bool(0.3) { 5.0 } else { 0.0 };
                group + 0.5 * normal(random)
            };
            (0..n).map(|_| one(random) - one(random)).collect()
        }),
        ("bursts that hit one of both in a quarter of rounds", 0.01, |random, n| {
            let burst = |random: &mut ChaCha8Rng| {
                if random.random_bool(0.25) { random.random_range(0.0..4.0) } else { 0.0 }
            };
            (0..n).map(|_| 0.5 * normal(random) + burst(random) - burst(random)).collect()
        }),
        ("autoregression of 0.3", 0.015, |random, n| following(random, n, 0.3)),
        ("autoregression of 0.6", 0.03, |random, n| following(random, n, 0.6)),
        ("autoregression of 0.9", 0.03, |random, n| following(random, n, 0.9)),
    ];
    for (seed, (kind, most, draw)) in (1..).zip(kinds) {
        for cells in [2, 16] {
            let mut random = ChaCha8Rng::seed_from_u64(seed);
            let trials = effort * 2_400 / cells as u64;
            let (mut at_first, mut confirmed, mut sure) = (0, 0, 0);
            for _ in 0..trials {
                let mut draw = |random: &mut ChaCha8Rng, n| -> Vec<f64> {
                    draw(random, n).into_iter().map(|value| floor + deviation * value).collect()
                };
                let judged = job(&rule, &rounds, cells, &mut random, &mut draw);
                at_first += u64::from(judged.iter().any(|cell| cell.is_flagged));
                confirmed += u64::from(judged.iter().any(is_marked));
                sure += judged.iter().filter(|cell| cell.verdict == Verdict::NotSignificant).count();
            }
            let share = |count: u64| 100.0 * count as f64 / trials as f64;
            println!(
                "{kind}, {cells} cells: {:.2} % of {trials} jobs flagged at first, {:.3} % confirmed; {:.0} % of cells unchanged",
                share(at_first),
                share(confirmed),
                100.0 * sure as f64 / (trials as f64 * cells as f64)
            );
            let rate = clopper_pearson(confirmed, trials, 0.999).unwrap();
            assert!(rate.lower <= most, "{kind}: {rate:?}");
        }
    }
}

/// Values each of which has a part of the one before it, with a deviation of 1.
fn following(random: &mut ChaCha8Rng, n: usize, part: f64) -> Vec<f64> {
    let mut before = normal(random);
    let mut next = |random: &mut ChaCha8Rng| {
        before = part * before + (1.0 - part * part).sqrt() * normal(random);
        before
    };
    (0..n).map(|_| next(random)).collect()
}
