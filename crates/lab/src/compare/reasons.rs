//! The functions that made a count change.

use std::collections::BTreeMap;

use tlslab_comparison::{Change, Compared, Comparison, Outcome, Reason, Verdict};
use tlslab_profile::Parts;
use tlslab_protocol::Side;
use tlslab_recipe::Layouts;
use tlslab_record::Plan;

use super::kept_profiles::{KeptProfiles, MOST_SCENARIOS};
use crate::functions::changed::{by_function, changed_on, stack};
use crate::functions::counted::CountedFunctions;
use crate::progress::event::Stage;
use crate::progress::steps::StepClock;
use crate::session::cancel::Interrupted;
use crate::session::workshop::Workshop;

/// Counts the scenarios with the largest changes by function, in both stacks. Sets the responsible functions
/// in each flagged cell, and stores both profiles. A stack with a name of its own is looked up in the plan.
/// If a scenario cannot be examined, its cells stay unchanged, and a warning gives the reason.
///
/// # Errors
/// Fails if it was cancelled.
pub fn find(
    workshop: &Workshop<'_>,
    comparison: &mut Comparison,
    plan: Option<&Plan>,
) -> Result<KeptProfiles, Interrupted> {
    let mut kept = KeptProfiles::default();
    comparison.profiles.clear();
    let mut wanted: Vec<(usize, String)> = Vec::new();
    for change in comparison.flagged() {
        let place = (change.pair, change.scenario.clone());
        let is_counted = change.metric == Compared::Instructions;
        if is_counted && !wanted.contains(&place) && wanted.len() < MOST_SCENARIOS {
            wanted.push(place);
        }
    }
    let parts = match workshop.environment.parts() {
        Ok(parts) => parts,
        Err(why) => {
            comparison.warnings.push(format!("the functions that changed are unknown: {why:#}"));
            return Ok(kept);
        }
    };
    let mut clock = StepClock::of(workshop, plan);
    for (at, (pair, scenario)) in wanted.iter().enumerate() {
        let (baseline, candidate) =
            (comparison.pairs[*pair].baseline.clone(), comparison.pairs[*pair].candidate.clone());
        clock.step(Stage::Functions, (&candidate, scenario), (at, wanted.len()));
        let (baseline, candidate) = (stack(plan, &baseline), stack(plan, &candidate));
        let layouts = first_layouts(plan);
        let counted = (
            by_function(workshop, (&baseline, layouts), scenario),
            by_function(workshop, (&candidate, layouts), scenario),
        );
        workshop.reporter.check()?;
        match counted {
            (Ok(baseline), Ok(candidate)) => {
                note(comparison, *pair, scenario, &baseline, &candidate, &parts);
                if let Err(why) = kept.keep(comparison, (*pair, scenario), &baseline, &candidate) {
                    comparison.warnings.push(format!("the profiles of {scenario} are not kept: {why:#}"));
                }
            }
            (Err(why), _) | (_, Err(why)) => {
                comparison
                    .warnings
                    .push(format!("the functions that changed {scenario} are unknown: {why:#}"));
            }
        }
    }
    Ok(kept)
}

/// The layouts of the first look: the count of the first seed belongs to the first one, and a few
/// instructions depend on the placement of data.
fn first_layouts(plan: Option<&Plan>) -> Option<Layouts> {
    let comparison = plan?.comparison.as_ref().filter(|comparison| comparison.moves)?;
    Some(Layouts::new(0, comparison.looks.first().copied().filter(|count| *count > 0)?))
}

/// The sides of a scenario whose count changed.
pub fn changed_sides(comparison: &Comparison, pair: usize, scenario: &str) -> Vec<Side> {
    let is_it = |change: &&Change| is_changed_count(change, pair, scenario);
    comparison.changes.iter().filter(is_it).filter_map(|change| change.side).collect()
}

fn is_changed_count(change: &Change, pair: usize, scenario: &str) -> bool {
    change.pair == pair
        && change.scenario == scenario
        && change.metric == Compared::Instructions
        && change.verdict().is_some_and(Verdict::is_flagged)
}

fn note(
    comparison: &mut Comparison,
    pair: usize,
    scenario: &str,
    baseline: &CountedFunctions,
    candidate: &CountedFunctions,
    parts: &Parts,
) {
    let by_side: BTreeMap<&str, Vec<Reason>> = candidate
        .sides
        .keys()
        .map(|name| (name.as_str(), changed_on(name, baseline, candidate, parts)))
        .collect();
    for change in &mut comparison.changes {
        let is_it = is_changed_count(change, pair, scenario);
        let reasons = by_side.get(change.side_name());
        if let (true, Outcome::Compared(effect)) = (is_it, &mut change.outcome)
            && let Some(reasons) = reasons
        {
            effect.reasons.clone_from(reasons);
        }
    }
}
