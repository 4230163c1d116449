//! From a comparison's inputs to its plan.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use tlslab_protocol::{Measure, Scenario};
use tlslab_recipe::{Recipe, StackRequest};
use tlslab_record::{Canaries, ComparisonPlan, CountPlan, Plan, StackPair, StackRecord, StackState};

use super::decision_rule::DecisionRule;
use super::forecast::phases;
use super::identical_code;
use super::layouts::Programs;
use crate::run::base::PlanBase;
use crate::run::stack_record::stack_record;
use crate::session::workshop::Workshop;

/// The inputs of a comparison.
pub struct ComparisonDesign {
    /// The run's name.
    pub id: String,
    /// The request, which is recorded.
    pub request: serde_json::Value,
    /// Each baseline with its candidate.
    pub pairs: Vec<[StackRequest; 2]>,
    /// The scenarios.
    pub scenarios: Vec<Scenario>,
    /// The suite's name, or `custom`.
    pub suite: String,
    /// The metrics.
    pub metrics: Vec<Measure>,
    /// Stacks that are timed together with the pairs but not judged.
    pub canaries: Vec<StackRecord>,
    /// How instructions are counted, if they are.
    pub counting: Option<CountPlan>,
    /// The parameters of the decision.
    pub rule: DecisionRule,
    /// The seed of every random order.
    pub seed: u64,
    /// The time limit of a driver's answer.
    pub timeout: Duration,
    /// For each stack of a pair, variables of its drivers beyond its own, for deliberate slow-downs.
    pub planted: [BTreeMap<String, String>; 2],
    /// The random code order with which the candidate begins; the baseline begins with the first.
    pub new_first_layout: u32,
    /// Whether both stacks of a pair may be reported as identical, if they are.
    pub detects_identical: bool,
}

impl ComparisonDesign {
    /// The stacks, baseline and candidate of each pair in turn.
    fn stacks(&self) -> impl Iterator<Item = &str> {
        self.pairs.iter().flatten().map(|stack| stack.spec.text.as_str())
    }

    /// The names of the stacks: their given names, else their texts.
    fn names(&self) -> Vec<String> {
        let named = |pair: &[StackRequest; 2]| {
            let [baseline, candidate] = pair.each_ref().map(|stack| stack.name().to_owned());
            let again = if baseline == candidate { format!("{candidate} (again)") } else { candidate };
            [baseline, again]
        };
        self.pairs.iter().flat_map(named).collect()
    }
}

/// Builds missing stacks and plans the comparison.
pub fn planned<'s>(
    workshop: &'s Workshop<'s>,
    design: &ComparisonDesign,
) -> anyhow::Result<(Plan, Programs<'s>)> {
    let index = workshop.environment.recipe_index()?;
    let recipes: Vec<Recipe> = design.stacks().map(|stack| index.named(stack)).collect::<Result<_, _>>()?;
    let pki = workshop.keys(&design.scenarios)?;
    let further = phases(workshop, design, &recipes)?;
    let built = workshop.build_and_announce(&recipes.iter().collect::<Vec<_>>(), &further)?;
    workshop.reporter.check()?;
    let mut stacks = Vec::new();
    for (at, (name, recipe)) in design.names().iter().zip(&recipes).enumerate() {
        let mut record = stack_record(workshop, name, recipe, &built[&recipe.name], design.timeout);
        record.environment.extend(design.planted[at % 2].clone());
        stacks.push(record);
    }
    // A cancelled driver has not failed.
    workshop.reporter.check()?;
    check_any_builds(&stacks)?;
    let others = stacks.len();
    let is_built = |recipe: &Recipe| built[&recipe.name].is_ok().then(|| recipe.clone());
    let programs = Programs {
        workshop,
        first: (0..recipes.len()).map(|at| if at % 2 == 0 { 0 } else { design.new_first_layout }).collect(),
        recipes: recipes.iter().map(is_built).collect(),
        moves: design.rule.moves,
    };
    let pairs = pairs(design, &stacks, &programs)?;
    let canaries = canaries(design, others);
    stacks.extend(design.canaries.iter().cloned());
    let programs = programs.beside(design.canaries.len());
    let rule = &design.rule;
    let is_fixed = !rule.moves || pairs.iter().any(|pair| !pair.fixed_layout.is_empty());
    let floor = if is_fixed { rule.time_floor.1 } else { rule.time_floor.0 };
    let rounds = rule.looks.last().copied().context("a comparison needs rounds")?;
    let (counting, confirmation_seeds, further_seeds) = seeded_counting(design);
    let comparison = ComparisonPlan {
        pairs,
        confirmation_seeds,
        further_seeds,
        time_floor: floor.ln_1p(),
        exact_floor: rule.exact_floor.ln_1p(),
        negligible: rule.negligible.ln_1p(),
        moves: rule.moves,
        arrangement: rule.arrangement,
        arrangement_chosen: rule.arrangement_chosen.clone(),
        visit_s: rule.visit.as_secs_f64(),
        ..ComparisonPlan::by(&rule.policy, &rule.rounds())
    };
    let added =
        canaries.as_ref().map_or(0.0, |canaries| canaries.stacks.len() as f64 / f64::from(canaries.every));
    let longer = 1.0 + added / others as f64;
    let base = PlanBase {
        id: &design.id,
        request: design.request.clone(),
        policy: rule.policy.clone(),
        slicing: rule.slicing,
        pki: &pki,
        scenarios: design.scenarios.clone(),
        metrics: design.metrics.clone(),
        stacks,
    };
    let plan = Plan {
        suite: design.suite.clone(),
        seed: design.seed,
        budget_s: f64::from(rounds) * design.scenarios.len() as f64 * rule.visit.as_secs_f64() * longer,
        rounds: rounds + rule.confirmation,
        counting,
        comparison: Some(comparison),
        canaries,
        ..base.plan(workshop)?
    };
    Ok((plan, programs))
}

