//! Does a history without changes stay whole, and is a change found where it is? Seeded; the figures are printed with
//! `cargo test -p tlslab-history --test simulations -- --nocapture`.
//!
//! Rates are judged by their Clopper–Pearson bound at 99.9 %, so that a seed without luck does not fail.

#[macro_use]
#[path = "../../stats/tests/effort/mod.rs"]
mod effort;
mod tested;

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tested::TESTED;
use tlslab_history::{Cause, History, Options, Point, segments};
use tlslab_stats::{clopper_pearson, fence, normal_quantile};

type Draw = fn(&mut ChaCha8Rng) -> f64;

/// A run scatters by 0.4 %.
const SPREAD: f64 = 0.004;

simulations!(histories_in_which_nothing_happens);

fn histories_in_which_nothing_happens(effort: u64) {
    let heavy_tails: Draw = |random| {
        let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
        normal(random) / (squares / 3.0).sqrt()
    };
    let cases: [(&str, usize, u64, Draw); 4] = [
        ("normal", 50, 300 * effort, normal),
        ("Student's t with 3 degrees", 50, 300 * effort, heavy_tails),
        ("lognormal", 50, 300 * effort, |random| (0.8 * normal(random)).exp()),
        ("normal", 200, 20 * effort, normal),
    ];
    for (seed, (kind, points, number, draw)) in (1..).zip(cases) {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let alarms = (0..number).filter(|_| {
            let history = simulate(&mut random, points, |random, _| SPREAD * draw(random));
            !history.changes.is_empty()
        });
        let alarms = alarms.count() as u64;
        println!("{kind}: {alarms} of {number} histories of {points} points have a change");
        let rate = clopper_pearson(alarms, number, 0.999).unwrap();
        assert!(rate.lower <= TESTED.alpha, "{kind}: {alarms}");
    }
}

/// The place is right within two points eight times in ten for steps of 1 %. Low power for smaller and later
/// ones is the price of few false alarms over many series and looks.
#[test]
fn a_step_is_found_and_where_it_is() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for (points, at, step, needed) in [
        (60, 40, 0.01, 0.98),
        (60, 52, 0.01, 0.6),
        (60, 55, 0.01, 0.15),
        (60, 30, 0.005, 0.25),
        (120, 60, 0.004, 0.45),
    ] {
        let (mut found, mut near) = (0, 0);
        for _ in 0..100 {
            let history = simulate(&mut random, points, |random, place| {
                SPREAD * normal(random) + if place < at { 0.0 } else { step }
            });
            found += u64::from(!history.changes.is_empty());
            near += u64::from(history.changes.iter().any(|change| change.at.abs_diff(at) <= 2));
        }
        println!("{:.1} % at {at} of {points}: found {found} of 100, within two points {near}", 100.0 * step);
        assert!(clopper_pearson(found, 100, 0.999).unwrap().upper >= needed, "{found}");
        assert!(step < 0.01 || near * 10 >= found * 8, "{near}");
    }
}

/// Up and down again leaves mean and end as they were; both changes are found.
#[test]
fn a_step_and_the_way_back() {
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (mut both, mut more) = (0, 0);
    for _ in 0..100 {
        let history = simulate(&mut random, 120, |random, place| {
            SPREAD * normal(random) + if (50..70).contains(&place) { 0.01 } else { 0.0 }
        });
        let near = |at: usize| history.changes.iter().any(|change| change.at.abs_diff(at) <= 3);
        both += u64::from(near(50) && near(70));
        more += u64::from(history.changes.len() > 2);
    }
    println!("a bump of 20 points: both ends found in {both} of 100, more than two changes in {more}");
    assert!(both >= 85, "{both}");
    assert!(more <= 8, "{more}");
}

/// A new run on the last level lies beyond the threshold about as often as alpha, whatever steps came before;
/// raw changes between neighbours include the steps.
#[test]
fn the_threshold_knows_nothing_of_steps() {
    let mut random = ChaCha8Rng::seed_from_u64(6);
    let staircase = |place: usize| 0.05 * (place / 12) as f64;
    let (mut beyond, mut seen, mut thresholds, mut fences) = (0, 0, 0.0, 0.0);
    let trials = 100;
    for _ in 0..trials {
        let values: Vec<f64> =
            (0..60).map(|place| (SPREAD * normal(&mut random) + staircase(place)).exp()).collect();
        let history = segments(&points(&values), &TESTED).unwrap();
        let (threshold, last) = (history.threshold.unwrap(), history.segments.last().unwrap());
        thresholds += threshold / f64::from(trials);
        fences += fence(&values).unwrap() / f64::from(trials);
        for _ in 0..20 {
            let away = (SPREAD * normal(&mut random) + staircase(59) - last.level.ln()).abs();
            beyond += u64::from(away > threshold);
            let away = (0.02 + SPREAD * normal(&mut random) + staircase(59) - last.level.ln()).abs();
            seen += u64::from(away > threshold);
        }
    }
    let runs = f64::from(20 * trials);
    println!(
        "threshold {:.2} %, fence {:.2} %: {:.4} of new runs beyond the threshold, {:.3} of those 2 % slower",
        100.0 * thresholds,
        100.0 * fences,
        beyond as f64 / runs,
        seen as f64 / runs
    );
    assert!(beyond as f64 / runs < 0.03);
    assert!(seen as f64 / runs > 0.9);
}

/// A machine that slows down by 3 % without saying so: a reference in the same jobs takes it out and names it.
#[test]
fn a_machine_that_moves() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    let (mut blamed, mut named, mut bare_blamed) = (0, 0, 0);
    for _ in 0..60 {
        let machine = |place: usize| if place < 45 { 0.0 } else { 0.03 };
        let values: Vec<f64> =
            (0..90).map(|place| (SPREAD * normal(&mut random) + machine(place)).exp()).collect();
        let bare = points(&values);
        let referenced: Vec<Point> = (0..)
            .zip(&bare)
            .map(|(place, point)| {
                let reference = (SPREAD * normal(&mut random) + machine(place)).exp();
                Point { seen: None, reference: Some(reference), ..point.clone() }
            })
            .collect();
        let has = |history: &History, cause| history.changes.iter().any(|change| change.cause == cause);
        let history = segments(&referenced, &TESTED).unwrap();
        blamed += u64::from(has(&history, Cause::Change));
        named += u64::from(has(&history, Cause::Machine));
        bare_blamed += u64::from(has(&segments(&bare, &TESTED).unwrap(), Cause::Change));
    }
    println!(
        "a machine moves by 3 %: the program is blamed in {blamed} of 60, without a reference in {bare_blamed}"
    );
    assert!(named == 60 && bare_blamed == 60);
    assert!(clopper_pearson(blamed, 60, 0.999).unwrap().lower <= 0.01, "{blamed}");
}

/// The history of `number` points whose logarithms are drawn.
fn simulate(random: &mut ChaCha8Rng, number: usize, draw: impl Fn(&mut ChaCha8Rng, usize) -> f64) -> History {
    let values: Vec<f64> = (0..number).map(|place| draw(random, place).exp()).collect();
    segments(&points(&values), &Options { seed: random.random(), ..TESTED }).unwrap()
}

fn points(values: &[f64]) -> Vec<Point> {
    let point = |value: &f64| Point {
        value: *value,
        seen: None,
        reference: None,
        epoch: "one".into(),
        definition: String::new(),
        label: String::new(),
    };
    values.iter().map(point).collect()
}

/// The quantile of a uniform variable, kept off 0.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(random.random::<f64>().max(f64::EPSILON))
}
