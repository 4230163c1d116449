//! A comparison from its request to its result.

use std::path::Path;

use anyhow::{Context, bail, ensure};
use tlslab_comparison::{Comparison, judge};
use tlslab_estimate::Report;
use tlslab_protocol::{Metric, Scenario, Work};
use tlslab_record::{Plan, RunRecord, Seconds, StackRecord};
use tlslab_store::Store;

use super::arrangement::choose;
use super::files::{read_comparison, write_files};
use super::job::{Job, planned};
use super::kept::Stored;
use super::layouts::Programs;
use super::reasons;
use super::stages::{Measuring, finish};
use super::terms::terms;
use super::tracked::track;
use crate::counting;
use crate::error::Error;
use crate::event::{ComparisonStarted, Event, PairStarted};
use crate::request::{ArrangementChoice, CompareRequest, Resume};
use crate::results::open_existing;
use crate::run::{figures_of, plan};
use crate::session::{RunEvents, Session};

/// Measures pairs of stacks together and judges what changed, or resumes that.
///
/// # Errors
/// A request that asks for what there is not, and anything that keeps a comparison from its end.
pub fn compare(session: &Session<'_>, request: &CompareRequest) -> Result<Comparison, Error> {
    let mut store = request.results.open()?;
    // A wrong address is reported before anything is measured.
    request.history.as_ref().map(open_existing).transpose()?;
    let (plan, programs) = session.finished(None, begun(session, request, &mut *store))?;
    session.finished(Some(&plan.id), to_the_end(session, request, &plan, &programs, &mut *store))
}

/// A new comparison, or one that was interrupted, with its programs.
pub fn begun<'s>(
    session: &'s Session<'s>,
    request: &CompareRequest,
    store: &mut dyn Store,
) -> anyhow::Result<(Plan, Programs<'s>)> {
    if let Some(wanted) = &request.resume {
        return resumed(session, wanted, &request.results.out, store);
    }
    let job = job(session, request)?;
    let (mut plan, programs) = planned(session, &job)?;
    if request.decision.arrangement == ArrangementChoice::Best && plan.comparison.is_some() {
        let (arrangement, why) = choose(&plan, &programs)?;
        if let Some(comparison) = &mut plan.comparison {
            comparison.arrangement = arrangement;
            comparison.arrangement_chosen = why;
        }
    }
    store.create_run(&plan)?;
    Ok((plan, programs))
}

/// Measures what is planned, judges it and writes its files.
pub fn to_the_end(
    session: &Session<'_>,
    request: &CompareRequest,
    plan: &Plan,
    programs: &Programs<'_>,
    store: &mut dyn Store,
) -> anyhow::Result<Comparison> {
    session.sandbox_of(plan)?;
    let pki = session.keys(&plan.scenarios)?;
    plan::check_still_the_same(plan, &pki)?;
    announce(session, plan, &request.results.out);
    let mut kept = Stored { store, run: plan.id.clone() };
    let timeout = Seconds::nearest(request.decision.timeout_s).duration();
    let mut measuring = Measuring { pki: &pki, session, timeout, observer: &mut RunEvents(session) };
    finish(plan, programs, &mut kept, &mut measuring)?;
    let record = RunRecord { complete: true, ..store.load(&plan.id)? };
    let mut comparison = judge(&record).context("the run is not a comparison")?;
    match &request.history {
        Some(address) => track(&mut comparison, plan, &*open_existing(address)?)?,
        None => track(&mut comparison, plan, &*store)?,
    }
    if request.functions {
        reasons::find(session, &mut comparison, Some(plan))?;
    }
    write_files(session, &request.results.out, &plan.id, &comparison)?;
    store.put_figures(&plan.id, &figures_of(plan, &Report::of(&record)))?;
    store.complete_run(&plan.id)?;
    Ok(comparison)
}

/// A complete comparison: as it was written, or judged once more if that file is gone.
pub fn recorded(session: &Session<'_>, out: &Path, record: &RunRecord) -> anyhow::Result<Comparison> {
    let file = out.join(&record.plan.id).join("comparison.json");
    if file.is_file() {
        return read_comparison(&file);
    }
    let mut comparison = judge(record).context("the run is not a comparison")?;
    reasons::find(session, &mut comparison, Some(&record.plan))?;
    write_files(session, out, &record.plan.id, &comparison)?;
    Ok(comparison)
}

