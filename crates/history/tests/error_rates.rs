//! How often a history without a change shows one, and the power for steps, under the lab's policy. Seeded;
//! the figures are printed with `cargo test -p tlslab-history --test error_rates -- --nocapture`.

#[macro_use]
#[path = "../../stats/tests/effort/mod.rs"]
mod effort;
mod tested;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tested::{TESTED, TESTED_STEPS};
use tlslab_history::{Cause, History, Options, Point, Seen, StepOptions, segments, steps};
use tlslab_stats::normal_quantile;

/// Points of each series.
const POINTS: usize = 100;
/// Where the step is in every second series of those that have steps.
const AT: usize = 60;
/// How far ratios to a canary scatter from release to release on a shared virtual machine.
const SCATTER: f64 = 0.003;
/// The standard deviation of the counts of one program with the seed of its random numbers: 0.01 % is what rustls and ring show.
const SEEDS: f64 = 0.0001;

simulations!(
    one_series_in_a_thousand_shows_a_change_at_most_where_there_is_none,
    who_looks_after_each_release_sees_no_more_changes_than_there_are,
    scattered_counts_show_few_changes_where_there_are_none,
    steps_are_found_where_they_are
);

fn one_series_in_a_thousand_shows_a_change_at_most_where_there_is_none(effort: u64) {
    let number = 1_000 * effort;
    let mut random = ChaCha8Rng::seed_from_u64(1);
    let mut times = 0;
    let mut counts = 0;
    for _ in 0..number {
        times += u64::from(has_change(&of_times(&mut random, 0.0)));
        counts += u64::from(has_change(&of_counts(&mut random, 0.0)));
    }
    println!(
        "{number} series of {POINTS} points without a step: {times} of times and {counts} of counts show a change"
    );
    for found in [times, counts] {
        assert!(found * 1000 <= number, "{found}");
    }
}

fn who_looks_after_each_release_sees_no_more_changes_than_there_are(effort: u64) {
    let (number, every) = (100 * effort, 4);
    let mut random = ChaCha8Rng::seed_from_u64(3);
    let mut any = 0;
    for _ in 0..number {
        let point = |_| Point { reference: Some(1.0), ..plain((SCATTER * normal(&mut random)).exp()) };
        let points: Vec<Point> = (0..POINTS).map(point).collect();
        let sees = |n: usize| has_change(&segments(&points[..n], &TESTED).unwrap());
        any += u64::from((12..=POINTS).step_by(every).any(sees));
    }
    println!(
        "{number} series of times without a step, looked at after every {every} points: {any} ever show a change"
    );
    assert!(any * 1000 <= number, "{any}");
}

/// Counts that scatter from point to point without stating it, as imported ones: independent, and
/// autocorrelated.
fn scattered_counts_show_few_changes_where_there_are_none(effort: u64) {
    let number = 100 * effort;
    for (dependence, most_per_mille) in [(0.0, 1), (0.3, 10)] {
        let mut random = ChaCha8Rng::seed_from_u64(4);
        let mut any = 0;
        for _ in 0..number {
            any += u64::from(has_change(&of_scattered_counts(&mut random, dependence, 0.0)));
        }
        println!(
            "{number} series of {POINTS} counts that scatter by 0.2 %, correlated by {dependence} with the one before, without a step: \
             {any} show a change"
        );
        assert!(any * 1000 <= number * most_per_mille, "{dependence}: {any}");
    }
}

fn steps_are_found_where_they_are(effort: u64) {
    type Series = fn(&mut ChaCha8Rng, f64) -> History;
    let cases: [(&str, f64, Series, f64); 5] = [
        ("counts", 0.0005, of_counts, 0.99),
        ("counts", 0.001, of_counts, 0.99),
        ("times", 0.01, of_times, 0.95),
        ("times", 0.02, of_times, 0.95),
        ("counts that scatter by 0.2 %", 0.01, |random, step| of_scattered_counts(random, 0.0, step), 0.95),
    ];
    for (kind, step, series, least) in cases {
        let mut random = ChaCha8Rng::seed_from_u64(2);
        let (mut found, mut missed, mut false_alarms) = (0_u32, 0_u32, 0_u32);
        for number in 0..40 * effort {
            let planted = if number % 2 == 0 { step } else { 0.0 };
            let history = series(&mut random, planted);
            let changes: Vec<usize> = changes(&history).collect();
            let is_hit = |at: &&usize| planted > 0.0 && at.abs_diff(AT) <= 2;
            let hits = changes.iter().filter(is_hit).count();
            found += u32::from(hits > 0);
            missed += u32::from(planted > 0.0 && hits == 0);
            false_alarms += (changes.len() - hits.min(1)) as u32;
        }
        let f1 = 2.0 * f64::from(found) / f64::from(2 * found + missed + false_alarms);
        println!(
            "{kind}, a step of {:.2} % in {} of {} series: found {found}, missed {missed}, false alarms {false_alarms}, F1 {f1:.3}",
            100.0 * step,
            20 * effort,
            40 * effort
        );
        assert!(f1 >= least, "{kind} {step}: {f1}");
    }
}

fn has_change(history: &History) -> bool {
    changes(history).next().is_some()
}

fn changes(history: &History) -> impl Iterator<Item = usize> + '_ {
    history.changes.iter().filter(|change| change.cause == Cause::Change).map(|change| change.at)
}

/// Times over those of a canary in the same run.
fn of_times(random: &mut ChaCha8Rng, step: f64) -> History {
    let point = |at: usize| {
        let value = (if at < AT { 0.0 } else { step }) + SCATTER * normal(random);
        Point { reference: Some(1.0), ..plain(value.exp()) }
    };
    let points: Vec<Point> = (0..POINTS).map(point).collect();
    segments(&points, &Options { seed: random.random(), ..TESTED }).unwrap()
}

/// Medians of counts with three seeds.
fn of_counts(random: &mut ChaCha8Rng, step: f64) -> History {
    let point = |at: usize| {
        let level = if at < AT { 0.0 } else { step };
        let mut seen: Vec<f64> = (0..3).map(|_| 1e6 * (level + SEEDS * normal(random)).exp()).collect();
        seen.sort_by(f64::total_cmp);
        Point { seen: Some(Seen { lower: seen[0], upper: seen[2], n: 3 }), ..plain(seen[1]) }
    };
    let points: Vec<Point> = (0..POINTS).map(point).collect();
    steps(&points, &TESTED_STEPS).unwrap()
}

/// Counts as another program keeps them: one value each.
fn of_scattered_counts(random: &mut ChaCha8Rng, dependence: f64, step: f64) -> History {
    let mut before = normal(random);
    let values: Vec<f64> = (0..POINTS)
        .map(|at| {
            before = dependence * before + (1.0 - dependence * dependence).sqrt() * normal(random);
            let level = if at < AT { 0.0 } else { step };
            1e6 * (level + 0.002 * before).exp()
        })
        .collect();
    let labelled = |(at, value): (usize, &f64)| Point { label: at.to_string(), ..plain(*value) };
    let points: Vec<Point> = values.iter().enumerate().map(labelled).collect();
    let scattered = Options { seed: random.random(), ..TESTED };
    steps(&points, &StepOptions { scattered, ..TESTED_STEPS }).unwrap()
}

fn plain(value: f64) -> Point {
    Point {
        value,
        seen: None,
        reference: None,
        epoch: String::new(),
        definition: String::new(),
        label: String::new(),
    }
}

/// The quantile of a uniform variable, kept off 0.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(random.random::<f64>().max(f64::EPSILON))
}
