//! Does the lab cry wolf, and does it see what is there? Seeded simulations of whole comparisons.
//!
//! A rate is judged by its Clopper–Pearson bound at 99.9 %, so that a seed without luck does not fail. The figures are
//! printed: `cargo test -p tlslab-stats --test simulations -- --nocapture`.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use tlslab_stats::*;

type Draw = fn(&mut ChaCha8Rng, usize) -> Vec<f64>;

/// A comparison of a program with itself, 64 cells: no more than 5 % of such reports may have a mark at all, and no cell's
/// design may stop for a change more often than alpha. Nothing may be ignored here (delta is 0), which is the hardest.
#[test]
fn false_alarms_over_64_cells() {
    let kinds: [(&str, u64, Draw); 2] =
        [("normal", 1, normals), ("Student's t with 3 degrees", 2, heavy_tails)];
    let looks: [&[usize]; 2] = [&LOOKS, &[16, 32]];
    for ((kind, seed, draw), looks) in kinds.into_iter().flat_map(|kind| looks.map(|looks| (kind, looks))) {
        let found = reports(looks, seed, 300, 0.0, draw);
        found.print(&format!("{kind}, {looks:?}"));
        assert!(found.marked_reports.lower <= 0.05, "{kind}");
        assert!(found.stopped_cells.lower <= ALPHA, "{kind}");
    }
}

/// The signed-rank test assumes symmetry, which log ratios of two things treated alike have. Skewed values with the
/// right centre, and visits that follow each other a little, break its assumptions: with nothing to be ignored both raise
/// more false alarms than they should, but no more than this; with the least delta that the lab uses, 0.1 % against visits
/// of 0.3 %, they raise fewer.
#[test]
fn false_alarms_where_the_assumptions_fail() {
    let kinds: [(&str, u64, Draw); 2] = [("lognormal", 3, skewed), ("autoregression 0.1", 4, following)];
    for (kind, seed, draw) in kinds {
        let found = reports(&LOOKS, seed, 200, 0.0, draw);
        found.print(kind);
        assert!(found.marked_reports.lower <= 0.25, "{kind}");
        let found = reports(&LOOKS, seed, 150, DELTA / 0.003, draw);
        found.print(&format!("{kind}, with delta"));
        assert!(found.marked_reports.upper <= 0.05, "{kind}");
    }
}

/// Where a third of the cells has changed, marks that are false are at most a twentieth of all marks on average.
#[test]
fn false_discoveries_among_true_ones() {
    let design = Sequential::obrien_fleming(&LOOKS, ALPHA).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(5);
    let (trials, mut shares, mut seen) = (150, 0.0, 0);
    for _ in 0..trials {
        let p_values: Vec<f64> = (0..CELLS)
            .map(|cell| {
                let by = if cell % 3 == 0 { 0.5 } else { 0.0 };
                let values: Vec<f64> =
                    normals(&mut random, LOOKS[3]).iter().map(|value| value + by).collect();
                ended(&design, &values, 0.0).p_value
            })
            .collect();
        let marked: Vec<usize> = marks(&p_values);
        let wrong = marked.iter().filter(|cell| *cell % 3 != 0).count();
        shares += wrong as f64 / marked.len().max(1) as f64;
        seen += marked.len() - wrong;
    }
    let rate = shares / f64::from(trials);
    println!(
        "false among all marks {:.3}, true ones seen {:.3}",
        rate,
        f64::from(seen as u32) / f64::from(trials * 22)
    );
    // The mean of 150 shares between 0 and about 0.2 scatters by less than 0.005.
    assert!(rate <= 0.05 + 0.015, "{rate}");
    assert!(seen as f64 >= 0.95 * f64::from(trials * 22));
}

