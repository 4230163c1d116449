//! What is measured for a document, by the verbs that measure: runs, comparisons, profiles, trials.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use anyhow::Context;
use tlslab_comparison::Comparison;
use tlslab_protocol::Metric;
use tlslab_report::Report;
use tlslab_reproduction::{Basis, ComparisonOf, Document, Measured, Measurement, TrialOfStack};
use tlslab_runner::Sofar;
use tlslab_store::Store;

use super::check::{budget_s, compared};
use super::made::{Known, Made, definition};
use super::profiles::profiled;
use super::times::Times;
use super::trials::tried;
use crate::cli::{
    AskedMetric, CompareArgs, ComparisonFormat, Format, HowComparedArgs, ReproduceArgs, RunArgs, SlicingArgs,
    WhichArrangement,
};
use crate::house::House;
use crate::plan;
use crate::verbs::compare::{begun, compare_to_the_end, kept_comparison};
use crate::verbs::run::{carried_out, resumed};

/// The share of the time that a taste takes, and its rounds: as few as an interval at 99 % needs.
const QUICK: (f64, u32) = (0.1, 8);

/// A document's measurements under way.
pub struct Task<'t> {
    pub house: &'t House,
    pub document: &'t Document,
    pub args: &'t ReproduceArgs,
    pub store: &'t mut dyn Store,
    pub made: Made,
    pub times: Times,
    /// Where the document's files go.
    pub folder: PathBuf,
    pub cancel: Arc<AtomicBool>,
}

/// The share of the time that is to be taken.
pub fn share(args: &ReproduceArgs) -> f64 {
    if args.quick { QUICK.0 } else { 1.0 }
}

/// Whether a part of the document was asked for.
pub fn is_wanted(basis: Basis, args: &ReproduceArgs) -> bool {
    match basis {
        Basis::AsPublished => !args.fair,
        Basis::Fair => !args.as_published,
    }
}

impl Task<'_> {
    /// Everything that was asked for, and beside it what was measured before. `None` when it was interrupted.
    pub fn done(&mut self) -> anyhow::Result<Option<Measured>> {
        let mut measured = Measured::default();
        for run in &self.document.measurements {
            let mut reports = Vec::new();
            for time in 0..run.times.unwrap_or(1) {
                let report = match is_wanted(run.basis, self.args) {
                    true => match self.report(run, time)? {
                        Some(report) => Some(report),
                        None => return Ok(None),
                    },
                    false => self.kept_report(run, time),
                };
                reports.extend(report);
            }
            if !reports.is_empty() {
                measured.reports.insert(run.name.clone(), reports);
            }
        }
        for of in &self.document.comparisons {
            let comparison = match is_wanted(of.basis, self.args) {
                true => match self.comparison(of)? {
                    Some(comparison) => Some(comparison),
                    None => return Ok(None),
                },
                false => self.known_comparison(of)?,
            };
            measured.comparisons.extend(comparison.map(|comparison| (of.name.clone(), comparison)));
        }
        let wanted = |of: &tlslab_reproduction::ProfileOf| is_wanted(of.basis, self.args);
        match profiled(self.house, self.document, &self.folder, wanted, &mut self.times, &self.cancel)? {
            Some(profiles) => measured.profiles = profiles,
            None => return Ok(None),
        }
        match self.trials(&measured)? {
            Some(trials) => measured.trials = trials,
            None => return Ok(None),
        }
        measured.took = self.times.sum();
        Ok(Some(measured))
    }

    /// One run: kept from before, gone on with, or made. `None` when it was interrupted.
    fn report(&mut self, run: &Measurement, time: u32) -> anyhow::Result<Option<Report>> {
        let name = name_of(self.document, run, time);
        self.times.has(&name);
        let known = self.made.known(&name, &definition(run)).filter(|_| !self.args.again);
        let kept = known.and_then(|run| self.store.load(&run).ok());
        let (plan, sofar) = match kept {
            Some(record) if record.complete => {
                eprintln!("{name}: kept, run {}; --again measures it anew", record.plan.id);
                return Ok(Some(Report::of(&record)));
            }
            Some(record) => {
                eprintln!("{name}: going on with run {}", record.plan.id);
                resumed(self.store, &record.plan.id)?
            }
            None => {
                let since = Instant::now();
                let budget_s = budget_s(&self.house.catalogue()?, run, share(self.args))?;
                let asked = run_args(run, self.args, budget_s);
                let Some(plan) = plan::new_plan(self.house, &asked, &self.cancel)? else {
                    return Ok(None);
                };
                self.store.create_run(&plan)?;
                self.times.built(&name, since)?;
                self.made.add(name.clone(), Known { run: plan.id.clone(), definition: definition(run) })?;
                eprintln!("{name}: run {}, about {:.0} s", plan.id, plan.budget_s);
                (plan, Sofar::default())
            }
        };
        let (args, since) = (self.args, Instant::now());
        let done =
            carried_out(self.house, &plan, sofar, self.store, &args.kept.out, args.timeout, &self.cancel)?;
        self.times.measured(&name, since)?;
        Ok(done.map(|(report, _)| report))
    }

    /// What was measured before.
    fn kept_report(&mut self, run: &Measurement, time: u32) -> Option<Report> {
        let name = name_of(self.document, run, time);
        let known = self.made.known(&name, &definition(run))?;
        let record = self.store.load(&known).ok().filter(|record| record.complete)?;
        self.times.has(&name);
        Some(Report::of(&record))
    }

    /// One comparison, likewise.
    fn comparison(&mut self, of: &ComparisonOf) -> anyhow::Result<Option<Comparison>> {
        let name = format!("{}/{}", self.document.name, of.name);
        self.times.has(&name);
        let stacks = self.stacks(of)?;
        let definition = compared(of, &stacks);
        let known = self.made.known(&name, &definition).filter(|_| !self.args.again);
        let kept = known.and_then(|run| self.store.load(&run).ok());
        let mut args = compare_args(of, stacks, self.args);
        match kept {
            Some(record) if record.complete => {
                eprintln!("{name}: kept, run {}; --again measures it anew", record.plan.id);
                return kept_comparison(self.house, &self.args.kept.out, &record, &self.cancel).map(Some);
            }
            Some(record) => {
                eprintln!("{name}: going on with run {}", record.plan.id);
                args.resume = Some(record.plan.id);
            }
            None => {
                eprintln!("{name}: about {:.0} s of measuring, and counting", of.budget_s * share(self.args))
            }
        }
        let since = Instant::now();
        let Some((plan, programs)) = begun(self.house, &args, self.store, &self.cancel)? else {
            return Ok(None);
        };
        if args.resume.is_none() {
            self.times.built(&name, since)?;
        }
        self.made.add(name.clone(), Known { run: plan.id.clone(), definition })?;
        let since = Instant::now();
        let done = compare_to_the_end(self.house, &args, &plan, &programs, self.store, &self.cancel)?;
        self.times.measured(&name, since)?;
        Ok(done)
    }

    fn known_comparison(&mut self, of: &ComparisonOf) -> anyhow::Result<Option<Comparison>> {
        let name = format!("{}/{}", self.document.name, of.name);
        let known = self.made.known(&name, &compared(of, &self.stacks(of)?));
        let record = known.and_then(|run| self.store.load(&run).ok()).filter(|record| record.complete);
        if record.is_some() {
            self.times.has(&name);
        }
        let read = |record| kept_comparison(self.house, &self.args.kept.out, &record, &self.cancel);
        record.map(read).transpose()
    }

    /// What a comparison is of, with the document's own files where they are.
    fn stacks(&self, of: &ComparisonOf) -> anyhow::Result<[String; 2]> {
        let folder = self.house.folder_of_document(&self.document.name)?;
        let folder = folder.to_str().context("the document's folder has a name that is no text")?;
        Ok(of.stacks(folder))
    }

    /// What the document's programs say of the stacks of runs that were made.
    fn trials(&mut self, measured: &Measured) -> anyhow::Result<Option<BTreeMap<String, Vec<TrialOfStack>>>> {
        let mut trials = BTreeMap::new();
        let reports = measured.last();
        for trial in &self.document.trials {
            let Some(report) = reports.get(&trial.measurement) else { continue };
            let record = self.store.load(&report.run.id)?;
            let script = self.house.beside_document(&self.document.name, &trial.script)?;
            let stacks = &record.plan.stacks;
            let said = tried(&self.folder, &script, trial, stacks, &mut self.times, &self.cancel)?;
            let Some(said) = said else { return Ok(None) };
            trials.insert(trial.title.clone(), said);
        }
        Ok(Some(trials))
    }
}

