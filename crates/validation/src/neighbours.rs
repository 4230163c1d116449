//! Each stack alone, next to itself, next to others, and without a break: do its times depend on its
//! neighbours?

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{bail, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_estimate::Family;
use tlslab_lab::host::processors;
use tlslab_lab::run::stack_record::stack_record;
use tlslab_lab::{Event, Interrupted, Reporter, Stage, Step, Workshop, host};
use tlslab_measure::{Contrast, Cycle, DriverFailure, DriverProgram, Launch, Neighbourhood};
use tlslab_pki::Pki;
use tlslab_protocol::{Scenario, Side};
use tlslab_recipe::Recipe;
use tlslab_record::{Neighbour, NeighbourEffect, Policy, Slicing, StackRecord, StackState};
use tlslab_stats::{hodges_lehmann, median, ratio_estimate};

/// The requested measurements.
pub(crate) struct WantedNeighbours {
    /// The stacks; each is measured next to the others.
    pub stacks: Vec<String>,
    /// The number of neighbours of each.
    pub others: usize,
    /// The scenarios.
    pub scenarios: Vec<Scenario>,
    /// Rounds of fresh processes.
    pub rounds: u32,
    /// How long turns and slices are.
    pub slicing: Slicing,
    /// The first seed of every random order.
    pub seed: u64,
    /// How long a driver may take over one answer.
    pub timeout: Duration,
    /// How it is measured.
    pub policy: Policy,
}

/// A stack in a scenario, and its neighbours, as indices of the stacks.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Subject {
    scenario: usize,
    stack: usize,
    others: Vec<usize>,
}

/// The results, and the cells that could not be measured.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Found {
    /// Every stack, scenario, side and neighbour.
    pub effects: Vec<NeighbourEffect>,
    /// Stacks that cannot do a scenario, or failed in it: each with its reason.
    pub holes: Vec<String>,
    /// Disturbances of the measurement.
    pub warnings: Vec<String>,
}

/// Measures all of it.
pub(crate) fn measure(workshop: &Workshop<'_>, wanted: &WantedNeighbours) -> anyhow::Result<Found> {
    let stacks = stacks(workshop, wanted)?;
    let pki = workshop.keys(&wanted.scenarios)?;
    let _alone = host::measure_alone(&workshop.reporter)?;
    let watch = host::Watch::start();
    let cpus = processors::choose_cpus();
    let launcher = workshop.launcher_on(&cpus);
    let (subjects, mut holes) = subjects(wanted, &stacks);
    ensure!(!subjects.is_empty(), "no stack supports any of these scenarios: {}", holes.join("; "));
    let mut cycles: BTreeMap<&Subject, Vec<Vec<Cycle>>> = BTreeMap::new();
    let (start, total) = (Instant::now(), wanted.rounds as usize * subjects.len());
    for round in 0..wanted.rounds {
        for (place, subject) in subjects.iter().enumerate() {
            workshop.reporter.check()?;
            let done = round as usize * subjects.len() + place;
            if holes.iter().any(|hole| hole.starts_with(&stack_and_scenario(subject, wanted, &stacks))) {
                continue;
            }
            progress(&workshop.reporter, &start, done, total);
            match one(wanted, &stacks, subject, &pki, &launcher, round) {
                Ok(found) => cycles.entry(subject).or_default().push(found),
                Err((_, DriverFailure::Interrupted)) => return Err(Interrupted.into()),
                Err((program, failure)) => {
                    holes.push(format!(
                        "{}: failed: {program}: {failure}",
                        stack_and_scenario(subject, wanted, &stacks)
                    ));
                }
            }
        }
    }
    let class = tlslab_history::figures::runner_class(&host::fingerprint());
    let effects =
        cycles.iter().flat_map(|(subject, rounds)| effects(wanted, &stacks, subject, rounds, &class));
    Ok(Found { effects: effects.collect(), holes, warnings: watch.warnings() })
}

