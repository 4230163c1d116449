//! From a request to the plan of a run.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use rand::RngExt;
use tlslab_pki::Pki;
use tlslab_protocol::{Measure, Pairing, Scenario, Work};
use tlslab_recipe::{Recipe, RecipeIndex, Spec, StackRequest};
use tlslab_record::{
    Count, CountPlan, CounterKind, Evictor, Plan, Preload, RowColumnRecord, RowFileRecord, RowPlan,
    RowRecord, Seconds, StackRecord, StackState,
};
use tlslab_scenario::{Catalogue, Row, RowColumn, Rows, Suite, SuiteCounting};

use super::base::{PlanBase, recorded_request};
use super::forecast::{Timing, phases};
use super::stack_record::stack_record;
use super::together::{self, Otherwise};
use crate::canary;
use crate::canary::names::CANARY;
use crate::counting;
use crate::problem::Problem;
use crate::progress::durations::Durations;
use crate::progress::phase::Phase;
use crate::request::RunRequest;
use crate::session::Session;
use crate::session::environment::Environment;
use crate::session::reporter::Reporter;
use crate::session::workshop::Workshop;

/// The variable by which a program that first calls [`tlslab_evictor::serve`] becomes an evictor.
pub const EVICTOR: &str = "TLSLAB_EVICTOR";

/// Resolves and builds all inputs of a run.
pub fn new_plan(session: &Session<'_>, request: &RunRequest, id: &str) -> anyhow::Result<Plan> {
    let catalogue = session.environment().catalogue()?;
    for (_, cause) in &catalogue.broken {
        session.reporter().warn(format!("skipped: {cause}"));
    }
    let suite_name = request.suite.as_ref().unwrap_or(&session.environment().run.suite);
    let suite = catalogue.suite(suite_name)?;
    let by_pattern = is_custom(request);
    let mut scenarios = chosen(&catalogue, request, suite)?;
    let groups = asked_together(request, suite, &scenarios)?;
    let metrics = metrics(request, suite);
    let needs_work = needs_work(&metrics);
    scenarios.retain(|_| needs_work);
    if !by_pattern {
        drop_oversubscribed(session.reporter(), &mut scenarios);
    }
    check_metrics(&metrics, &scenarios)?;
    let index = session.environment().recipe_index()?;
    let of_suite = if by_pattern { &[][..] } else { &suite.stacks };
    let asked = asked_stacks(session.environment(), request, &index, of_suite)?;
    let rows = suite.rows.as_ref().filter(|_| !by_pattern && needs_work);
    let rows = rows.map(|rows| row_plan(rows, &scenarios, &asked)).transpose()?;
    let baseline = baseline(session.environment(), request, &index, &asked)?;
    // Mistakes in the request have been reported by now.
    let pki = session.workshop.keys(&scenarios)?;
    let counting =
        counting_of(&session.workshop, request, &metrics, (!by_pattern).then_some(&suite.counting))?;
    let timing = timing(session, request, suite, scenarios.len());
    let durations = Durations::of(&session.environment().cache);
    let further = phases(&durations, &asked, &scenarios, &metrics, counting.as_ref(), &timing);
    let mut stacks = stacks(&session.workshop, &asked, &further, request.timeout_s.duration())?;
    let of_canaries = canaries(session, request, &index, &metrics)?;
    let canaries = canary::rounds(session.policy(), of_canaries.len(), stacks.len());
    stacks.extend(of_canaries);
    let (policy, slicing) = (session.policy().clone(), timing.slicing);
    let evicts = evicts(request, suite);
    let together = together::places(&groups, &scenarios);
    let request_text = recorded_request(request)?;
    let base = PlanBase { id, request: request_text, policy, slicing, pki: &pki, scenarios, metrics, stacks };
    Ok(Plan {
        suite: if by_pattern || !needs_work { "custom".to_owned() } else { suite_name.clone() },
        seed: request.seed.unwrap_or_else(|| u64::from(rand::rng().random::<u32>())),
        budget_s: timing.budget_s,
        rounds: timing.rounds,
        evictor: if evicts { Some(evictor(&session.workshop)?) } else { None },
        baseline,
        counting,
        canaries,
        pairing: pairing(request, suite),
        together,
        rows,
        ..base.plan(&session.workshop)?
    })
}

