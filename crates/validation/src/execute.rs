//! Validations from their requests to their results.

use anyhow::{Context, ensure};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_comparison::TimeRule;
use tlslab_estimate::Family;
use tlslab_lab::compare::{DecisionRule, scenarios};
use tlslab_lab::{Error, Export, Problem, Session, bounded_read, calibration, counting};
use tlslab_pages::Alone;
use tlslab_protocol::{Measure, Side};
use tlslab_record::{ComparisonPlan, LayoutEffect, Policy};
use tlslab_text::number::percent;

use crate::error_rates::ErrorRates;
use crate::ledger::{Entry, FOLDER, LAYOUTS, Ledger};
use crate::neighbours::{Found, WantedNeighbours, markdown as neighbours_markdown, measure};
use crate::null_change::NullChange;
use crate::replay::{Recordings, Replayed};
use crate::report::{markdown, tables};
use crate::request::{NeighboursRequest, ValidateRequest};
use crate::simulate::simulate;
use crate::trials::{Kind, Slopes, Wanted, digest, rule_digest, run};

/// The file of error rates as data, and how long it may be, bytes.
const RATES: &str = "error-rates.json";
const LONGEST: u64 = 16 << 20;

/// The results of a validation, with the trials that were recorded before.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Validation {
    /// Every trial.
    pub trials: Vec<Entry>,
    /// The rates of all of them, and of replays of recorded rounds.
    pub rates: ErrorRates,
    /// The files.
    pub files: Export,
}

/// Measures false alarms and power, or resumes that.
///
/// # Errors
/// Fails if a stack or scenario does not exist, if the budget is too small, or if a comparison is not
/// possible.
pub fn validate(session: &Session<'_>, request: &ValidateRequest) -> Result<Validation, Error> {
    let folder = session.results.out.join(FOLDER);
    let mut ledger = Ledger::open(session.results, &folder.join("jobs.jsonl"))?;
    let is_finished = match session.reporter().finished(None, jobs(session, request, &mut ledger)) {
        Ok(()) => true,
        Err(Error::Interrupted { .. }) => false,
        Err(failed) => return Err(failed),
    };
    let confidence = session.policy().examination.confidence;
    let trials = ledger.entries();
    if request.layouts.small() > 0 {
        session.reporter().finished(None, keep_layouts(session, &trials, &request.stack))?;
    }
    let path = session.results.out.join(FOLDER).join(RATES);
    // Earlier replays stay unless they are requested again.
    let before = || bounded_read::read(&path, LONGEST).ok();
    let replayed = match is_finished && (request.replays.small(), request.simulated.small()) != (0, 0) {
        true => replays(session, request, &trials)?,
        false => before()
            .and_then(|text| serde_json::from_str::<ErrorRates>(&text).ok())
            .map_or_else(Vec::new, |rates| rates.replayed),
    };
    let host = tlslab_host::Fingerprint::read(std::path::Path::new("/"));
    let of_rule = (rule_digest(session.policy()), tlslab_lab::host::host_class());
    let current: Vec<Entry> = trials
        .iter()
        .filter(|trial| (&trial.rule, &trial.host) == (&of_rule.0, &of_rule.1))
        .cloned()
        .collect();
    let rates_of = |trials: &[Entry]| {
        ErrorRates::of(trials, &replayed, (env!("CARGO_PKG_VERSION"), host.clone()), confidence)
    };
    let (rates, current) = (rates_of(&trials), rates_of(&current));
    let current = serde_json::to_string_pretty(&current).context("cannot serialise the error rates")?;
    let files = [
        ("validation.html".to_owned(), tlslab_pages::validation(&tables(&rates), &Alone).html(&Alone)),
        ("validation.md".to_owned(), markdown(&rates)),
        (RATES.to_owned(), current + "\n"),
    ];
    let files = Export::write(&session.results.out, "validation", FOLDER, &files)?;
    session.reporter().announce(&files);
    match is_finished {
        true => Ok(Validation { trials, rates, files }),
        false => Err(Error::EARLY),
    }
}