/// Visits scatter by 0.05 % on a full handshake, 0.6 % on a resumption and 1.3 % on a transfer.
#[test]
fn power_and_how_many_visits_it_takes() {
    let design = Sequential::obrien_fleming(&LOOKS, ALPHA).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(6);
    println!("power (visits) at 0.1 %, 0.5 %, 1 %, 2 %, delta 0.1 %");
    // From this power on at each effect; 0.1 % is not above delta, so it may be found with alpha/2 at most.
    let needed = [
        (0.0005, [0.0, 0.999, 0.999, 0.999]),
        (0.006, [0.0, 0.98, 0.999, 0.999]),
        (0.013, [0.0, 0.7, 0.99, 0.999]),
    ];
    for (deviation, needed) in needed {
        let mut line = format!("visits of {:.2} %:", 100.0 * deviation);
        for (effect, needed) in [0.001, 0.005, 0.01, 0.02].into_iter().zip(needed) {
            let (mut found, mut visits) = (0, 0);
            for _ in 0..POWER_TRIALS {
                let values: Vec<f64> =
                    normals(&mut random, LOOKS[3]).iter().map(|value| effect + deviation * value).collect();
                let end = ended(&design, &values, DELTA);
                found += u64::from(end.z >= design.boundary(end.look));
                visits += LOOKS[end.look];
            }
            let power = clopper_pearson(found, POWER_TRIALS, 0.999).unwrap();
            line += &format!(
                " {:.3} ({:.0})",
                found as f64 / POWER_TRIALS as f64,
                visits as f64 / POWER_TRIALS as f64
            );
            assert!(power.upper >= needed, "{line}");
            assert!(effect > DELTA || power.lower <= ALPHA / 2.0, "{line}");
        }
        println!("{line}");
    }
}

/// What [`minimum_detectable_effect_of`] promises is found four times in five.
#[test]
fn the_minimum_detectable_effect_is_detected_as_often_as_promised() {
    let mut random = ChaCha8Rng::seed_from_u64(7);
    for (n, alpha) in [(32, 0.05), (80, 0.005)] {
        let effect = minimum_detectable_effect_of(1.0, n, alpha).unwrap();
        let trials = 3000;
        let found = (0..trials).filter(|_| {
            let values: Vec<f64> = normals(&mut random, n).iter().map(|value| value + effect).collect();
            effect_test(&values, 0.0).unwrap().p_value <= alpha
        });
        let power = clopper_pearson(found.count() as u64, trials, 0.999).unwrap();
        println!(
            "power at the minimum detectable effect of {n} visits: {:.3} to {:.3}",
            power.lower, power.upper
        );
        assert!(power.lower <= 0.82 && power.upper >= 0.78, "{power:?}");
    }
}

/// The rule of other projects, for comparison: a change of 1 % between runs that scatter by 0.4 %, after 30
/// or 100 runs. It detects about one in ten, or none if the history has a step in it; 20 to 160 pairs of
/// processes of the same scatter detect all.
#[test]
fn the_fence_sees_little() {
    let mut random = ChaCha8Rng::seed_from_u64(8);
    let mut fenced = |history: usize, step: f64, effect: f64| {
        let flagged = (0..2000).filter(|_| {
            let runs = normals(&mut random, history + 1);
            let value = |(place, z): (usize, &f64)| {
                let steps = if place > history / 2 { step } else { 0.0 };
                (0.004 * z + steps + if place == history { effect } else { 0.0 }).exp()
            };
            let runs: Vec<f64> = runs.iter().enumerate().map(value).collect();
            let change = (runs[history] - runs[history - 1]).abs() / runs[history - 1];
            change > fence(&runs[..history]).unwrap()
        });
        flagged.count() as f64 / 2000.0
    };
    for (history, step) in [(30, 0.0), (100, 0.0), (30, 0.05)] {
        let (alarms, power) = (fenced(history, step, 0.0), fenced(history, step, 0.01));
        println!(
            "fence after {history} runs, a step of {step}: false alarms {alarms:.4}, power at 1 % {power:.3}"
        );
        assert!((0.01..0.15).contains(&power), "{power}");
        assert!(alarms < 0.03, "{alarms}");
    }
    let design = Sequential::obrien_fleming(&LOOKS, ALPHA).unwrap();
    let found = (0..500).filter(|_| {
        // Each side of a pair scatters as a run does.
        let values: Vec<f64> =
            normals(&mut random, LOOKS[3]).iter().map(|z| 0.01 + 0.004 * 2.0_f64.sqrt() * z).collect();
        let end = ended(&design, &values, DELTA);
        end.z >= design.boundary(end.look)
    });
    assert_eq!(found.count(), 500);
}