/// The places of canaries, after all other stacks, and their rounds.
fn canaries(design: &ComparisonDesign, others: usize) -> Option<Canaries> {
    crate::canary::rounds(&design.rule.policy, design.canaries.len(), others)
}

/// # Errors
/// Fails if no stack can be measured.
fn check_any_builds(stacks: &[StackRecord]) -> anyhow::Result<()> {
    let reason_of = |stack: &StackRecord| match &stack.state {
        StackState::Failed(reason) => Some(format!("{}: {reason}", stack.name)),
        _ => None,
    };
    let reasons: Vec<String> = stacks.iter().filter_map(reason_of).collect();
    match reasons.first() {
        Some(first) if reasons.len() == stacks.len() => bail!("no cell can be compared: {first}"),
        _ => Ok(()),
    }
}

/// The number of further groups of seeds, drawn one after the other, for counts that changed alike in both
/// measurements and scatter too much for certainty.
const FURTHER_SEEDS: [u64; 2] = [8, 16];

/// How instructions are counted, the seeds for confirmation, and further ones.
pub(super) fn seeded_counting(design: &ComparisonDesign) -> (Option<CountPlan>, Vec<u64>, Vec<Vec<u64>>) {
    let Some(mut counting) = design.counting.clone() else { return (None, Vec::new(), Vec::new()) };
    let unseeded = design.rule.policy.comparison.unseeded_counts;
    let (first, again) = if counting.counter.kind.forges() { design.rule.seeds } else { unseeded };
    counting.seeds = (1..=first).collect();
    let seeds = |from: u64, count: u64| (from + 1..=from + count).collect::<Vec<_>>();
    let mut drawn = first + again;
    let further = FURTHER_SEEDS.iter().filter(|_| again > 0).map(|count| {
        drawn += count;
        seeds(drawn - count, *count)
    });
    let further = further.collect();
    (Some(counting), seeds(first, again), further)
}

/// The pairs of stacks, and what is known of their code.
fn pairs(
    design: &ComparisonDesign,
    stacks: &[tlslab_record::StackRecord],
    programs: &Programs<'_>,
) -> anyhow::Result<Vec<StackPair>> {
    let first = design.rule.looks.first().copied().unwrap_or(0);
    // A candidate may begin with another order, so both are asked for their layouts.
    let layouts = programs.built(0, first)?;
    let mut pairs = Vec::new();
    for at in 0..design.pairs.len() {
        let (baseline, candidate) = (2 * at, 2 * at + 1);
        let is_ready = |stack: usize| matches!(stacks[stack].state, StackState::Ready(_));
        let path = |stack: usize| Path::new(&stacks[stack].driver);
        let identical = design.detects_identical
            && is_ready(baseline)
            && is_ready(candidate)
            && stacks[baseline].environment == stacks[candidate].environment
            && identical_code::same_code(path(baseline), path(candidate))?;
        let mut fixed_layout = Vec::new();
        for stack in [baseline, candidate] {
            if !is_ready(stack) || !design.rule.moves {
                continue;
            }
            let name = &stacks[stack].name;
            if let Err(reason) = &layouts[stack] {
                fixed_layout.push(format!("the code layout of {name} was not randomised: {reason}"));
            } else if let Some(library) = identical_code::loads(path(stack)) {
                fixed_layout
                    .push(format!("the code layout of {name} was not randomised: it loads {library}"));
            }
        }
        pairs.push(StackPair { baseline, candidate, identical, fixed_layout });
    }
    Ok(pairs)
}