/// The stacks, built and identified.
fn stacks(workshop: &Workshop<'_>, wanted: &WantedNeighbours) -> anyhow::Result<Vec<StackRecord>> {
    let index = workshop.environment.recipe_index()?;
    let recipes: Vec<Recipe> =
        wanted.stacks.iter().map(|stack| index.named(stack)).collect::<Result<_, _>>()?;
    let built = workshop.build(&recipes.iter().collect::<Vec<_>>())?;
    workshop.reporter.check()?;
    let record =
        |recipe: &Recipe| stack_record(workshop, &recipe.name, recipe, &built[&recipe.name], wanted.timeout);
    let stacks: Vec<StackRecord> = recipes.iter().map(record).collect();
    // A driver that was stopped has not failed.
    workshop.reporter.check()?;
    for stack in &stacks {
        if let StackState::Failed(reason) = &stack.state {
            bail!("{}: {reason}", stack.name);
        }
    }
    Ok(stacks)
}

/// Which stacks are measured next to which, and those that are not because they do not support a scenario,
/// with the reason.
fn subjects(wanted: &WantedNeighbours, stacks: &[StackRecord]) -> (Vec<Subject>, Vec<String>) {
    let (mut subjects, mut holes) = (Vec::new(), Vec::new());
    for (index, scenario) in wanted.scenarios.iter().enumerate() {
        let mut able = Vec::new();
        for (stack, record) in stacks.iter().enumerate() {
            let StackState::Ready(description) = &record.state else { continue };
            match tlslab_scenario::hole(scenario, &description.capabilities) {
                None => able.push(stack),
                Some(reason) => {
                    holes.push(format!("{}, {}: unsupported: {reason}", record.name, scenario.name))
                }
            }
        }
        for (place, stack) in able.iter().enumerate() {
            // The next ones in a circle, so that each stack is as often a neighbour as it has neighbours.
            let others = (1..able.len()).take(wanted.others).map(|step| able[(place + step) % able.len()]);
            subjects.push(Subject { scenario: index, stack: *stack, others: others.collect() });
        }
    }
    (subjects, holes)
}

/// A subject's stack and scenario, with which its holes begin.
fn stack_and_scenario(subject: &Subject, wanted: &WantedNeighbours, stacks: &[StackRecord]) -> String {
    format!("{}, {}", stacks[subject.stack].name, wanted.scenarios[subject.scenario].name)
}

fn progress(reporter: &Reporter<'_>, start: &Instant, done: usize, total: usize) {
    if done == 0 || !done.is_multiple_of(10) {
        return;
    }
    let left_s = start.elapsed().as_secs_f64() / done as f64 * (total - done) as f64;
    let (stage, what) = (Stage::Neighbours, String::new());
    reporter.emit(&Event::Step(Step { stage, done, total, left_s: Some(left_s), what }));
}

/// One round of a subject.
fn one(
    wanted: &WantedNeighbours,
    stacks: &[StackRecord],
    subject: &Subject,
    pki: &Pki,
    launcher: &dyn Launch,
    round: u32,
) -> Result<Vec<Cycle>, (String, DriverFailure)> {
    // Itself comes first among the neighbours.
    let near: Vec<usize> = std::iter::once(subject.stack).chain(subject.others.iter().copied()).collect();
    let neighbours: Vec<DriverProgram<'_>> = near.iter().map(|stack| (&stacks[*stack]).into()).collect();
    let neighbourhood = Neighbourhood {
        scenario: &wanted.scenarios[subject.scenario],
        pki,
        launch: launcher,
        slicing: wanted.slicing,
        placement: wanted.policy.placement,
        timeout: wanted.timeout,
        stack: (&stacks[subject.stack]).into(),
        neighbours: &neighbours,
        cycles: wanted.policy.examination.neighbour_cycles,
        seed: wanted.seed.wrapping_mul(1_000_003).wrapping_add(u64::from(round)),
    };
    neighbourhood.measure().map_err(|failed| {
        let stack = if failed.program == 0 { subject.stack } else { near[failed.program - 1] };
        (stacks[stack].name.clone(), failed.failure)
    })
}

