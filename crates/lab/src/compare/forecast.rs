//! How long a comparison takes.

use std::ops::Range;
use std::slice::from_ref;

use tlslab_measure::weighings;
use tlslab_protocol::{Measure, Scenario};
use tlslab_recipe::{Layouts, Recipe};
use tlslab_record::CountPlan;

use super::design::{ComparisonDesign, seeded_counting};
use super::kept_profiles::MOST_SCENARIOS;
use crate::progress::durations::Durations;
use crate::progress::event::Stage;
use crate::progress::forecast::{Cells, PROCESS_S, key_of, recipe_of};
use crate::progress::phase::Phase;
use crate::session::workshop::Workshop;

/// The phases of a comparison after its first builds. Confirmation follows only if a cell is flagged.
///
/// # Errors
/// Fails if a sandbox is required and cannot be made.
pub(super) fn phases(
    workshop: &Workshop<'_>,
    design: &ComparisonDesign,
    recipes: &[Recipe],
) -> anyhow::Result<Vec<Phase>> {
    let rule = &design.rule;
    let durations = &Durations::of(&workshop.environment.cache);
    let stacks = recipes.iter().map(|recipe| recipe_of(&recipe.name)).collect();
    let cells = Cells { durations, stacks, scenarios: &design.scenarios };
    let (counting, seeds_again, _) = seeded_counting(design);
    let rounds = rule.looks.last().copied().unwrap_or(0);
    let has = |metric| design.metrics.contains(&metric);
    // A visit's time begins when its processes have started.
    let visit_s = rule.visit.as_secs_f64() + recipes.len() as f64 * PROCESS_S;
    let timed_s = |rounds: u32| f64::from(rounds) * design.scenarios.len() as f64 * visit_s;
    let layouts = |ranges: &[Range<u32>]| -> anyhow::Result<Option<Phase>> {
        let ranges = ranges.iter().filter(|range| rule.moves && !range.is_empty());
        let moved = ranges.flat_map(|range| {
            let layouts = Layouts::new(range.start, range.len() as u32);
            recipes.iter().map(move |recipe| recipe.clone().with_layouts(layouts))
        });
        let moved: Vec<Recipe> = moved.collect();
        if moved.is_empty() {
            return Ok(None);
        }
        let builds = Phase { name: "layouts".to_owned(), ..workshop.later_builds(&moved)? };
        Ok(Some(builds).filter(|builds| builds.steps > Some(0)))
    };
    let mut from = 0;
    let mut looks: Vec<Range<u32>> =
        rule.looks.iter().map(|look| std::mem::replace(&mut from, *look)..*look).collect();
    // Without times, the first look decides.
    looks.truncate(if has(Measure::Time) { looks.len() } else { 1 });
    let mut phases: Vec<Phase> = layouts(&looks)?.into_iter().collect();
    phases.push(cells.phase(Stage::Prove, &key_of(Stage::Prove, None), |_| 1));
    if design.metrics.iter().any(|metric| metric.is_weighed()) {
        let weighings = |scenario: &Scenario| weighings(scenario, &design.metrics);
        phases.push(cells.phase(Stage::Weigh, &key_of(Stage::Weigh, None), weighings));
    }
    let count = |counting: &CountPlan, seeds: usize| {
        cells.phase(Stage::Count, &key_of(Stage::Count, Some(counting)), |_| seeds)
    };
    phases.extend(counting.iter().map(|counting| count(counting, counting.seeds.len())));
    if has(Measure::Time) {
        phases.push(Phase::timed(Stage::Measure.name(), timed_s(rounds)));
        phases.extend(layouts(from_ref(&(rounds..rounds + rule.confirmation)))?.map(Phase::if_flagged));
        phases.push(Phase::timed(Stage::Measure.name(), timed_s(rule.confirmation)).if_flagged());
    }
    if let Some(counting) = &counting {
        let from = rounds + rule.confirmation;
        phases.extend(layouts(from_ref(&(from..from + seeds_again.len() as u32)))?.map(Phase::if_flagged));
        phases.push(count(counting, seeds_again.len()).if_flagged());
        let scenarios = &design.scenarios[..design.scenarios.len().min(MOST_SCENARIOS)];
        let candidates = cells.stacks.iter().skip(1).step_by(2).cloned().collect();
        let candidates = Cells { durations, stacks: candidates, scenarios };
        phases.push(candidates.phase(Stage::Functions, Stage::Functions.name(), |_| 1).if_flagged());
    }
    Ok(phases)
}