/// The interval of a shift between unpaired samples covers as it says; that of resampled processes a little less.
#[test]
fn coverage_of_shifts_and_of_resampled_processes() {
    let mut random = ChaCha8Rng::seed_from_u64(9);
    for (m, n) in [(8, 8), (16, 20), (40, 40)] {
        let mut claimed = 0.0;
        let hits = (0..2000).filter(|_| {
            let a = heavy_tails(&mut random, m);
            let b: Vec<f64> = heavy_tails(&mut random, n).iter().map(|value| value + 2.0).collect();
            let Estimate { lower, upper, confidence, .. } = shift(&a, &b, 0.95, 0.0).unwrap().estimate;
            claimed = confidence;
            lower <= 2.0 && 2.0 <= upper
        });
        let covers = clopper_pearson(hits.count() as u64, 2000, 0.999).unwrap();
        assert!(covers.lower <= claimed && claimed <= covers.upper, "{m} {n}: {covers:?}, {claimed} claimed");
    }
    let hits = (0..400).filter(|_| {
        let values = normals(&mut random, 24);
        let interval = process_bootstrap(&values, 0.95, random.random()).unwrap();
        interval.lower <= 0.0 && 0.0 <= interval.upper
    });
    let hits = hits.count() as u64;
    println!("processes drawn again: an interval of 95 % covers {:.3}", hits as f64 / 400.0);
    assert!(clopper_pearson(hits, 400, 0.999).unwrap().upper >= 0.95, "{hits}");
}

/// Where values follow each other, blocks keep more of the promise than the signed-rank interval does.
#[test]
fn coverage_where_values_follow_each_other() {
    let mut random = ChaCha8Rng::seed_from_u64(10);
    let (mut plain, mut blocks) = (0, 0);
    for _ in 0..200 {
        let series = autoregression(&mut random, 60, 0.4);
        let signed_rank = estimate(&series, 0.95).unwrap();
        plain += u64::from(signed_rank.lower <= 0.0 && 0.0 <= signed_rank.upper);
        let block = block_length(&series).unwrap();
        let interval = block_bootstrap(&series, block, 0.95, random.random()).unwrap();
        blocks += u64::from(interval.lower <= 0.0 && 0.0 <= interval.upper);
    }
    println!(
        "autoregression 0.4: signed rank covers {:.3}, blocks {:.3}",
        plain as f64 / 200.0,
        blocks as f64 / 200.0
    );
    assert!(plain < 180, "the signed-rank interval should fail here: {plain}");
    assert!(blocks > plain && blocks >= 166, "{blocks}");
}

/// Five replicates of nothing exceed their own threshold as often as alpha says.
#[test]
fn thresholds_of_replicates() {
    let mut random = ChaCha8Rng::seed_from_u64(11);
    for alpha in [0.05, 0.005] {
        let exceeding = (0..20_000).filter(|_| {
            let d = normals(&mut random, 5);
            let mean = d.iter().sum::<f64>() / 5.0;
            mean.abs() > replicate_threshold(&d, 0.0, 0.0, alpha).unwrap()
        });
        let rate = clopper_pearson(exceeding.count() as u64, 20_000, 0.999).unwrap();
        assert!(rate.lower <= alpha && alpha <= rate.upper, "{rate:?}");
    }
}

/// How one cell's comparison ended.
struct End {
    look: usize,
    z: f64,
    p_value: f64,
}

/// Looks at `values` as the design says and stops where it says.
fn ended(design: &Sequential, values: &[f64], delta: f64) -> End {
    let last = design.looks().len() - 1;
    let at = |look: usize| {
        let z = effect_test(&values[..design.looks()[look]], delta).unwrap().z;
        (look, z)
    };
    // A look that cannot stop needs no test.
    let mut looks = (0..=last).filter(|&look| look == last || design.boundary(look).is_finite()).map(at);
    let (look, z) = looks
        .find(|&(look, z)| look == last || z.abs() >= design.boundary(look))
        .expect("the last look ends");
    End { look, z, p_value: design.p_value(look, z) }
}

struct Alarms {
    marked_reports: ProportionInterval,
    stopped_cells: ProportionInterval,
    counts: (u64, u64, u64),
}

impl Alarms {
    fn print(&self, kind: &str) {
        let (reports, marked, stopped) = self.counts;
        let (bound, cells) = (self.marked_reports.upper, reports * CELLS as u64);
        println!(
            "{kind}: {marked} of {reports} reports marked (at most {bound:.3}), {stopped} of {cells} cells stopped"
        );
    }
}

