//! A comparison from its request to its result.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use tlslab_comparison::{Comparison, judge};
use tlslab_estimate::{Family, Report};
use tlslab_protocol::{Measure, Scenario, Work};
use tlslab_recipe::{Place, StackRequest};
use tlslab_record::{LayoutEffect, Plan, Policy, RunRecord, StackRecord};
use tlslab_store::{Owner, Store};

use super::arrangement::choose;
use super::decision_rule::rule;
use super::design::{ComparisonDesign, planned};
use super::files::{read_comparison, write_files};
use super::kept_profiles::KeptProfiles;
use super::layouts::Programs;
use super::own_threshold::{describe, track};
use super::reasons;
use super::recorder::StoreRecorder;
use super::stages::{Measuring, finish};
use crate::calibration;
use crate::canary;
use crate::counting;
use crate::error::Error;
use crate::history::acknowledgement::note_acknowledged;
use crate::host;
use crate::problem::Problem;
use crate::progress::event::{ComparisonStarted, Event, PairStarted};
use crate::progress::steps::RunEvents;
use crate::request::{ArrangementChoice, CompareRequest};
use crate::results::lease::{leased, or_released};
use crate::results::open_existing;
use crate::run::base::recorded_request;
use crate::run::{check_same_request, figures_of, plan, recorded_as};
use crate::session::Session;
use crate::session::conditions::RunName;
use crate::session::environment::Environment;
use crate::session::reporter::Reporter;
use crate::session::workshop::Workshop;
use crate::stacks::capability;

/// Measures pairs of stacks together and judges their changes, or resumes that.
///
/// # Errors
/// Fails if the request has unknown names, or if the comparison stops early.
pub fn compare(session: &Session<'_>, request: &CompareRequest) -> Result<Comparison, Error> {
    let mut store = session.store()?;
    // A wrong address is reported before anything is measured.
    session.results.history.as_ref().map(open_existing).transpose()?;
    let name = &session.conditions().own_run();
    match session.reporter().finished(None, begin(session, request, name, &mut *store))? {
        Begun::Complete(record) => Ok(recorded(session, &record)?),
        Begun::Open(plan, programs) => {
            let measured = measure_and_judge(session, request, &plan, &programs, &mut *store);
            session.reporter().finished(Some(&plan.id), measured)
        }
    }
}

/// A comparison that has a plan.
pub enum Begun<'s> {
    /// All measurements are complete.
    Complete(Box<RunRecord>),
    /// The planned measurements, with their programs.
    Open(Box<Plan>, Programs<'s>),
}

/// Plans a comparison, or loads the one of that name.
///
/// # Errors
/// Fails if the request has unknown names, if the run of that name has another request, or if it cannot be
/// resumed.
pub fn begin<'s>(
    session: &'s Session<'s>,
    request: &CompareRequest,
    name: &RunName,
    store: &mut dyn Store,
) -> anyhow::Result<Begun<'s>> {
    if let Some(record) = recorded_as(name, store)? {
        check_same_request(session, name, &record.plan, request)?;
        if record.complete && record.plan.comparison.is_some() {
            return Ok(Begun::Complete(Box::new(record)));
        }
        store.take_run(&name.id, &Owner::this_process())?;
        let resumed = store
            .load(&name.id)
            .map_err(anyhow::Error::from)
            .and_then(|record| resumed(&session.workshop, record));
        let (plan, programs) = or_released(store, &name.id, resumed)?;
        return Ok(Begun::Open(Box::new(plan), programs));
    }
    let design = design(session, request, name, &*store)?;
    let (mut plan, programs) = planned(&session.workshop, &design)?;
    if request.decision.arrangement == ArrangementChoice::Best && plan.comparison.is_some() {
        let (arrangement, why) = choose(&plan, &programs)?;
        if let Some(comparison) = &mut plan.comparison {
            comparison.arrangement = arrangement;
            comparison.arrangement_chosen = why;
        }
    }
    store.create_run(&plan, &Owner::this_process())?;
    capability::note(store, &plan.stacks)?;
    Ok(Begun::Open(Box::new(plan), programs))
}

/// Carries out the plan, judges it and writes its files. Other processes can resume an interrupted one.
pub fn measure_and_judge(
    session: &Session<'_>,
    request: &CompareRequest,
    plan: &Plan,
    programs: &Programs<'_>,
    store: &mut dyn Store,
) -> anyhow::Result<Comparison> {
    leased(store, &plan.id, |store| measure_leased(session, request, plan, programs, store))
}

