//! Which arrangement of slices has the least noise on this host.

use std::time::Duration;

use tlslab_measure::Silent;
use tlslab_protocol::Measure;
use tlslab_record::{Arrangement, Plan};
use tlslab_stats::{median, shift, standard_deviation};

use super::layouts::Programs;
use super::stages::judge_unrecorded;

/// Tries each arrangement on the baseline of the first pair against itself, on the first timed scenario.
/// Another than the default is chosen only if its spread is much smaller with certainty; the reason is
/// reported.
pub(super) fn choose(plan: &Plan, programs: &Programs<'_>) -> anyhow::Result<(Arrangement, Option<String>)> {
    let usual = Arrangement::Interleaved;
    let processors = tlslab_host::usable_cpus(std::path::Path::new("/")).len();
    if !plan.has(Measure::Time) || processors < 2 {
        return Ok((usual, None));
    }
    let mut spreads = Vec::new();
    for arrangement in [usual, Arrangement::Turns, Arrangement::Duet] {
        if arrangement == Arrangement::Duet && has_siblings() {
            continue;
        }
        if let Some(trial) = trial(plan, programs, arrangement)? {
            spreads.push((arrangement, trial));
        }
    }
    let described: Vec<String> = spreads
        .iter()
        .map(|(which, trial)| format!("{} {:.2} %", which.name(), 100.0 * trial.spread()))
        .collect();
    let terms = &plan.policy.comparison;
    let chosen = chosen(&spreads, usual, (terms.trial_gain, terms.trial_alpha));
    let why = format!(
        "arrangement {}: in a trial the same program differed from itself from round to round by {}",
        chosen.name(),
        described.join(", ")
    );
    Ok((chosen, (!spreads.is_empty()).then_some(why)))
}

/// If CPUs share a core, two simultaneous programs disturb each other.
fn has_siblings() -> bool {
    tlslab_host::Fingerprint::read(std::path::Path::new("/")).topology.smt == Some(tlslab_host::Smt::On)
}

/// The log ratios of a program's times to its own from round to round, in the cell with the largest
/// variation.
#[derive(Clone, Debug)]
struct Trial(Vec<f64>);

impl Trial {
    fn spread(&self) -> f64 {
        standard_deviation(&self.0).unwrap_or(f64::INFINITY)
    }

    /// The distance of each from the median.
    fn distances(&self) -> Vec<f64> {
        let middle = median(&self.0).unwrap_or(0.0);
        self.0.iter().map(|value| (value - middle).abs()).collect()
    }

    /// Whether its rounds scatter less than those of another, beyond random variation: a one-sided rank-sum
    /// test of their distances from the median.
    fn is_surely_calmer_than(&self, other: &Self, alpha: f64) -> bool {
        let test = shift(&self.distances(), &other.distances(), 0.5, 0.0);
        test.is_ok_and(|test| test.z > 0.0 && test.p_value / 2.0 <= alpha)
    }
}

fn chosen(trials: &[(Arrangement, Trial)], usual: Arrangement, (gain, alpha): (f64, f64)) -> Arrangement {
    let Some((_, of_usual)) = trials.iter().find(|(which, _)| *which == usual) else { return usual };
    let others = trials.iter().filter(|(which, _)| *which != usual);
    let alpha = alpha / (trials.len() - 1).max(1) as f64;
    let better = others.filter(|(_, trial)| {
        trial.spread() < gain * of_usual.spread() && trial.is_surely_calmer_than(of_usual, alpha)
    });
    better.min_by(|one, other| one.1.spread().total_cmp(&other.1.spread())).map_or(usual, |(which, _)| *which)
}

fn trial(plan: &Plan, programs: &Programs<'_>, arrangement: Arrangement) -> anyhow::Result<Option<Trial>> {
    let Some(scenario) = plan.timed().next() else { return Ok(None) };
    let mut trial = plan.clone();
    trial.scenarios = vec![plan.scenarios[scenario].clone()];
    trial.stacks = vec![plan.stacks[0].clone(), plan.stacks[0].clone()];
    trial.metrics = vec![Measure::Time];
    trial.canaries = None;
    let Some(terms) = &mut trial.comparison else { return Ok(None) };
    terms.pairs.truncate(1);
    let (rounds, visit_s) = plan.policy.comparison.trial;
    terms.looks = vec![rounds];
    terms.confirmation = 0;
    terms.arrangement = arrangement;
    terms.visit_s = visit_s;
    let own =
        Programs { workshop: programs.workshop, recipes: vec![None, None], first: vec![0, 0], moves: false };
    let timeout = Duration::from_secs(30);
    let comparison = judge_unrecorded(programs.workshop, &trial, &own, timeout, &mut Silent)?;
    let effects = comparison.changes.iter().filter_map(|change| change.effect());
    let trials = effects.map(|effect| Trial(effect.ratios.iter().map(|ratio| ratio.ln()).collect()));
    Ok(trials.max_by(|one, other| one.spread().total_cmp(&other.spread())))
}

#[cfg(test)]
mod tests {
    use rand::{RngExt, SeedableRng};
    use rand_chacha::ChaCha8Rng;
    use tlslab_stats::{clopper_pearson, normal_quantile};

    use super::*;

    const ALL: [Arrangement; 3] = [Arrangement::Interleaved, Arrangement::Turns, Arrangement::Duet];

    /// How often another than the default arrangement is chosen if the second one scatters by so much and the
    /// others by 1.
    fn taken(second: f64, rounds: usize, random: &mut ChaCha8Rng) -> u64 {
        let trials = 4_000;
        let is_taken = |_: &u32| {
            let trials = ALL.map(|which| {
                let scale = if which == Arrangement::Turns { second } else { 1.0 };
                let values =
                    (0..rounds).map(|_| scale * normal_quantile(random.random_range(1e-9..1.0 - 1e-9)));
                (which, Trial(values.collect()))
            });
            chosen(&trials, Arrangement::Interleaved, (0.7, 0.01)) != Arrangement::Interleaved
        };
        (0..trials).filter(is_taken).count() as u64
    }

    #[test]
    fn chance_seldom_takes_another_arrangement_and_a_much_better_one_is_taken() {
        let (rounds, _) = tlslab_record::Policy::default().comparison.trial;
        let mut random = ChaCha8Rng::seed_from_u64(9);
        let by_chance = clopper_pearson(taken(1.0, rounds as usize, &mut random), 4_000, 0.999).unwrap();
        assert!(by_chance.lower <= 0.01, "{by_chance:?}");
        let much_better = taken(0.25, rounds as usize, &mut random);
        assert!(much_better > 2_800, "{much_better}");
    }
}