/// `number` reports of [`CELLS`] cells in which nothing has changed.
fn reports(looks: &[usize], seed: u64, number: u64, delta: f64, draw: Draw) -> Alarms {
    let design = Sequential::obrien_fleming(looks, ALPHA).unwrap();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let (mut marked, mut stopped) = (0, 0);
    for _ in 0..number {
        let ends: Vec<End> =
            (0..CELLS).map(|_| ended(&design, &draw(&mut random, looks[looks.len() - 1]), delta)).collect();
        stopped += ends.iter().filter(|end| end.z.abs() >= design.boundary(end.look)).count() as u64;
        let p_values: Vec<f64> = ends.iter().map(|end| end.p_value).collect();
        marked += u64::from(!marks(&p_values).is_empty());
    }
    Alarms {
        marked_reports: clopper_pearson(marked, number, 0.999).unwrap(),
        stopped_cells: clopper_pearson(stopped, number * CELLS as u64, 0.999).unwrap(),
        counts: (number, marked, stopped),
    }
}

fn marks(p_values: &[f64]) -> Vec<usize> {
    let adjusted = benjamini_hochberg(p_values).unwrap();
    (0..p_values.len()).filter(|&cell| adjusted[cell] <= 0.05).collect()
}

/// The quantile of a uniform variable, kept off 0.
fn normal(random: &mut ChaCha8Rng) -> f64 {
    normal_quantile(random.random::<f64>().max(f64::EPSILON))
}

fn normals(random: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| normal(random)).collect()
}

/// Student's t with three degrees of freedom.
fn heavy_tails(random: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
    let mut student = || {
        let squares: f64 = (0..3).map(|_| normal(random).powi(2)).sum();
        normal(random) / (squares / 3.0).sqrt()
    };
    (0..n).map(|_| student()).collect()
}

/// exp(σz) with σ = 0.25, less the median of the mean of two such, in units of about its standard deviation.
fn skewed(random: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
    (0..n).map(|_| ((0.25 * normal(random)).exp() - PSEUDO_MEDIAN) / 0.26).collect()
}

fn following(random: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
    autoregression(random, n, 0.1)
}

fn autoregression(random: &mut ChaCha8Rng, n: usize, coefficient: f64) -> Vec<f64> {
    let mut before = normal(random);
    let mut next = || {
        before = coefficient * before + (1.0 - coefficient * coefficient).sqrt() * normal(random);
        before
    };
    (0..n).map(|_| next()).collect()
}

#[test]
fn the_skewed_values_have_the_centre_that_they_should() {
    let mut random = ChaCha8Rng::seed_from_u64(12);
    let means: Vec<f64> =
        skewed(&mut random, 400_000).chunks(2).map(|pair| pair[0].midpoint(pair[1])).collect();
    assert!(median(&means).unwrap().abs() < 0.006, "{}", median(&means).unwrap());
}

const LOOKS: [usize; 4] = [20, 40, 80, 160];
const ALPHA: f64 = 0.005;
const DELTA: f64 = 0.001;
const CELLS: usize = 64;
const POWER_TRIALS: u64 = 400;

/// P((X + Y)/2 ≤ it) = ½ for X and Y like exp(0.25 z); found by integration.
const PSEUDO_MEDIAN: f64 = 1.015_372_448_245_478_5;

/// Values of one group may not be taken for two groups in more than 1 sample of 100.
#[test]
fn one_group_is_seldom_taken_for_two() {
    fn skewed(rng: &mut ChaCha8Rng, n: usize) -> Vec<f64> {
        normals(rng, n).into_iter().map(|value| (value / 2.0).exp()).collect()
    }
    const SAMPLES: u64 = 4_000;
    let kinds: [(&str, Draw); 3] =
        [("normal", normals), ("Student's t with 3 degrees", heavy_tails), ("lognormal", skewed)];
    for (kind, draw) in kinds {
        for n in [12, 16, 32, 64] {
            let mut rng = ChaCha8Rng::seed_from_u64(7);
            let taken = (0..SAMPLES).filter(|_| modes(&draw(&mut rng, n)).unwrap().is_some()).count() as u64;
            let rate = clopper_pearson(taken, SAMPLES, 0.999).unwrap();
            println!("{kind}, {n} values: {taken} of {SAMPLES} have two groups");
            assert!(rate.lower <= 0.01, "{kind}, {n}: {taken}");
        }
    }
}
