//! `tlslab reproduce`: published documents, measured again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::bail;
use tlslab_protocol::Metric;
use tlslab_report::Report;
use tlslab_reproduction::{
    Basis, Document, Measurement, TrialOfStack, html, json, markdown, reproduce as held, terminal, texts,
};
use tlslab_runner::Sofar;
use tlslab_store::Store;

use super::run::{carried_out, resumed};
use crate::Ended;
use crate::cli::{AskedMetric, Format, ReproduceArgs, ReproductionFormat, RunArgs};
use crate::house::House;
use crate::plan;
use crate::reproduce::{Known, Made, budget_s, check, definition, tried, write_files};
use crate::results::open_store;
use crate::signals::cancel_flag;

/// The share of the time that a taste takes, and its rounds: as few as an interval at 99 % needs.
const QUICK: (f64, u32) = (0.1, 8);

/// Measures a document again, or lists all.
pub fn reproduce(house: &House, args: &ReproduceArgs) -> anyhow::Result<Ended> {
    let documents = house.documents()?;
    let Some(name) = &args.document else {
        list(house, &documents)?;
        return Ok(Ended::Well);
    };
    let Some(document) = documents.iter().find(|document| document.name == *name) else {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        bail!("there is no document \"{name}\"; there are: {}", names.join(", "));
    };
    let document = &document.clone().with_stacks(&args.stacks).map_err(|cause| anyhow::anyhow!(cause))?;
    let wanted: Vec<&Measurement> = document.measurements.iter().filter(|run| is_wanted(run, args)).collect();
    if wanted.is_empty() {
        bail!("{name} has nothing of that kind; leave --as-published and --fair out");
    }
    check(house, document)?;
    let cancel = cancel_flag()?;
    let mut store = open_store(&args.kept)?;
    let folder = args.kept.out.join(if args.quick { QUICK_FOLDER } else { FOLDER });
    let mut made = Made::load(&folder)?;
    let catalogue = house.catalogue()?;
    let mut total = 0.0;
    for run in &wanted {
        total += budget_s(&catalogue, run, share(args))?;
    }
    eprintln!(
        "{}: {} runs, about {total:.0} s of measuring; what is not built yet is built first",
        document.title,
        wanted.len()
    );
    let mut reports = BTreeMap::new();
    for run in wanted {
        let Some(report) = one(house, document, run, args, &mut *store, &mut made, &cancel)? else {
            eprintln!("interrupted; everything measured is kept. The same command goes on.");
            return Ok(Ended::Interrupted);
        };
        reports.insert(run.name.clone(), report);
    }
    // What was measured before stays beside it.
    for run in document.measurements.iter().filter(|run| !is_wanted(run, args)) {
        let known =
            made.runs.get(&name_of(document, run)).filter(|known| known.definition == definition(run));
        let kept = known.and_then(|known| store.load(&known.run).ok()).filter(|record| record.complete);
        reports.extend(kept.map(|record| (run.name.clone(), Report::of(&record))));
    }
    let Some(trials) = all_tried(house, document, &reports, &*store, &folder, &cancel)? else {
        eprintln!("interrupted; everything measured is kept. The same command goes on.");
        return Ok(Ended::Interrupted);
    };
    let has_failures = reports.values().any(Report::has_failures);
    let reproduction = held(document, &reports, &trials);
    let page = write_files(&folder, &reproduction, &texts(document, &reports))?;
    print!(
        "{}",
        match args.format {
            ReproductionFormat::Table => terminal(&reproduction),
            ReproductionFormat::Markdown => markdown(&reproduction),
            ReproductionFormat::Json => json(&reproduction),
            ReproductionFormat::Html => html(&reproduction),
        }
    );
    eprintln!(
        "page: {} (beside it: .md, .json; and claims.html, claims.md of all documents)",
        page.display()
    );
    Ok(if has_failures { Ended::WithFailures } else { Ended::Well })
}

fn is_wanted(run: &Measurement, args: &ReproduceArgs) -> bool {
    match run.basis {
        Basis::AsPublished => !args.fair,
        Basis::Fair => !args.as_published,
    }
}

/// The share of the time that is to be taken.
fn share(args: &ReproduceArgs) -> f64 {
    if args.quick { QUICK.0 } else { 1.0 }
}

