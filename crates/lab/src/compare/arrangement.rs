//! Which arrangement of slices this host's noise makes better.

use std::time::Duration;

use tlslab_measure::Silent;
use tlslab_protocol::Metric;
use tlslab_record::{Arrangement, Plan};
use tlslab_stats::standard_deviation;

use super::layouts::Programs;
use super::stages::judged;

/// Tries each arrangement on the base of the first pair against itself, on the first timed scenario, and takes the one with
/// the smallest spread; and says why.
pub fn choose(plan: &Plan, programs: &Programs<'_>) -> anyhow::Result<(Arrangement, Option<String>)> {
    let usual = Arrangement::Interleaved;
    let processors = tlslab_host::usable_cpus(std::path::Path::new("/")).len();
    if !plan.has(Metric::Time) || processors < 2 {
        return Ok((usual, None));
    }
    let mut spreads = Vec::new();
    for arrangement in [usual, Arrangement::Turns, Arrangement::Duet] {
        if let Some(spread) = spread(plan, programs, arrangement)? {
            spreads.push((arrangement, spread));
        }
    }
    let described: Vec<String> =
        spreads.iter().map(|(which, spread)| format!("{} {:.2} %", which.name(), 100.0 * spread)).collect();
    let of_usual = spreads.iter().find(|(which, _)| *which == usual).map(|(_, spread)| *spread);
    let best = spreads.iter().min_by(|one, other| one.1.total_cmp(&other.1));
    let chosen = match (best, of_usual) {
        (Some((best, spread)), Some(of_usual)) if *spread < plan.policy.comparison.trial_gain * of_usual => {
            *best
        }
        _ => usual,
    };
    let why = format!(
        "arrangement {}: in a trial the same program differed from itself from round to round by {}",
        chosen.name(),
        described.join(", ")
    );
    Ok((chosen, (!spreads.is_empty()).then_some(why)))
}

/// How much the log ratio of a program's times to its own varies from round to round.
fn spread(plan: &Plan, programs: &Programs<'_>, arrangement: Arrangement) -> anyhow::Result<Option<f64>> {
    let Some(scenario) = plan.timed().next() else { return Ok(None) };
    let mut trial = plan.clone();
    trial.scenarios = vec![plan.scenarios[scenario].clone()];
    trial.stacks = vec![plan.stacks[0].clone(), plan.stacks[0].clone()];
    trial.metrics = vec![Metric::Time];
    trial.canaries = None;
    let Some(terms) = &mut trial.comparison else { return Ok(None) };
    terms.pairs.truncate(1);
    let (rounds, visit_s) = plan.policy.comparison.trial;
    terms.looks = vec![rounds];
    terms.confirmation = 0;
    terms.arrangement = arrangement;
    terms.visit_s = visit_s;
    let own =
        Programs { session: programs.session, recipes: vec![None, None], first: vec![0, 0], moves: false };
    let timeout = Duration::from_secs(30);
    let comparison = judged(programs.session, &trial, &own, timeout, &mut Silent)?;
    let effects = comparison.changes.iter().filter_map(|change| change.effect());
    let spreads = effects.filter_map(|effect| {
        let logarithms: Vec<f64> = effect.ratios.iter().map(|ratio| ratio.ln()).collect();
        standard_deviation(&logarithms).ok()
    });
    Ok(spreads.reduce(f64::max))
}
