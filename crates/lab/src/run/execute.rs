//! A run from its request to its report.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tlslab_estimate::Report;
use tlslab_measure::{RunError, Runner, Sofar, Stage};
use tlslab_pki::Pki;
use tlslab_protocol::Measure;
use tlslab_record::{Plan, RunRecord, StackState};
use tlslab_store::{Owner, Store, StoreError};

use super::figures;
use super::files::write_files;
use super::forecast::timing_s;
use super::journal::StoreJournal;
use super::plan;
use crate::calibration;
use crate::error::Error;
use crate::functions::rows;
use crate::host::processors;
use crate::host::{self, Watch};
use crate::problem::{ErrorKind, Problem};
use crate::progress::event::{Event, RunStarted};
use crate::progress::steps::RunEvents;
use crate::request::RunRequest;
use crate::results::Results;
use crate::results::exports::Export;
use crate::results::lease::{leased, newest_free, or_released};
use crate::session::Session;
use crate::session::cancel::Interrupted;
use crate::session::conditions::{RunName, Start};
use crate::session::reporter::Reporter;
use crate::session::workshop::Workshop;
use crate::stacks::capability;

/// The result of a run.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RunOutcome {
    /// The report with every cell.
    pub report: Report,
    /// The files that were written.
    pub files: Export,
    /// The functions of its rows, if requested.
    pub functions: Option<RowFunctions>,
}

/// Whether the functions of a run's rows were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum RowFunctions {
    /// They were counted, except for so many rows; a warning gives the reason for each.
    Counted {
        /// The number of rows without functions.
        excluded: usize,
    },
    /// It was cancelled: the run is complete without them.
    Interrupted,
}

/// A run that has a plan.
pub enum Begun {
    /// All measurements are complete.
    Complete(Box<RunRecord>),
    /// The plan, and its measurements so far.
    Open(Box<(Plan, Sofar)>),
}

/// Measures stacks, or resumes an interrupted run.
///
/// # Errors
/// Fails if the request has unknown names, or if the run stops early.
pub fn run(session: &Session<'_>, request: &RunRequest) -> Result<RunOutcome, Error> {
    run_named(session, request, &session.conditions().own_run())
}

/// The same under a name.
///
/// # Errors
/// As [`run`].
pub fn run_named(session: &Session<'_>, request: &RunRequest, name: &RunName) -> Result<RunOutcome, Error> {
    let mut store = session.store()?;
    let (report, files, plan) = match session
        .reporter()
        .finished(None, begin(session, request, name, &mut *store))?
    {
        Begun::Complete(record) => {
            let plan = record.plan.clone();
            let report = report_of(session.results, &*store, *record)?;
            (report.clone(), write_files(&session.results.out, &report, session.environment().pages)?, plan)
        }
        Begun::Open(open) => {
            let (plan, sofar) = *open;
            if takes_part(&plan) {
                announce(session.reporter(), &plan);
            }
            let timeout = request.timeout_s.duration();
            let carried_out = carried_out(session, &plan, sofar, &mut *store, timeout);
            let (report, files) = session.reporter().finished(Some(&plan.id), carried_out)?;
            (report, files, plan)
        }
    };
    session.reporter().announce(&files);
    let functions = match request.functions {
        true => {
            let folder = session.results.out.join(&files.folder);
            Some(functions(session, &plan, &report, &folder, request.timeout_s.duration())?)
        }
        false => None,
    };
    Ok(RunOutcome { report, files, functions })
}