/// Does every job that is not recorded yet.
fn jobs(session: &Session<'_>, request: &ValidateRequest, ledger: &mut Ledger) -> anyhow::Result<()> {
    ensure!(
        request.metric != Measure::Heap,
        Problem::invalid("metric", "heap", "memory does not vary", "validate time or count")
    );
    ensure!(
        request.metric != Measure::Size,
        Problem::invalid("metric", "size", "sizes do not vary", "validate time or count")
    );
    let (scenarios, _) = scenarios(session.environment(), &request.suite, &request.scenarios)?;
    let counting = match request.metric {
        Measure::Count => {
            let mut plan = counting::plan_by(&session.workshop, None)?;
            plan.iterations = request.count_iterations.get();
            Some(plan)
        }
        _ => None,
    };
    let mut kinds = vec![(Kind::Same, request.same), (Kind::Twins, request.twins)];
    kinds.extend(NullChange::ALL.map(|change| (Kind::Null(change), request.nulls)));
    kinds.extend(request.by.iter().map(|share| (Kind::Slowed(share.get()), request.slowed)));
    kinds.push((Kind::Recording, request.recordings));
    kinds.push((Kind::Layouts, request.layouts));
    let kinds = kinds.into_iter().map(|(kind, trials)| (kind, trials.small()));
    let mut slopes = Slopes::new();
    for (kind, trials) in kinds.filter(|(_, trials)| *trials > 0) {
        session.reporter().note(format!(
            "{}: {}",
            kind.name(),
            tlslab_text::number::counted(trials, "trial")
        ));
        let terms = terms(session.policy(), request)?;
        let wanted = Wanted {
            stack: request.stack.clone(),
            scenarios: scenarios.clone(),
            metric: request.metric,
            counting: counting.clone(),
            terms: match kind {
                Kind::Recording => undecided(terms),
                Kind::Layouts => by_first_look(terms),
                _ => terms,
            },
            trials,
            seed: request.seed,
            timeout: request.timeout_s.duration(),
        };
        run(session, &wanted, kind, &mut slopes, ledger)?;
    }
    Ok(())
}

fn terms(policy: &Policy, request: &ValidateRequest) -> anyhow::Result<DecisionRule> {
    let slicing = request.slicing.over(policy.slicing);
    let seeds = (request.seeds.get(), policy.comparison.seeds.1);
    let usual = DecisionRule { seeds, slicing, ..DecisionRule::from(policy) };
    usual.within(request.per_scenario_s.duration()).map_err(|least| {
        let thing = format!("{} s for each scenario", request.per_scenario_s.get());
        let cause = format!("a scenario needs at least {} s", least.as_secs_f64());
        Problem::invalid("per_scenario_s", thing, cause, "ask for more").into()
    })
}

/// The same with every round measured, also those that confirm, and no decision before.
fn undecided(rule: DecisionRule) -> DecisionRule {
    let all = rule.looks.last().copied().unwrap_or(0) + rule.confirmation;
    DecisionRule { looks: vec![all], confirmation: 0, ..rule }
}

/// The same with as many rounds as its first look has, which suffice for a ratio.
fn by_first_look(rule: DecisionRule) -> DecisionRule {
    DecisionRule { looks: rule.looks.first().copied().into_iter().collect(), confirmation: 0, ..rule }
}

/// Records the effect of a stack's layouts on its times on this host.
fn keep_layouts(session: &Session<'_>, trials: &[Entry], stack: &str) -> anyhow::Result<()> {
    let catalogue = session.environment().catalogue()?;
    let host = tlslab_lab::host::host_class();
    let mut effects = Vec::new();
    let digest = digest(&session.workshop, stack)?;
    let is_current = |trial: &&Entry| {
        let (slicing, placement) = (format!("{:?}", session.policy().slicing), session.policy().placement);
        trial.kind == LAYOUTS
            && (trial.stack.as_str(), &trial.host, &trial.driver_digest) == (stack, &host, &digest)
            && trial.metric == tlslab_comparison::Compared::Time.name()
            && (&trial.slicing, trial.placement) == (&slicing, placement)
    };
    for trial in trials.iter().filter(is_current) {
        for cell in &trial.cells {
            // A scenario that has been renamed since is skipped.
            let found = catalogue.select(std::slice::from_ref(&cell.scenario));
            let Some(scenario) = found.ok().and_then(|mut found| found.pop()) else { continue };
            let side = Side::BOTH.into_iter().find(|side| side.to_string() == cell.side);
            effects.extend(side.map(|side| LayoutEffect {
                host: host.clone(),
                measured_unix_ms: jiff::Timestamp::now().as_millisecond().unsigned_abs(),
                family: Family::of(&scenario).title().to_owned(),
                scenario: cell.scenario.clone(),
                stack: stack.to_owned(),
                side,
                pair: trial.job,
                ratio: cell.ratio,
            }));
        }
    }
    calibration::layouts::keep(&mut *session.store()?, &effects)
}