/// What a run is called among those that were made.
fn name_of(document: &Document, run: &Measurement, time: u32) -> String {
    match time {
        0 => format!("{}/{}", document.name, run.name),
        time => format!("{}/{}/{}", document.name, run.name, time + 1),
    }
}

fn asked(metric: &Metric) -> AskedMetric {
    match metric {
        Metric::Time => AskedMetric::Time,
        Metric::Heap => AskedMetric::Heap,
        Metric::Count => AskedMetric::Count,
    }
}

fn run_args(run: &Measurement, args: &ReproduceArgs, budget_s: f64) -> RunArgs {
    RunArgs {
        suite: run.suite.clone(),
        stacks: run.stacks.clone(),
        all_stacks: false,
        scenarios: run.scenarios.clone(),
        metrics: run.metrics.iter().map(asked).collect(),
        counter: None,
        count_iterations: None,
        simulate: vec![],
        seeds: None,
        functions: false,
        budget: Some(Duration::from_secs_f64(budget_s)),
        pairing: None,
        slicing: SlicingArgs::default(),
        cold: false,
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

fn compare_args(of: &ComparisonOf, stacks: [String; 2], args: &ReproduceArgs) -> CompareArgs {
    CompareArgs {
        stacks: stacks.to_vec(),
        pairs: vec![],
        merge_base: None,
        suite: String::new(),
        scenarios: of.scenarios.clone(),
        metrics: of.metrics.iter().map(asked).collect(),
        counter: None,
        how: HowComparedArgs {
            budget: Some(Duration::from_secs_f64(of.budget_s * share(args))),
            arrangement: WhichArrangement::Best,
            floor: None,
            negligible: 0.5,
            // Where code lies is no part of a count.
            fixed_layout: !of.metrics.is_empty() && !of.metrics.contains(&Metric::Time),
            slicing: SlicingArgs::default(),
            seed: None,
            timeout: args.timeout,
        },
        fail_on: None,
        threshold: 0.2,
        no_functions: false,
        resume: None,
        from: None,
        kept: args.kept.clone(),
        format: ComparisonFormat::Table,
        all: true,
    }
}
