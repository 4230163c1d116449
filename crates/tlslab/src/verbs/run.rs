//! `tlslab run`: build what is needed, measure, show the result.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail, ensure};
use tlslab_protocol::Metric;
use tlslab_record::{Plan, RunRecord};
use tlslab_report::Report;
use tlslab_runner::{Launcher, RunError, Runner, Sofar, Stage};
use tlslab_store::Store;

use crate::Ended;
use crate::cli::RunArgs;
use crate::figures;
use crate::host::{self, Watch};
use crate::house::House;
use crate::journal::StoreJournal;
use crate::known_fidelity;
use crate::plan;
use crate::progress::RunProgress;
use crate::results::{Files, ended, open_store, print_report, write_files};
use crate::row_functions;
use crate::signals::cancel_flag;

/// Runs, or goes on with a run.
pub fn run(house: &House, args: &RunArgs) -> anyhow::Result<Ended> {
    let cancel = cancel_flag()?;
    let mut store = open_store(&args.kept)?;
    let (plan, sofar) = match &args.resume {
        Some(wanted) => resumed(&*store, wanted)?,
        None => match plan::new_plan(house, args, &cancel)? {
            Some(plan) => (plan, Sofar::default()),
            None => return Ok(Ended::Interrupted),
        },
    };
    // What is refused leaves no run behind that could be gone on with.
    if args.functions {
        row_functions::check(&plan)?;
    }
    if args.resume.is_none() {
        store.create_run(&plan)?;
    }
    announce(&plan, &args.kept.out);
    let Some((report, files)) =
        carried_out(house, &plan, sofar, &mut *store, &args.kept.out, args.timeout, &cancel)?
    else {
        let again = args.kept.again();
        eprintln!(
            "interrupted; everything measured is kept. Go on with: tlslab run --resume {} {again}",
            plan.id
        );
        return Ok(Ended::Interrupted);
    };
    print_report(&report, args.format, &files);
    if args.functions {
        let told = row_functions::write(house, &plan, &report, files.folder(), args.timeout, &cancel)?;
        let Some(left_out) = told else {
            eprintln!("interrupted; the run is complete, without what functions take");
            return Ok(Ended::Interrupted);
        };
        if left_out > 0 {
            return Ok(Ended::WithFailures);
        }
    }
    Ok(ended(&report))
}

/// Measures what is left of a run, and keeps everything that comes of it. `None` when it was interrupted.
pub fn carried_out(
    house: &House,
    plan: &Plan,
    sofar: Sofar,
    store: &mut dyn Store,
    out: &Path,
    timeout: Duration,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<Option<(Report, Files)>> {
    let pki = plan::keys(house, &plan.scenarios)?;
    plan::check_still_the_same(plan, &pki)?;
    if !measure(house, plan, sofar, &pki, store, cancel, timeout)? {
        return Ok(None);
    }
    // The files come first: a run that is killed while they are written can still go on, and writes them again.
    let fidelity = known_fidelity::load(out)?;
    let neighbours = crate::validation::known_for(out, plan)?;
    let report = Report::of(&RunRecord { complete: true, fidelity, neighbours, ..store.load(&plan.id)? });
    let files = write_files(out, &report)?;
    store.put_figures(&plan.id, &figures::of(plan, &report))?;
    store.complete_run(&plan.id)?;
    Ok(Some((report, files)))
}

/// Measures what is left. Whether it came to its end.
pub fn measure(
    house: &House,
    plan: &Plan,
    sofar: Sofar,
    pki: &tlslab_pki::Pki,
    store: &mut dyn Store,
    cancel: &Arc<AtomicBool>,
    timeout: Duration,
) -> anyhow::Result<bool> {
    // Other work on the host changes times; it changes no count.
    let is_timed = plan.has(Metric::Time);
    let _alone = if is_timed { Some(host::measure_alone(cancel)?) } else { None };
    let watch = is_timed.then(Watch::start);
    let cpus = host::choose_cpus();
    let launcher = Launcher {
        cpu: cpus.driver,
        cpus: cpus.all.clone(),
        directory: house.cache.clone(),
        cancel: cancel.clone(),
    };
    let mut progress = RunProgress::new();
    let outcome = {
        let mut journal = StoreJournal { store: &mut *store, run: plan.id.clone() };
        let stage = Stage::whole(plan);
        Runner {
            plan,
            stage: &stage,
            pki,
            launch: &launcher,
            timeout,
            journal: &mut journal,
            observer: &mut progress,
        }
        .run(sofar)
    };
    progress.finish();
    for warning in watch.iter().flat_map(Watch::warnings) {
        store.warn(&plan.id, &warning)?;
    }
    match outcome {
        Ok(()) => Ok(true),
        Err(RunError::Interrupted) => Ok(false),
        Err(error) => Err(error).context(format!("run {}", plan.id)),
    }
}

/// The plan of a run that was interrupted, and what it has already.
pub fn resumed(store: &dyn Store, wanted: &str) -> anyhow::Result<(Plan, Sofar)> {
    let record = match wanted {
        "" => newest_unfinished(store)?,
        id => store.load(id)?,
    };
    let id = &record.plan.id;
    ensure!(!record.complete, "run {id} is complete; `tlslab report {id}` shows it");
    ensure!(
        record.plan.comparison.is_none(),
        "run {id} is a comparison; `tlslab compare --resume {id}` goes on with it"
    );
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

fn announce(plan: &Plan, out: &Path) {
    let stacks: Vec<&str> = plan.stacks.iter().map(|stack| stack.name.as_str()).collect();
    eprintln!(
        "run {}: {} scenarios × {} stacks ({}), {}, seed {}, kept in {}",
        plan.id,
        plan.scenarios.len(),
        stacks.len(),
        stacks.join(", "),
        if plan.has(Metric::Time) {
            format!("{} rounds, about {:.0} s", plan.rounds, plan.budget_s)
        } else {
            "nothing timed".to_owned()
        },
        plan.seed,
        out.display()
    );
}
