//! A run from its request to its report.

use std::path::Path;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tlslab_estimate::Report;
use tlslab_measure::{RunError, Runner, Sofar, Stage};
use tlslab_pki::Pki;
use tlslab_protocol::Metric;
use tlslab_record::{Plan, RunRecord, Seconds};
use tlslab_store::{RunKind, Store};

use super::figures;
use super::files::{Files, write_files};
use super::journal::StoreJournal;
use super::plan;
use crate::cancel::Interrupted;
use crate::error::Error;
use crate::event::{Event, RunStarted};
use crate::functions::rows;
use crate::host::{self, Watch};
use crate::known;
use crate::request::{Results, Resume, RunRequest};
use crate::session::{RunEvents, Session};

/// What a run has shown.
pub struct RunOutcome {
    /// Every cell.
    pub report: Report,
    /// Its files.
    pub files: Files,
    /// The functions of its rows, if they were asked for.
    pub functions: Option<RowFunctions>,
}

/// Whether the functions of a run's rows were counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowFunctions {
    /// They were, but for so many rows; a warning says why of each.
    Counted {
        /// How many rows have no functions.
        excluded: usize,
    },
    /// It was cancelled: the run is complete without them.
    Interrupted,
}

/// Measures stacks, or resumes that.
///
/// # Errors
/// A request that asks for what there is not, and anything that keeps a run from its end.
pub fn run(session: &Session<'_>, request: &RunRequest) -> Result<RunOutcome, Error> {
    let mut store = request.results.open()?;
    let (plan, sofar) = match &request.resume {
        Some(wanted) => session.finished(None, resumed(session, &*store, wanted))?,
        None => (session.finished(None, plan::new_plan(session, request))?, Sofar::default()),
    };
    // What is refused leaves no run behind that could be resumed.
    if request.functions {
        rows::check(&plan)?;
    }
    if request.resume.is_none() {
        store.create_run(&plan).map_err(anyhow::Error::from)?;
    }
    let out = &request.results.out;
    announce(session, &plan, out);
    let timeout = Seconds::nearest(request.timeout_s).duration();
    let carried_out = carried_out(session, &plan, sofar, &mut *store, out, timeout);
    let (report, files) = session.finished(Some(&plan.id), carried_out)?;
    files.announce(session);
    let functions = match request.functions {
        true => Some(functions(session, &plan, &report, &files.folder, timeout)?),
        false => None,
    };
    Ok(RunOutcome { report, files, functions })
}

fn functions(
    session: &Session<'_>,
    plan: &Plan,
    report: &Report,
    folder: &Path,
    timeout: Duration,
) -> Result<RowFunctions, Error> {
    let written = rows::write(session, plan, report, folder, timeout);
    match session.finished(Some(&plan.id), written) {
        Ok(excluded) => Ok(RowFunctions::Counted { excluded }),
        Err(Error::Interrupted { .. }) => Ok(RowFunctions::Interrupted),
        Err(failed) => Err(failed),
    }
}

/// Measures what is left of a run and records everything that comes of it.
pub fn carried_out(
    session: &Session<'_>,
    plan: &Plan,
    sofar: Sofar,
    store: &mut dyn Store,
    out: &Path,
    timeout: Duration,
) -> anyhow::Result<(Report, Files)> {
    session.sandbox_of(plan)?;
    let pki = session.keys(&plan.scenarios)?;
    plan::check_still_the_same(plan, &pki)?;
    measure(session, plan, sofar, &pki, store, timeout)?;
    // The files come first: a run that is killed while they are written can still be resumed, and writes them again.
    let report = report_of(out, RunRecord { complete: true, ..store.load(&plan.id)? })?;
    let files = write_files(out, &report)?;
    store.put_figures(&plan.id, &figures::figures_of(plan, &report))?;
    store.complete_run(&plan.id)?;
    Ok((report, files))
}

