//! `tlslab reproduce`: published documents, measured again.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use anyhow::{Context, bail};
use serde::{Deserialize, Serialize};
use tlslab_protocol::Metric;
use tlslab_report::Report;
use tlslab_reproduction::{
    Basis, Document, Measurement, Reproduction, claims_html, claims_markdown, html, json, markdown,
    reproduce as held, terminal,
};
use tlslab_runner::Sofar;
use tlslab_scenario::Catalogue;
use tlslab_store::Store;

use super::run::{carried_out, resumed};
use crate::Ended;
use crate::cli::{AskedMetric, Format, ReproduceArgs, ReproductionFormat, RunArgs};
use crate::house::House;
use crate::plan;
use crate::results::open_store;
use crate::signals::cancel_flag;

/// The share of the time that a taste takes, and its rounds: as few as an interval at 99 % needs.
const QUICK: (f64, u32) = (0.1, 8);

/// Measures a document again, or lists all.
pub fn reproduce(house: &House, args: &ReproduceArgs) -> anyhow::Result<Ended> {
    let documents = house.documents()?;
    let Some(name) = &args.document else {
        list(house, &documents, args)?;
        return Ok(Ended::Well);
    };
    let Some(document) = documents.iter().find(|document| document.name == *name) else {
        let names: Vec<&str> = documents.iter().map(|document| document.name.as_str()).collect();
        bail!("there is no document \"{name}\"; there are: {}", names.join(", "));
    };
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
        total += budget_s(&catalogue, run, args)?;
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
    let has_failures = reports.values().any(Report::has_failures);
    let reproduction = held(document, &reports);
    let page = write_files(&folder, &reproduction)?;
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

/// Refuses a document that asks for what its runs will not have, before anything is measured.
fn check(house: &House, document: &Document) -> anyhow::Result<()> {
    let catalogue = house.catalogue()?;
    let mut selected: BTreeMap<&str, HashSet<String>> = BTreeMap::new();
    for run in &document.measurements {
        let patterns = match &run.suite {
            Some(suite) => &catalogue.suite(suite)?.scenarios,
            None => &run.scenarios,
        };
        let scenarios = catalogue.select(patterns)?.into_iter().map(|scenario| scenario.name);
        selected.insert(&run.name, scenarios.collect());
    }
    for asked in document.asked() {
        let run = document.measurements.iter().find(|run| run.name == asked.measurement);
        let run =
            run.with_context(|| format!("{} has no measurement {}", document.name, asked.measurement))?;
        let (file, name, scenario) = (&document.name, &run.name, &asked.scenario);
        if !selected[name.as_str()].contains(scenario) {
            bail!(
                "document {file}: measurement \"{name}\" has no scenario {scenario}; add it to the measurement"
            );
        }
        let stack = &asked.stack;
        let of_suite = || run.suite.as_ref().and_then(|suite| Some(&catalogue.suite(suite).ok()?.stacks));
        let stacks = if run.stacks.is_empty() { of_suite().unwrap_or(&run.stacks) } else { &run.stacks };
        let has_it = stack.is_empty() || stacks.iter().any(|known| plan::alias_of(known).0 == *stack);
        if !has_it {
            bail!("document {file}: measurement \"{name}\" has no stack {stack}; add it to the measurement");
        }
    }
    Ok(())
}

fn is_wanted(run: &Measurement, args: &ReproduceArgs) -> bool {
    match run.basis {
        Basis::AsPublished => !args.fair,
        Basis::Fair => !args.as_published,
    }
}

/// How long a measurement takes, s: its own time, or its suite's.
fn budget_s(catalogue: &Catalogue, run: &Measurement, args: &ReproduceArgs) -> anyhow::Result<f64> {
    let whole = match (run.budget_s, &run.suite) {
        (Some(budget_s), _) => budget_s,
        (None, Some(suite)) => catalogue.suite(suite)?.budget_s,
        (None, None) => bail!("measurement \"{}\" says no budget_s", run.name),
    };
    Ok(if args.quick { whole * QUICK.0 } else { whole })
}

fn list(house: &House, documents: &[Document], args: &ReproduceArgs) -> anyhow::Result<()> {
    let catalogue = house.catalogue()?;
    for document in documents {
        check(house, document)?;
        let mut budget = 0.0;
        for run in &document.measurements {
            budget += budget_s(&catalogue, run, args)?;
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
            let budget_s = budget_s(&house.catalogue()?, run, args)?;
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

/// What a run of a measurement has to be of.
fn definition(run: &Measurement) -> String {
    let metrics: Vec<String> = run.metrics.iter().map(|metric| format!("{metric:?}")).collect();
    let parts = [&run.stacks, &run.scenarios, &metrics].map(|part| part.join(" "));
    format!("{}; {}", run.suite.as_deref().unwrap_or("no suite"), parts.join("; "))
}

/// Which runs were made for which measurements.
struct Made {
    file: PathBuf,
    runs: BTreeMap<String, Known>,
}

#[derive(Clone, Debug, Deserialize, Serialize)]
struct Known {
    run: String,
    definition: String,
}

impl Made {
    fn load(folder: &Path) -> anyhow::Result<Self> {
        let file = folder.join(RUNS);
        let runs = match fs::read_to_string(&file) {
            Ok(text) => serde_json::from_str(&text)
                .with_context(|| format!("{} cannot be read; remove it to measure anew", file.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => return Err(error).with_context(|| format!("cannot read {}", file.display())),
        };
        Ok(Self { file, runs })
    }

    fn add(&mut self, name: String, known: Known) -> anyhow::Result<()> {
        self.runs.insert(name, known);
        let folder = self.file.parent().context("the file lies in a folder")?;
        fs::create_dir_all(folder).with_context(|| format!("cannot make the folder {}", folder.display()))?;
        let text = serde_json::to_string_pretty(&self.runs)?;
        fs::write(&self.file, text).with_context(|| format!("cannot write {}", self.file.display()))
    }
}

/// Writes a document in all formats, and the claims of all documents that were measured. Where the page is.
fn write_files(folder: &Path, reproduction: &Reproduction) -> anyhow::Result<PathBuf> {
    let write = |name: &str, text: String| {
        let file = folder.join(name);
        fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))
    };
    let name = &reproduction.document;
    write(&format!("{name}.html"), html(reproduction))?;
    write(&format!("{name}.md"), markdown(reproduction))?;
    write(&format!("{name}.json"), json(reproduction))?;
    let mut all: Vec<Reproduction> = Vec::new();
    for entry in folder.read_dir().with_context(|| format!("cannot list {}", folder.display()))? {
        let path = entry?.path();
        let is_document = path.extension().is_some_and(|ending| ending == "json") && !path.ends_with(RUNS);
        if is_document {
            let text =
                fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let read = serde_json::from_str(&text);
            all.push(read.with_context(|| format!("{} is no document; remove it", path.display()))?);
        }
    }
    all.sort_by(|one, other| one.document.cmp(&other.document));
    write("claims.html", claims_html(&all))?;
    write("claims.md", claims_markdown(&all))?;
    Ok(folder.join(format!("{name}.html")))
}

const FOLDER: &str = "documents";
/// A taste does not take the place of what was measured in full.
const QUICK_FOLDER: &str = "documents/quick";
const RUNS: &str = "runs.json";