fn list(house: &House, documents: &[Document]) -> anyhow::Result<()> {
    let catalogue = house.catalogue()?;
    for document in documents {
        check(house, document)?;
        let mut budget = 0.0;
        for run in &document.measurements {
            budget += budget_s(&catalogue, run, 1.0)?;
        }
        let minutes = (budget / 60.0).ceil();
        println!("{:10} {} ({}): {minutes} min of measuring", document.name, document.title, document.by);
    }
    println!("\n`tlslab reproduce NAME` measures one again; --quick takes a tenth of the time.");
    Ok(())
}

/// One run: kept from before, gone on with, or made. `None` when it was interrupted.
fn one(
    house: &House,
    document: &Document,
    run: &Measurement,
    args: &ReproduceArgs,
    store: &mut dyn Store,
    made: &mut Made,
    cancel: &Arc<AtomicBool>,
) -> anyhow::Result<Option<Report>> {
    let name = name_of(document, run);
    let known = made.runs.get(&name).filter(|known| known.definition == definition(run) && !args.again);
    let kept = known.and_then(|known| store.load(&known.run).ok());
    let (plan, sofar) = match kept {
        Some(record) if record.complete => {
            eprintln!("{name}: kept, run {}; --again measures it anew", record.plan.id);
            return Ok(Some(Report::of(&record)));
        }
        Some(record) => {
            eprintln!("{name}: going on with run {}", record.plan.id);
            resumed(store, &record.plan.id)?
        }
        None => {
            let budget_s = budget_s(&house.catalogue()?, run, share(args))?;
            let Some(plan) = plan::new_plan(house, &run_args(run, args, budget_s), cancel)? else {
                return Ok(None);
            };
            store.create_run(&plan)?;
            made.add(name.clone(), Known { run: plan.id.clone(), definition: definition(run) })?;
            eprintln!("{name}: run {}, about {:.0} s", plan.id, plan.budget_s);
            (plan, Sofar::default())
        }
    };
    let done = carried_out(house, &plan, sofar, store, &args.kept.out, args.timeout, cancel)?;
    Ok(done.map(|(report, _)| report))
}

/// What the document's programs say of the stacks of runs that were made. `None` when it was interrupted.
fn all_tried(
    house: &House,
    document: &Document,
    reports: &BTreeMap<String, Report>,
    store: &dyn Store,
    folder: &Path,
    cancel: &AtomicBool,
) -> anyhow::Result<Option<BTreeMap<String, Vec<TrialOfStack>>>> {
    let mut trials = BTreeMap::new();
    for trial in &document.trials {
        let Some(report) = reports.get(&trial.measurement) else { continue };
        let record = store.load(&report.run.id)?;
        let script = house.beside_document(&document.name, &trial.script)?;
        let Some(said) = tried(folder, &script, trial, &record.plan.stacks, cancel)? else {
            return Ok(None);
        };
        trials.insert(trial.title.clone(), said);
    }
    Ok(Some(trials))
}

fn name_of(document: &Document, run: &Measurement) -> String {
    format!("{}/{}", document.name, run.name)
}

fn run_args(run: &Measurement, args: &ReproduceArgs, budget_s: f64) -> RunArgs {
    let metric = |metric: &Metric| match metric {
        Metric::Time => AskedMetric::Time,
        Metric::Heap => AskedMetric::Heap,
        Metric::Count => AskedMetric::Count,
    };
    RunArgs {
        suite: run.suite.clone(),
        stacks: run.stacks.clone(),
        all_stacks: false,
        scenarios: run.scenarios.clone(),
        metrics: run.metrics.iter().map(metric).collect(),
        counter: None,
        count_iterations: None,
        simulate: vec![],
        seeds: None,
        budget: Some(Duration::from_secs_f64(budget_s)),
        pairing: None,
        rounds: if args.quick {
            Some(run.rounds.map_or(QUICK.1, |rounds| rounds.min(QUICK.1)))
        } else {
            run.rounds
        },
        seed: None,
        baseline: None,
        resume: None,
        timeout: args.timeout,
        kept: args.kept.clone(),
        format: Format::Table,
    }
}

const FOLDER: &str = "documents";
/// A taste does not take the place of what was measured in full.
const QUICK_FOLDER: &str = "documents/quick";