/// Finds mistakes in a request before anything is built or recorded.
///
/// # Errors
/// Returns the first mistake.
pub fn check(workshop: &Workshop<'_>, request: &RunRequest) -> anyhow::Result<()> {
    let catalogue = workshop.environment.catalogue()?;
    let suite = catalogue.suite(request.suite.as_ref().unwrap_or(&workshop.environment.run.suite))?;
    let by_pattern = is_custom(request);
    let scenarios = chosen(&catalogue, request, suite)?;
    asked_together(request, suite, &scenarios)?;
    let index = workshop.environment.recipe_index()?;
    let of_suite = if by_pattern { &[][..] } else { &suite.stacks };
    let asked = asked_stacks(workshop.environment, request, &index, of_suite)?;
    baseline(workshop.environment, request, &index, &asked)?;
    if let Some(canary) = &request.canary {
        canary::find_asked(workshop, canary)?;
    }
    Ok(())
}

fn timing(session: &Session<'_>, request: &RunRequest, suite: &Suite, scenarios: usize) -> Timing {
    // A suite's budget is for that suite's own scenarios.
    let of_suite = if !request.rates.is_empty() {
        scenarios as f64 * S_OF_A_RATE
    } else if is_custom(request) {
        (scenarios as f64 * 5.0).min(suite.budget_s.max(60.0))
    } else {
        suite.budget_s
    };
    Timing {
        budget_s: request.budget_s.map_or(of_suite, Seconds::get),
        rounds: request.rounds.map_or(suite.rounds, Count::small),
        slicing: request.slicing.over(session.policy().slicing),
    }
}

/// How long each scenario and rate is measured, s: a slice of arrivals is long.
const S_OF_A_RATE: f64 = 30.0;

/// Whether the scenarios are no longer the suite's own.
fn is_custom(request: &RunRequest) -> bool {
    !request.scenarios.is_empty() || !request.rates.is_empty()
}

/// The scenarios of a request, each at every requested rate.
fn chosen(catalogue: &Catalogue, request: &RunRequest, suite: &Suite) -> anyhow::Result<Vec<Scenario>> {
    let patterns = if request.scenarios.is_empty() { &suite.scenarios } else { &request.scenarios };
    let scenarios = catalogue.select(patterns)?;
    if request.rates.is_empty() {
        return Ok(scenarios);
    }
    if let Some(scenario) = scenarios.iter().find(|scenario| scenario.rate > 0) {
        let cause = format!("{} has a rate of its own", scenario.name);
        let rate = request.rates[0].to_string();
        bail!(Problem::invalid("rates", &rate, cause, "name other scenarios, or omit the rate"))
    }
    let mut rates: Vec<u32> = request.rates.iter().map(|rate| rate.small()).collect();
    rates.sort_unstable();
    rates.dedup();
    // Held connections are not timed.
    let timed = scenarios.iter().filter(|scenario| !matches!(scenario.work, Work::Idle { .. }));
    let at_rates = |scenario: &Scenario| {
        rates.iter().map(|rate| scenario.at_rate(*rate, request.arrivals)).collect::<Vec<_>>()
    };
    Ok(timed.flat_map(at_rates).collect())
}

/// Announces how long the run takes, builds the stacks and asks their drivers for their descriptions.
fn stacks(
    workshop: &Workshop<'_>,
    asked: &[(String, Recipe)],
    further: &[Phase],
    timeout: Duration,
) -> anyhow::Result<Vec<StackRecord>> {
    let chosen: Vec<&Recipe> = asked.iter().map(|(_, recipe)| recipe).collect();
    let built = workshop.build_and_announce(&chosen, further)?;
    workshop.reporter.check()?;
    let record = |(name, recipe): &(String, Recipe)| {
        stack_record(workshop, name, recipe, &built[&recipe.name], timeout)
    };
    let stacks = asked.iter().map(record).collect();
    // A cancelled driver has not failed.
    workshop.reporter.check()?;
    Ok(stacks)
}