/// Plans a run, or loads the one of that name.
///
/// # Errors
/// Fails if the request has unknown names, if the run of that name has another request, or if it cannot be
/// resumed.
pub fn begin(
    session: &Session<'_>,
    request: &RunRequest,
    name: &RunName,
    store: &mut dyn Store,
) -> anyhow::Result<Begun> {
    if let Some(record) = recorded_as(name, store)? {
        if record.plan.comparison.is_some() {
            bail!(Problem::refused(
                format!("run {}", name.id),
                "it is a comparison",
                format!("continue it with `tlslab compare --resume {}`", name.id)
            ));
        }
        check_same_request(session, name, &record.plan, request)?;
        if record.complete {
            return Ok(Begun::Complete(Box::new(record)));
        }
        store.take_run(&name.id, &Owner::this_process())?;
        let resumed = store
            .load(&name.id)
            .map_err(anyhow::Error::from)
            .and_then(|record| resumed(&session.workshop, record));
        return Ok(Begun::Open(Box::new(or_released(store, &name.id, resumed)?)));
    }
    let plan = plan::new_plan(session, request, &name.id)?;
    // A rejected request leaves no run that could be resumed.
    if request.functions {
        rows::check(&plan)?;
    }
    store.create_run(&plan, &Owner::this_process())?;
    capability::note(store, &plan.stacks)?;
    Ok(Begun::Open(Box::new((plan, Sofar::default()))))
}

/// The run of that name, if there is one.
///
/// # Errors
/// Fails if a run to resume does not exist or is complete, or if a new run exists already.
pub fn recorded_as(name: &RunName, store: &dyn Store) -> anyhow::Result<Option<RunRecord>> {
    let record = match store.load(&name.id) {
        Ok(record) => record,
        Err(StoreError::NoSuchRun { .. }) if name.start != Start::Resume => return Ok(None),
        Err(cause) => return Err(cause.into()),
    };
    let thing = format!("run {}", name.id);
    match name.start {
        Start::New => bail!(Problem::refused(thing, "it exists already", "choose another identifier")),
        Start::Resume if record.complete => {
            bail!(Problem::refused(thing, "it is complete", format!("`tlslab report {}` shows it", name.id)))
        }
        _ => Ok(Some(record)),
    }
}

/// Two jobs with one identifier must be the same job.
///
/// # Errors
/// Fails if the run of this name has another request.
pub fn check_same_request(
    session: &Session<'_>,
    name: &RunName,
    plan: &Plan,
    request: &impl Serialize,
) -> anyhow::Result<()> {
    let asked = serde_json::to_value(request).context("cannot serialise the request")?;
    let is_same = plan.request.as_ref().is_none_or(|recorded| *recorded == asked);
    if name.start == Start::Either && !is_same {
        let thing = format!("job {}", session.conditions().id);
        let cause = "another request has a run of this name";
        bail!(Problem::new(
            ErrorKind::Invalid,
            thing,
            cause,
            "send the request under an identifier of its own"
        ));
    }
    Ok(())
}

fn functions(
    session: &Session<'_>,
    plan: &Plan,
    report: &Report,
    folder: &Path,
    timeout: Duration,
) -> Result<RowFunctions, Error> {
    let written = rows::write(&session.workshop, plan, report, folder, timeout);
    match session.reporter().finished(Some(&plan.id), written) {
        Ok(excluded) => Ok(RowFunctions::Counted { excluded }),
        Err(Error::Interrupted { .. }) => Ok(RowFunctions::Interrupted),
        Err(failed) => Err(failed),
    }
}

/// Measures the rest of a run and records everything. Other processes can resume an interrupted one.
pub fn carried_out(
    session: &Session<'_>,
    plan: &Plan,
    sofar: Sofar,
    store: &mut dyn Store,
    timeout: Duration,
) -> anyhow::Result<(Report, Export)> {
    leased(store, &plan.id, |store| measure_and_report(session, plan, sofar, store, timeout))
}

fn measure_and_report(
    session: &Session<'_>,
    plan: &Plan,
    sofar: Sofar,
    store: &mut dyn Store,
    timeout: Duration,
) -> anyhow::Result<(Report, Export)> {
    session.workshop.resume_place(plan)?;
    let pki = session.workshop.keys(&plan.scenarios)?;
    plan::check_still_the_same(plan, &pki)?;
    measure(&session.workshop, plan, sofar, &pki, store, timeout)?;
    // The files come first: a run that is killed while they are written can still be resumed, and writes them
    // again.
    let report = report_of(session.results, store, RunRecord { complete: true, ..store.load(&plan.id)? })?;
    let files = write_files(&session.results.out, &report, session.environment().pages)?;
    store.put_figures(&plan.id, &figures::figures_of(plan, &report))?;
    store.complete_run(&plan.id)?;
    Ok((report, files))
}