/// A round's ratio is the median over its cycles; the estimate is Hodges and Lehmann's over rounds.
fn effects(
    wanted: &WantedNeighbours,
    stacks: &[StackRecord],
    subject: &Subject,
    rounds: &[Vec<Cycle>],
    class: &str,
) -> Vec<NeighbourEffect> {
    let scenario = &wanted.scenarios[subject.scenario];
    let others = subject.others.iter().map(|other| Neighbour::Stack(stacks[*other].name.clone()));
    let orders = [Neighbour::OnePiece, Neighbour::Itself].into_iter().chain(others);
    let mut effects = Vec::new();
    for (order, beside) in orders.enumerate() {
        let of_order = |cycle: &Cycle| -> Contrast {
            if order == 0 { cycle.in_one_piece } else { cycle.beside[order - 1] }
        };
        for &side in scenario.work.sides() {
            let log = |cycle: &Cycle| {
                let Contrast { looked_at, alone } = of_order(cycle);
                (looked_at.side(side) / alone.side(side)).ln()
            };
            let of_rounds: Vec<f64> = rounds
                .iter()
                .filter_map(|cycles| median(&cycles.iter().map(log).collect::<Vec<_>>()).ok())
                .collect();
            let Ok(centre) = hodges_lehmann(&of_rounds) else { continue };
            let interval = ratio_estimate(&of_rounds, wanted.policy.confidence).ok();
            effects.push(NeighbourEffect {
                host: class.to_owned(),
                measured_unix_ms: jiff::Timestamp::now().as_millisecond().unsigned_abs(),
                slice_ns: wanted.slicing.slice_ns,
                slices: wanted.slicing.slices,
                warm_up: wanted.slicing.warm_up,
                family: Family::of(scenario).title().to_owned(),
                scenario: scenario.name.clone(),
                stack: stacks[subject.stack].name.clone(),
                side,
                beside: beside.clone(),
                ratio: centre.exp(),
                lower: interval.as_ref().map(|interval| interval.lower),
                upper: interval.as_ref().map(|interval| interval.upper),
                confidence: wanted.policy.confidence,
                rounds: of_rounds.len(),
            });
        }
    }
    effects
}

/// Tables: the results per scenario and stack, and the largest of each family.
pub fn markdown(found: &Found) -> String {
    let mut text = String::from("## Dependence on neighbours\n\n");
    text.push_str(
        "Time of a stack's turns after another program's turn, divided by its time after a turn of its own; \
         99 % intervals over rounds of fresh processes. *In one piece* is its work without a break.\n",
    );
    let mut by_scenario: BTreeMap<&str, Vec<&NeighbourEffect>> = BTreeMap::new();
    for effect in &found.effects {
        by_scenario.entry(&effect.scenario).or_default().push(effect);
    }
    for (scenario, effects) in by_scenario {
        text.push_str(&format!(
            "\n### {scenario}\n\n| stack | after | client | server |\n|---|---|--:|--:|\n"
        ));
        let mut rows: Vec<(&str, &Neighbour)> = Vec::new();
        for effect in &effects {
            let row = (effect.stack.as_str(), &effect.beside);
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        for (stack, beside) in rows {
            let cell = |side: Side| {
                let is_it = |effect: &&&NeighbourEffect| {
                    effect.stack == stack && effect.beside == *beside && effect.side == side
                };
                effects.iter().find(is_it).map_or("–".to_owned(), |effect| percent(effect))
            };
            text.push_str(&format!(
                "| {stack} | {} | {} | {} |\n",
                name(beside),
                cell(Side::Client),
                cell(Side::Server)
            ));
        }
    }
    text.push_str("\n### Largest\n\n| family | stack | after | side | dependence |\n|---|---|---|---|--:|\n");
    for effect in NeighbourEffect::largest(&found.effects) {
        let NeighbourEffect { family, stack, side, beside, .. } = effect;
        text.push_str(&format!("| {family} | {stack} | {} | {side} | {} |\n", name(beside), percent(effect)));
    }
    for (title, lines) in [("Not measured", &found.holes), ("Warnings", &found.warnings)] {
        if !lines.is_empty() {
            text.push_str(&format!("\n### {title}\n\n"));
            lines.iter().for_each(|line| text.push_str(&format!("- {line}\n")));
        }
    }
    text
}

fn name(beside: &Neighbour) -> String {
    match beside {
        Neighbour::OnePiece => "*in one piece*".to_owned(),
        Neighbour::Itself => "itself".to_owned(),
        Neighbour::Stack(stack) => stack.clone(),
    }
}

/// `+1.2 % [+0.9, +1.5]`.
fn percent(effect: &NeighbourEffect) -> String {
    let share = |ratio: f64| format!("{:+.2}", (ratio - 1.0) * 100.0);
    match (effect.lower, effect.upper) {
        (Some(lower), Some(upper)) => {
            format!("{} % [{}, {}]", share(effect.ratio), share(lower), share(upper))
        }
        _ => format!("{} % ({} rounds are too few for an interval)", share(effect.ratio), effect.rounds),
    }
}