/// The stacks that are timed for the history only.
fn canaries(
    session: &Session<'_>,
    request: &RunRequest,
    index: &RecipeIndex,
    metrics: &[Measure],
) -> anyhow::Result<Vec<StackRecord>> {
    let Some(asked) = request.canary.as_ref().filter(|_| metrics.contains(&Measure::Time)) else {
        return Ok(Vec::new());
    };
    let Some(stack) = canary::find_asked(&session.workshop, asked)? else { return Ok(Vec::new()) };
    canary::records(&session.workshop, index, &stack, &*session.store()?, request.timeout_s.duration())
}

/// How instructions are counted: by the request, and by the suite if its own scenarios run.
fn counting_of(
    workshop: &Workshop<'_>,
    request: &RunRequest,
    metrics: &[Measure],
    of_suite: Option<&SuiteCounting>,
) -> anyhow::Result<Option<CountPlan>> {
    if !metrics.contains(&Measure::Count) {
        counting::check_unasked(request)?;
        return Ok(None);
    }
    let asked = counting::plan(workshop, request)?;
    Ok(Some(match of_suite {
        Some(of_suite) => counted_as(asked, of_suite, request),
        None => asked,
    }))
}

/// The program that uses the processor between two turns.
pub fn evictor(workshop: &Workshop<'_>) -> anyhow::Result<Evictor> {
    let program = workshop.environment.evictor.as_ref();
    let program =
        program.context("cold figures need a program that serves as the evictor; this one names none")?;
    Ok(Evictor {
        program: program.to_string_lossy().into_owned(),
        environment: [(EVICTOR.to_owned(), "1".to_owned())].into(),
        data_bytes: tlslab_evictor::DATA_BYTES as u64,
        code_bytes: tlslab_evictor::CODE_BYTES as u64,
    })
}

/// The groups of scenarios that are measured together, by name. A suite's are for its own scenarios.
fn asked_together(
    request: &RunRequest,
    suite: &Suite,
    scenarios: &[Scenario],
) -> anyhow::Result<Vec<Vec<String>>> {
    let is_asked = is_custom(request) || !request.together.is_empty();
    let patterns = if is_asked { &request.together } else { &suite.together };
    let metrics = metrics(request, suite);
    let otherwise =
        Otherwise { metrics: &metrics, pairing: pairing(request, suite), evicts: evicts(request, suite) };
    together::groups(patterns, scenarios, &otherwise)
}

/// Which server each client is paired with. A suite's pairing is for its own scenarios.
fn pairing(request: &RunRequest, suite: &Suite) -> Pairing {
    request.pairing.unwrap_or(if is_custom(request) { Pairing::Own } else { suite.pairing })
}

/// Whether another program uses the processor between turns.
fn evicts(request: &RunRequest, suite: &Suite) -> bool {
    request.cold || (!is_custom(request) && suite.cold)
}

/// The metrics, each once.
fn metrics(request: &RunRequest, suite: &Suite) -> Vec<Measure> {
    let mut metrics: Vec<Measure> = match (&request.metrics[..], is_custom(request)) {
        ([], false) => suite.metrics.clone(),
        ([], _) => vec![Measure::Time],
        (asked, _) => asked.to_vec(),
    };
    metrics.sort_unstable();
    metrics.dedup();
    metrics
}

/// Whether any metric belongs to scenarios.
pub fn needs_work(metrics: &[Measure]) -> bool {
    metrics.iter().any(|metric| *metric != Measure::Size)
}