fn measure_leased(
    session: &Session<'_>,
    request: &CompareRequest,
    plan: &Plan,
    programs: &Programs<'_>,
    store: &mut dyn Store,
) -> anyhow::Result<Comparison> {
    session.workshop.resume_place(plan)?;
    let pki = session.workshop.keys(&plan.scenarios)?;
    plan::check_still_the_same(plan, &pki)?;
    announce(session.reporter(), plan);
    let mut recorder = StoreRecorder { store, run: plan.id.clone() };
    let timeout = request.decision.timeout_s.duration();
    let mut measuring = Measuring {
        pki: &pki,
        workshop: &session.workshop,
        timeout,
        observer: &mut RunEvents::of(&session.workshop, plan),
    };
    finish(plan, programs, &mut recorder, &mut measuring)?;
    let record = RunRecord { complete: true, ..store.load(&plan.id)? };
    let comparison = publish(session, &record, &*store, request.functions)?;
    store.put_figures(&plan.id, &figures_of(plan, &Report::of(&record)))?;
    store.complete_run(&plan.id)?;
    Ok(comparison)
}

/// Judges the measurements with the history of each cell, names the functions behind changes on request, and
/// writes the files.
fn publish(
    session: &Session<'_>,
    record: &RunRecord,
    store: &dyn Store,
    names_functions: bool,
) -> anyhow::Result<Comparison> {
    let mut comparison = judge(record).context("the run is not a comparison")?;
    describe(&mut comparison, record);
    session.results.read_history(store, |history| {
        track(&mut comparison, history, &record.plan.policy.history)?;
        note_acknowledged(&mut comparison, history)
    })?;
    let profiles = match names_functions {
        true => reasons::find(&session.workshop, &mut comparison, Some(&record.plan))?,
        false => KeptProfiles::default(),
    };
    write_files(session, &record.plan.id, &comparison, &profiles)?;
    Ok(comparison)
}

/// A complete comparison: as written, or judged again if its file is missing.
pub fn recorded(session: &Session<'_>, record: &RunRecord) -> anyhow::Result<Comparison> {
    let file = session.results.out.join(&record.plan.id).join("comparison.json");
    if file.is_file() {
        return read_comparison(&file);
    }
    publish(session, record, &*session.store()?, true)
}

fn resumed<'s>(workshop: &'s Workshop<'s>, record: RunRecord) -> anyhow::Result<(Plan, Programs<'s>)> {
    let Some(comparison) = &record.plan.comparison else {
        bail!(Problem::refused(
            format!("run {}", record.plan.id),
            "it is not a comparison",
            format!("continue it with `tlslab run --resume {}`", record.plan.id)
        ));
    };
    workshop.check_recorded(&record.plan)?;
    let index = workshop.environment.recipe_index()?;
    let recipe = |stack: &StackRecord| index.named(&stack.identity.as_ref()?.recipe).ok();
    let is_moved = |at: usize| !record.plan.is_canary(at);
    let stacks = record.plan.stacks.iter().enumerate();
    let recipes = stacks.map(|(at, stack)| is_moved(at).then(|| recipe(stack)).flatten()).collect();
    let first = vec![0; record.plan.stacks.len()];
    let moves = comparison.moves;
    Ok((record.plan, Programs { workshop, recipes, first, moves }))
}

/// The request.
fn design(
    session: &Session<'_>,
    request: &CompareRequest,
    name: &RunName,
    store: &dyn Store,
) -> anyhow::Result<ComparisonDesign> {
    let (scenarios, suite) = scenarios(session.environment(), &request.suite, &request.scenarios)?;
    let metrics = metrics(&request.metrics);
    let counting = match metrics.contains(&Measure::Count) {
        true => Some(counting::plan_by(&session.workshop, request.counter)?),
        false if request.counter.is_some() => {
            let (cause, next) = ("nothing is counted in this comparison", "add count to the metrics");
            bail!(Problem::invalid("counter", "counter", cause, next))
        }
        false => None,
    };
    let timed = scenarios.iter().filter(|scenario| !matches!(scenario.work, Work::Idle { .. }));
    let cells: usize = timed.map(|scenario| scenario.work.sides().len()).sum();
    let pairs = requested_pairs(&request.pairs)?;
    ensure!(
        !pairs.is_empty(),
        Problem::invalid("pairs", "a comparison", "it needs a baseline and a candidate", "name two stacks")
    );
    let decision = &request.decision;
    let mut rule =
        rule(&policy_of_host(session, &scenarios, store)?, decision, cells * pairs.len(), scenarios.len())?;
    // Code layout changes neither memory, contention nor size.
    rule.moves &= metrics.iter().any(|metric| matches!(metric, Measure::Time | Measure::Count));
    let scenarios = if plan::needs_work(&metrics) { scenarios } else { Vec::new() };
    Ok(ComparisonDesign {
        id: name.id.clone(),
        request: recorded_request(request)?,
        rule,
        pairs,
        scenarios,
        suite,
        canaries: canaries(session, request, &metrics, store)?,
        metrics,
        counting,
        seed: decision.seed.unwrap_or_else(|| u64::from(rand::random::<u32>())),
        timeout: decision.timeout_s.duration(),
        planted: Default::default(),
        new_first_layout: 0,
        detects_identical: true,
    })
}

/// Pairs of stacks as a design has them.
pub fn requested_pairs(pairs: &[(String, String)]) -> anyhow::Result<Vec<[StackRequest; 2]>> {
    let parse = |(baseline, candidate): &(String, String)| {
        Ok([StackRequest::parse(baseline)?, StackRequest::parse(candidate)?])
    };
    pairs.iter().map(parse).collect()
}