fn resumed<'s>(
    session: &'s Session<'s>,
    wanted: &Resume,
    out: &Path,
    store: &dyn Store,
) -> anyhow::Result<(Plan, Programs<'s>)> {
    let ids: Vec<String> = match wanted {
        Resume::Newest => store.runs()?.into_iter().filter(|run| !run.complete).map(|run| run.id).collect(),
        Resume::Run(id) => vec![id.clone()],
    };
    for id in ids {
        let record = store.load(&id)?;
        ensure!(!record.complete, "run {id} is complete");
        let Some(comparison) = &record.plan.comparison else { continue };
        session.check_recorded(&record.plan)?;
        let index = session.environment.recipe_index()?;
        let recipe = |stack: &StackRecord| index.named(&stack.identity.as_ref()?.recipe).ok();
        let recipes = record.plan.stacks.iter().map(recipe).collect();
        let first = vec![0; record.plan.stacks.len()];
        let moves = comparison.moves;
        return Ok((record.plan.clone(), Programs { session, recipes, first, moves }));
    }
    bail!("no comparison in {} was interrupted", out.display())
}

/// What was asked for.
fn job(session: &Session<'_>, request: &CompareRequest) -> anyhow::Result<Job> {
    let (scenarios, suite) = scenarios(session, &request.suite, &request.scenarios)?;
    let metrics = metrics(&request.metrics);
    let counting = match metrics.contains(&Metric::Count) {
        true => Some(counting::plan_by(session, request.counter)?),
        false => {
            ensure!(request.counter.is_none(), "--counter: nothing is counted; add --metric count");
            None
        }
    };
    let timed = scenarios.iter().filter(|scenario| !matches!(scenario.work, Work::Idle { .. }));
    let cells: usize = timed.map(|scenario| scenario.work.sides().len()).sum();
    let pairs = pairs(session, request)?;
    let decision = &request.decision;
    Ok(Job {
        terms: terms(&session.environment.policy, decision, cells * pairs.len(), scenarios.len())?,
        pairs,
        scenarios,
        suite,
        metrics,
        counting,
        seed: decision.seed.unwrap_or_else(|| u64::from(rand::random::<u32>())),
        timeout: Seconds::nearest(decision.timeout_s).duration(),
        planted: Default::default(),
        new_first_layout: 0,
        detects_identical: true,
    })
}

/// Scenarios by pattern or of a suite, with the suite's name.
pub fn scenarios(
    session: &Session<'_>,
    suite: &str,
    patterns: &[String],
) -> anyhow::Result<(Vec<Scenario>, String)> {
    let catalogue = session.environment.catalogue()?;
    if patterns.is_empty() {
        let found = catalogue.suite(suite)?;
        return Ok((catalogue.select(&found.scenarios)?, suite.to_owned()));
    }
    Ok((catalogue.select(patterns)?, "custom".to_owned()))
}

/// What is compared, each once.
fn metrics(asked: &[Metric]) -> Vec<Metric> {
    let mut metrics = if asked.is_empty() { vec![Metric::Time, Metric::Count] } else { asked.to_vec() };
    metrics.sort_unstable();
    metrics.dedup();
    metrics
}

fn pairs(session: &Session<'_>, request: &CompareRequest) -> anyhow::Result<Vec<(String, String)>> {
    let mut pairs = Vec::new();
    if let Some(merge_base) = &request.merge_base {
        let candidate = &merge_base.stack;
        pairs.push((at_merge_base(session, candidate, &merge_base.branch)?, candidate.clone()));
    }
    pairs.extend(request.pairs.iter().cloned());
    ensure!(!pairs.is_empty(), "a comparison needs a baseline and a candidate");
    Ok(pairs)
}

/// The same stack from the commit where its checkout left a branch.
fn at_merge_base(session: &Session<'_>, stack: &str, branch: &str) -> anyhow::Result<String> {
    let (name, rest) = stack
        .split_once("@path:")
        .with_context(|| format!("--merge-base: {stack} is no checkout; write STACK@path:DIR"))?;
    // Variants and dependencies come after the folder.
    let end = rest.find(['+', ',']).unwrap_or(rest.len());
    let (folder, further) = rest.split_at(end);
    let recipe = session.environment.recipe_index()?.named(plan::alias_of(stack).1)?;
    session.choose_sandbox(&[&recipe])?;
    let found = session.git(Path::new(folder), &["merge-base", "--end-of-options", "HEAD", branch]);
    session.check()?;
    let revision = found.with_context(|| {
        format!("--merge-base {branch}: git finds none in {folder}; fetch the branch with its history first")
    })?;
    Ok(format!("{name}@git:{folder}#{revision}{further}"))
}

fn announce(session: &Session<'_>, plan: &Plan, out: &Path) {
    let Some(comparison) = &plan.comparison else { return };
    let name = |stack: usize| plan.stacks[stack].name.clone();
    let pairs = comparison.pairs.iter().map(|pair| PairStarted {
        baseline: name(pair.base),
        candidate: name(pair.new),
        fixed_layout: pair.fixed_layout.clone(),
        identical: pair.identical,
    });
    session.emit(&Event::ComparisonStarted(ComparisonStarted {
        run: plan.id.clone(),
        pairs: pairs.collect(),
        scenarios: plan.scenarios.len(),
        timing: plan.has(Metric::Time).then(|| (comparison.rounds(), plan.budget_s)),
        seed: plan.seed,
        out: out.to_owned(),
    }));
}