/// Idle connections are not timed.
fn check_metrics(metrics: &[Measure], scenarios: &[Scenario]) -> anyhow::Result<()> {
    let idle = scenarios.iter().find(|scenario| matches!(scenario.work, Work::Idle { .. }));
    match idle {
        Some(scenario) if !metrics.contains(&Measure::Heap) => {
            let cause = "idle connections are not timed";
            bail!(Problem::invalid("metrics", &scenario.name, cause, "add heap to the metrics"))
        }
        _ => Ok(()),
    }
}

/// Removes scenarios with more threads than a suite has on this host: one and a half times its processors.
/// Scenarios that are requested by name stay.
fn drop_oversubscribed(reporter: &Reporter<'_>, scenarios: &mut Vec<Scenario>) {
    let processors = tlslab_host::usable_cpus(Path::new("/")).len().max(1) as u32;
    let most = (processors + processors / 2).max(2);
    let before = scenarios.len();
    scenarios.retain(|scenario| scenario.threads <= most);
    let left_out = before - scenarios.len();
    if left_out > 0 {
        let words =
            "1.5 times the processors that the lab may use here; name them as scenarios to measure them";
        reporter.note(format!(
            "excluded: {} with more than {}, {words}",
            tlslab_text::number::counted(left_out, "scenario"),
            tlslab_text::number::counted(most, "thread")
        ));
    }
}

/// A run can only resume with the same programs and keys.
pub fn check_still_the_same(plan: &Plan, pki: &Pki) -> anyhow::Result<()> {
    ensure!(
        plan.pki_digest == pki.digest(),
        "the lab's keys have changed since run {} began, so it cannot be resumed; start a new one",
        plan.id
    );
    if let Some(Preload { library, digest }) = &plan.preload {
        let found = tlslab_build::file_digest(Path::new(library))
            .with_context(|| format!("cannot read the library that counts allocations: {library}"))?;
        ensure!(
            found == *digest,
            "the library that counts allocations has changed since run {} began, so it cannot be resumed; start a new one",
            plan.id
        );
    }
    counting::check_still_the_same(plan)?;
    for stack in &plan.stacks {
        if let StackState::Ready(_) = stack.state {
            let digest = tlslab_build::file_digest(Path::new(&stack.driver))
                .with_context(|| format!("cannot read the driver of {}: {}", stack.name, stack.driver))?;
            ensure!(
                digest == stack.driver_digest,
                "the driver of {} has changed since run {} began, so it cannot be resumed; start a new one",
                stack.name,
                plan.id
            );
        }
    }
    Ok(())
}

/// The suite's options of counting, where the request has none.
fn counted_as(mut plan: CountPlan, suite: &SuiteCounting, request: &RunRequest) -> CountPlan {
    if let (None, Some(iterations)) = (request.count_iterations, suite.iterations) {
        plan.iterations = iterations;
    }
    let is_own = plan.counter.kind == CounterKind::Valgrind;
    if suite.as_callgrind && request.counter.is_none() && is_own {
        plan.counter.arguments.extend(["--rep=each", "--adx=no"].map(str::to_owned));
        plan.counter
            .name
            .push_str(" (as callgrind counts: each iteration of a repeated instruction, no ADX)");
    }
    plan
}

/// The suite's names for the cells of some stacks.
fn row_plan(rows: &Rows, scenarios: &[Scenario], stacks: &[(String, Recipe)]) -> anyhow::Result<RowPlan> {
    let recipes: Vec<String> = stacks
        .iter()
        .map(|(_, recipe)| Ok(Spec::parse(&recipe.name)?.name))
        .collect::<anyhow::Result<_>>()?;
    let recipes: Vec<&str> = recipes.iter().map(String::as_str).collect();
    let resolved = rows.resolve(scenarios, &recipes)?;
    let mut files = Vec::new();
    for file in &rows.files {
        let own = rows.resolve_own(file, scenarios, &recipes)?;
        if own.is_empty() && !file.of.is_empty() {
            continue;
        }
        let of_file = if own.is_empty() { &resolved } else { &own };
        let columns = file.columns.iter().map(|column| row_column(column, of_file, scenarios));
        let columns = columns.collect::<anyhow::Result<_>>()?;
        let rows = own.into_iter().map(row_record).collect();
        files.push(RowFileRecord { name: file.name.clone(), rows, columns });
    }
    Ok(RowPlan { rows: resolved.into_iter().map(row_record).collect(), files })
}