/// A run's report with what is known of its host and its counter.
///
/// # Errors
/// Files beside the runs that cannot be read.
pub fn report_of(out: &Path, record: RunRecord) -> anyhow::Result<Report> {
    let fidelity = known::fidelity::load(out)?;
    let neighbours = known::neighbours::holding_for(out, &record.plan)?;
    Ok(Report::of(&RunRecord { fidelity, neighbours, ..record }))
}

/// A recorded run's report, or that of the newest one, computed from its samples.
///
/// # Errors
/// A run that there is not.
pub fn recorded(results: &Results, run: Option<&str>) -> anyhow::Result<Report> {
    let store = results.open()?;
    let id = match run {
        Some(id) => id.to_owned(),
        None => {
            let newest = store.runs()?.into_iter().find(|run| run.kind == RunKind::Measured);
            newest
                .with_context(|| format!("{} contains no runs that the lab has measured", store.place()))?
                .id
        }
    };
    report_of(&results.out, store.load(&id)?)
}

/// Measures what is left.
pub fn measure(
    session: &Session<'_>,
    plan: &Plan,
    sofar: Sofar,
    pki: &Pki,
    store: &mut dyn Store,
    timeout: Duration,
) -> anyhow::Result<()> {
    // Other work on the host changes times; it changes no count.
    let is_timed = plan.has(Metric::Time);
    let _alone = if is_timed { Some(host::measure_alone(session)?) } else { None };
    let watch = is_timed.then(Watch::start);
    let cpus = host::choose_cpus();
    let launcher = session.launcher_on(&cpus).of(plan);
    let mut journal = StoreJournal { store: &mut *store, run: plan.id.clone() };
    let stage = Stage::whole(plan);
    let observer = &mut RunEvents(session);
    let runner =
        Runner { plan, stage: &stage, pki, launch: &launcher, timeout, journal: &mut journal, observer };
    let outcome = runner.run(sofar);
    for warning in watch.iter().flat_map(Watch::warnings) {
        store.warn(&plan.id, &warning)?;
    }
    match outcome {
        Ok(()) => Ok(()),
        Err(RunError::Interrupted) => Err(Interrupted.into()),
        Err(error) => Err(error).context(format!("run {}", plan.id)),
    }
}

/// The plan of a run that was interrupted, and what it has already.
///
/// # Errors
/// A run that there is not or that cannot go on, and a plan that names programs which are not this lab's.
pub fn resumed(session: &Session<'_>, store: &dyn Store, wanted: &Resume) -> anyhow::Result<(Plan, Sofar)> {
    let record = match wanted {
        Resume::Newest => newest_unfinished(store)?,
        Resume::Run(id) => store.load(id)?,
    };
    let id = &record.plan.id;
    ensure!(!record.complete, "run {id} is complete; `tlslab report {id}` shows it");
    ensure!(
        record.plan.comparison.is_none(),
        "run {id} is a comparison; `tlslab compare --resume {id}` goes on with it"
    );
    session.check_recorded(&record.plan)?;
    let RunRecord { cells, pairs, visits, weights, counts, measuring_s, plan, .. } = record;
    let sofar = Sofar { cells, pairs, visits, weights, counts, measuring_s };
    Ok((plan, sofar))
}

fn newest_unfinished(store: &dyn Store) -> anyhow::Result<RunRecord> {
    for run in store.runs()?.into_iter().filter(|run| !run.complete) {
        let record = store.load(&run.id)?;
        if record.plan.comparison.is_none() {
            return Ok(record);
        }
    }
    bail!("no run in {} was interrupted", store.place())
}

fn announce(session: &Session<'_>, plan: &Plan, out: &Path) {
    session.emit(&Event::RunStarted(RunStarted {
        run: plan.id.clone(),
        scenarios: plan.scenarios.len(),
        stacks: plan.stacks.iter().map(|stack| stack.name.clone()).collect(),
        timing: plan.has(Metric::Time).then_some((plan.rounds, plan.budget_s)),
        seed: plan.seed,
        out: out.to_owned(),
    }));
}