/// The policy, with floors raised to the measured effect of code layout on this kind of host.
fn policy_of_host(
    session: &Session<'_>,
    scenarios: &[Scenario],
    store: &dyn Store,
) -> anyhow::Result<Policy> {
    let effects = calibration::layouts::effects_of_host(store, &host::fingerprint())?;
    let floors = LayoutEffect::floors(&effects);
    let measured = scenarios.iter().filter_map(|scenario| floors.get(Family::of(scenario).title()));
    let mut policy = session.policy().clone();
    // One layout in twenty exceeds a measured floor, and a confirmation finds it again: measurements only
    // raise the policy's floors.
    let floor = &mut policy.comparison.fixed_layout_time_floor;
    *floor = measured.copied().fold(*floor, f64::max);
    Ok(policy)
}

/// The stacks that are timed for the history only.
fn canaries(
    session: &Session<'_>,
    request: &CompareRequest,
    metrics: &[Measure],
    store: &dyn Store,
) -> anyhow::Result<Vec<StackRecord>> {
    let Some(asked) = request.canary.as_ref().filter(|_| metrics.contains(&Measure::Time)) else {
        return Ok(Vec::new());
    };
    let Some(stack) = canary::find_asked(&session.workshop, asked)? else { return Ok(Vec::new()) };
    let index = session.environment().recipe_index()?;
    let timeout = request.decision.timeout_s.duration();
    session
        .results
        .read_history(store, |history| canary::records(&session.workshop, &index, &stack, history, timeout))
}

/// Scenarios by pattern or of a suite, with the suite's name.
pub fn scenarios(
    environment: &Environment,
    suite: &str,
    patterns: &[String],
) -> anyhow::Result<(Vec<Scenario>, String)> {
    let catalogue = environment.catalogue()?;
    let (excluding, including): (Vec<&str>, Vec<&str>) =
        patterns.iter().map(String::as_str).partition(|pattern| pattern.starts_with('!'));
    let mut selected = match including.is_empty() {
        true => catalogue.select(&catalogue.suite(suite)?.scenarios)?,
        false => catalogue.select(&including)?,
    };
    if patterns.is_empty() {
        return Ok((selected, suite.to_owned()));
    }
    let excluding: Vec<&str> = excluding.iter().map(|pattern| pattern.trim_start_matches('!')).collect();
    let excluded = catalogue.select(&excluding)?;
    selected.retain(|scenario| excluded.iter().all(|other| other.name != scenario.name));
    if selected.is_empty() {
        let cause = "every scenario that the others select is excluded";
        bail!(Problem::invalid("scenarios", patterns.join(" "), cause, "exclude less"));
    }
    Ok((selected, "custom".to_owned()))
}

/// The scenarios to compare, each once.
fn metrics(asked: &[Measure]) -> Vec<Measure> {
    let mut metrics = if asked.is_empty() { vec![Measure::Time, Measure::Count] } else { asked.to_vec() };
    metrics.sort_unstable();
    metrics.dedup();
    metrics
}

/// The same stack at the commit at which its checkout, `STACK@path:DIR`, left a branch: a job thus has both
/// sides from the beginning.
///
/// # Errors
/// Fails if the stack is not a checkout, or if git does not find the branch.
pub fn at_merge_base(workshop: &Workshop<'_>, stack: &str, branch: &str) -> anyhow::Result<String> {
    let asked = StackRequest::parse(stack)?;
    let Some(Place::Path(folder)) = &asked.spec.source else {
        bail!(Problem::invalid("stack", stack, "it is not a checkout", "write STACK@path:DIR"));
    };
    let recipe = workshop.environment.recipe_index()?.named(&asked.spec.text)?;
    workshop.decide_place(&[&recipe])?;
    let found = workshop.git(Path::new(folder), &["merge-base", "--end-of-options", "HEAD", branch]);
    workshop.reporter.check()?;
    let revision = found.with_context(|| {
        format!(
            "branch {branch}: git finds no merge base in {folder}; fetch the branch with its history first"
        )
    })?;
    Ok(asked.with_stack(&asked.spec.from_source(&format!("git:{folder}#{revision}"))))
}

fn announce(reporter: &Reporter<'_>, plan: &Plan) {
    let Some(comparison) = &plan.comparison else { return };
    let name = |stack: usize| plan.stacks[stack].name.clone();
    let pairs = comparison.pairs.iter().map(|pair| PairStarted {
        baseline: name(pair.baseline),
        candidate: name(pair.candidate),
        fixed_layout: pair.fixed_layout.clone(),
        identical: pair.identical,
    });
    reporter.emit(&Event::ComparisonStarted(ComparisonStarted {
        run: plan.id.clone(),
        pairs: pairs.collect(),
        scenarios: plan.scenarios.len(),
        timing: plan.has(Measure::Time).then(|| (comparison.rounds(), plan.budget_s)),
        seed: plan.seed,
    }));
}