fn row_column(column: &RowColumn, rows: &[Row], scenarios: &[Scenario]) -> anyhow::Result<RowColumnRecord> {
    let times = rows.iter().map(|row| column.times(&scenarios[row.scenario]));
    let once = rows.iter().map(|row| column.once(&scenarios[row.scenario], scenarios));
    let once: Vec<Option<usize>> = once.collect::<Result<_, _>>()?;
    Ok(RowColumnRecord {
        metric: column.metric.clone(),
        times: times.collect::<Result<_, _>>()?,
        once: if once.iter().all(Option::is_none) { Vec::new() } else { once },
    })
}

fn row_record(Row { name, scenario, stack, side }: Row) -> RowRecord {
    RowRecord { name, scenario, stack, side }
}

/// The stacks by their names in this run. `of_suite` are those of its suite, if it has any.
fn asked_stacks(
    environment: &Environment,
    request: &RunRequest,
    index: &RecipeIndex,
    of_suite: &[String],
) -> anyhow::Result<Vec<(String, Recipe)>> {
    let mut asked: Vec<(String, Recipe)> = Vec::new();
    if request.all_stacks {
        asked.extend(index.every_edition()?.into_iter().map(|recipe| (recipe.name.clone(), recipe)));
    }
    let names = match request.stacks.is_empty() {
        true if request.all_stacks => &[],
        true if !of_suite.is_empty() => of_suite,
        true => &environment.run.stacks[..],
        false => &request.stacks[..],
    };
    for name in names {
        let asked_for = StackRequest::parse(name)?;
        let (alias, stack) = (asked_for.name(), asked_for.spec.text.as_str());
        let is_named = !alias.is_empty();
        ensure!(is_named, Problem::invalid("stacks", name, "the name before = is empty", "write NAME=STACK"));
        if asked.iter().any(|(known, _)| known == alias) {
            let cause = format!("two stacks of this run are called \"{alias}\"");
            bail!(Problem::invalid("stacks", name, cause, format!("give one another name: NAME={stack}")));
        }
        if stack == CANARY && index.named(stack).is_err() {
            let spec = environment.run.canary.as_deref();
            let spec = spec.ok_or_else(|| {
                let (cause, next) =
                    ("[run] of tlslab.toml names none", "write `canary = \"STACK@VERSION\"` there");
                Problem::invalid("stacks", stack, cause, next)
            })?;
            asked.push((alias.to_owned(), index.named(spec)?));
            continue;
        }
        let recipe = index.named(stack)?;
        // The beginning of a version is not part of a result's name.
        let name = asked_for.alias.unwrap_or_else(|| recipe.name.clone());
        asked.push((name, recipe));
    }
    Ok(asked)
}

fn baseline(
    environment: &Environment,
    request: &RunRequest,
    index: &RecipeIndex,
    asked: &[(String, Recipe)],
) -> anyhow::Result<String> {
    let takes_part = |name: &str| asked.iter().any(|(known, _)| known == name);
    match &request.baseline {
        Some(name) if takes_part(name) => Ok(name.clone()),
        Some(name) => {
            bail!(Problem::invalid("baseline", name, "it does not take part", "add it to the stacks"))
        }
        None if takes_part(&environment.run.baseline) => Ok(environment.run.baseline.clone()),
        None if takes_part(&index.with_version(&environment.run.baseline)) => {
            Ok(index.with_version(&environment.run.baseline))
        }
        None => Ok(asked.first().context("no stack was asked for")?.0.clone()),
    }
}