/// Judges jobs of simulated rounds, and jobs of recorded ones.
fn replays(
    session: &Session<'_>,
    request: &ValidateRequest,
    trials: &[Entry],
) -> Result<Vec<Replayed>, Error> {
    let (jobs, simulated) = (u64::from(request.replays.small()), u64::from(request.simulated.small()));
    if (jobs, simulated) == (0, 0) {
        return Ok(Vec::new());
    }
    let policy = session.policy();
    let wanted = terms(policy, request)?;
    let rounds = wanted.rounds();
    let rule = TimeRule::of(&ComparisonPlan::by(policy, &rounds), policy).map_err(anyhow::Error::from)?;
    let mut done = match simulated {
        0 => Vec::new(),
        jobs => simulate((&rule, &rounds), jobs, request.seed),
    };
    if jobs == 0 {
        return Ok(done);
    }
    let before = done.len();
    let all = rounds.looks.last().copied().unwrap_or(0) + rounds.confirmation;
    let (slicing, host) = (format!("{:?}", wanted.slicing), tlslab_lab::host::host_class());
    let per_scenario_s = (wanted.visit * all).as_millis() as f64 / 1e3;
    let is_alike = |entry: &Entry| {
        entry.metric == tlslab_comparison::Compared::Time.name()
            && (&entry.slicing, &entry.host) == (&slicing, &host)
            && (entry.placement, entry.per_scenario_s) == (policy.placement, per_scenario_s)
    };
    for recordings in Recordings::of(trials, is_alike) {
        for slowed in std::iter::once(0.0).chain(request.by.iter().map(|share| share.get())) {
            session.reporter().finished(None, session.reporter().check().map_err(anyhow::Error::from))?;
            let jobs = if slowed == 0.0 { jobs } else { jobs.div_ceil(10) };
            session.reporter().note(format!(
                "replays: {} with a slow-down of {}",
                tlslab_text::number::counted(jobs, "job"),
                percent(slowed)
            ));
            done.extend(recordings.replay((&rule, &rounds), jobs, slowed, request.seed));
        }
    }
    if done.len() == before {
        let cause = "no rounds are recorded that are as many as a comparison's";
        return Err(Problem::invalid("replays", "replays", cause, "add --recordings 4").into());
    }
    Ok(done)
}

/// Measures the dependence of times on neighbours, and records it for the reports of this host.
///
/// # Errors
/// Fails if a stack or scenario does not exist, or if the stacks cannot be built.
pub fn neighbours(session: &Session<'_>, request: &NeighboursRequest) -> Result<Found, Error> {
    let (scenarios, _) = scenarios(session.environment(), &request.suite, &request.scenarios)?;
    let (own, rule) = (&session.environment().run.stacks, session.policy().slicing);
    let wanted = WantedNeighbours {
        stacks: if request.stacks.is_empty() { own.clone() } else { request.stacks.clone() },
        others: request.others.get() as usize,
        scenarios,
        rounds: request.rounds.small(),
        slicing: request.slicing.over(rule),
        seed: request.seed,
        timeout: request.timeout_s.duration(),
        policy: session.policy().clone(),
    };
    let found = session.reporter().finished(None, measure(&session.workshop, &wanted))?;
    let out = &session.results.out;
    let text = serde_json::to_string_pretty(&found.effects).context("cannot serialise the effects")?;
    let files =
        [("neighbours.md".to_owned(), neighbours_markdown(&found)), ("neighbours.json".to_owned(), text)];
    session.reporter().announce(&Export::write(out, "neighbours", FOLDER, &files)?);
    // A trial with another rule does not apply to the figures of runs.
    if wanted.slicing == rule {
        calibration::neighbours::keep(&mut *session.store()?, &found.effects)?;
        session
            .reporter()
            .note(format!("recorded in {}: reports there show the largest dependence", out.display()));
    }
    Ok(found)
}