/// A run's report with the calibrations of its host and its counter.
///
/// # Errors
/// Fails if files next to the runs cannot be read.
pub fn report_of(results: &Results, store: &dyn Store, record: RunRecord) -> anyhow::Result<Report> {
    let fidelity = calibration::fidelity::load(store, &results.out)?;
    let neighbours = calibration::neighbours::effects_for_plan(store, &results.out, &record.plan)?;
    let layouts = calibration::layouts::effects_of_host(store, &record.plan.host)?;
    let record = calibration::between_runs::as_of_its_start(store, record)?;
    Ok(Report::of(&RunRecord { fidelity, neighbours, layouts, ..record }))
}

/// Measures the rest.
pub fn measure(
    workshop: &Workshop<'_>,
    plan: &Plan,
    sofar: Sofar,
    pki: &Pki,
    store: &mut dyn Store,
    timeout: Duration,
) -> anyhow::Result<()> {
    if !takes_part(plan) {
        return Ok(());
    }
    // Other work on the host changes times, but no counts.
    let is_timed = plan.has(Measure::Time);
    let _alone = if is_timed { Some(host::measure_alone(&workshop.reporter)?) } else { None };
    let watch = is_timed.then(Watch::start);
    let cpus = processors::choose_cpus();
    let launcher = workshop.launcher_on(&cpus).pinned_to(plan);
    let mut journal = StoreJournal { store: &mut *store, run: plan.id.clone() };
    let stage = Stage::whole(plan);
    let mut events = RunEvents::of(workshop, plan);
    let observer = &mut events;
    let runner =
        Runner { plan, stage: &stage, pki, launch: &launcher, timeout, journal: &mut journal, observer };
    let outcome = runner.run(sofar);
    if outcome.is_ok() {
        events.complete();
    }
    for warning in watch.iter().flat_map(Watch::warnings) {
        store.warn(&plan.id, &warning)?;
    }
    match outcome {
        Ok(()) => Ok(()),
        Err(RunError::Interrupted) => Err(Interrupted.into()),
        Err(error) => Err(error).context(format!("run {}", plan.id)),
    }
}

/// The plan of an interrupted run, and its measurements.
///
/// # Errors
/// Fails if the run cannot be resumed, or if its plan names programs of another lab.
fn resumed(workshop: &Workshop<'_>, record: RunRecord) -> anyhow::Result<(Plan, Sofar)> {
    workshop.check_recorded(&record.plan)?;
    let RunRecord { cells, pairs, visits, weights, counts, measuring_s, plan, .. } = record;
    let sofar = Sofar { cells, pairs, visits, weights, counts, measuring_s };
    Ok((plan, sofar))
}

/// The newest interrupted run or comparison of this host that no process measures.
///
/// # Errors
/// Fails if no run or comparison is interrupted.
pub fn newest_interrupted(results: &Results, is_comparison: bool) -> anyhow::Result<String> {
    let store = results.open()?;
    let mut wanted = Vec::new();
    for run in store.runs()?.into_iter().filter(|run| !run.complete) {
        if store.plan(&run.id)?.comparison.is_some() == is_comparison {
            wanted.push(run);
        }
    }
    if let Some(run) = newest_free(&wanted) {
        return Ok(run.id.clone());
    }
    let what = if is_comparison { "no comparison" } else { "no run" };
    bail!(Problem::new(
        ErrorKind::NotFound,
        store.place(),
        format!("{what} in it was interrupted on this host and is free"),
        ""
    ))
}

/// Whether any stack takes part.
fn takes_part(plan: &Plan) -> bool {
    plan.stacks.iter().any(|stack| matches!(stack.state, StackState::Ready(_)))
}

fn announce(reporter: &Reporter<'_>, plan: &Plan) {
    reporter.emit(&Event::RunStarted(RunStarted {
        run: plan.id.clone(),
        scenarios: plan.scenarios.len(),
        stacks: plan.stacks.iter().map(|stack| stack.name.clone()).collect(),
        timing: plan.has(Measure::Time).then(|| (plan.rounds, timing_s(plan))),
        seed: plan.seed,
    }));
}
