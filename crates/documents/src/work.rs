//! The measurements of a document, by the verbs that measure: runs, comparisons, profiles, trials.

use std::collections::BTreeMap;
use std::time::Instant;

use anyhow::{Context, bail};
use tlslab_comparison::Comparison;
use tlslab_estimate::Report;
use tlslab_lab::compare::execute::{self as compare, recorded};
use tlslab_lab::request::{CompareRequest, Decision, RunRequest};
use tlslab_lab::run::{Begun, begin, carried_out};
use tlslab_lab::{JobId, RunName, Start, report_of};
use tlslab_protocol::Measure;
use tlslab_record::{Count, RULE_VERSION, RunRecord, Seconds};
use tlslab_reproduction::{Basis, ComparisonOf, Document, Measured, Measurement, Provenance, TrialOfStack};

use crate::check::{budget_s, compared, rounds};
use crate::profiles::profiled;
use crate::quiet::Watch;
use crate::repeat::{Attempt, Timed};
use crate::request::ReproduceRequest;
use crate::run_index::{Known, definition};
use crate::sources;
use crate::task::Task;
use crate::trials::tried;

/// Whether a part of the document was requested.
pub(crate) fn is_wanted(basis: Basis, request: &ReproduceRequest) -> bool {
    match basis {
        Basis::AsPublished => request.as_published,
        Basis::Fair => request.fair,
    }
}

impl Task<'_> {
    /// The request for a measurement.
    fn run_request(&self, run: &Measurement) -> anyhow::Result<RunRequest> {
        let catalogue = self.session.environment().catalogue()?;
        let budget_s = budget_s(&catalogue, run, self.share)?;
        let least = self.session.policy().examination.quick.1;
        let rounds = rounds(&catalogue, run, self.share, least)?;
        Ok(RunRequest {
            suite: run.suite.clone(),
            stacks: run.stacks.clone(),
            scenarios: run.scenarios.clone(),
            together: run.together.clone(),
            metrics: run.metrics.clone(),
            budget_s: Some(Seconds::nearest(budget_s)),
            rounds: rounds.and_then(|rounds| Count::new(rounds.into()).ok()),
            timeout_s: self.request.timeout_s,
            ..RunRequest::default()
        })
    }

    /// All requested parts, and earlier measurements.
    pub(crate) fn done(&mut self) -> anyhow::Result<Measured> {
        let mut measured = Measured::default();
        for run in &self.document.measurements {
            let mut reports = Vec::new();
            for time in 0..run.times.unwrap_or(1) {
                let report = match is_wanted(run.basis, self.request) {
                    true => Some(self.report(run, time)?),
                    false => self.kept_report(run, time)?,
                };
                reports.extend(report);
            }
            if !reports.is_empty() {
                measured.reports.insert(run.name.clone(), reports);
            }
        }
        for of in &self.document.comparisons {
            let comparison = match is_wanted(of.basis, self.request) {
                true => Some(self.comparison(of)?),
                false => self.known_comparison(of)?,
            };
            measured.comparisons.extend(comparison.map(|comparison| (of.name.clone(), comparison)));
        }
        let wanted = |of: &tlslab_reproduction::ProfileOf| is_wanted(of.basis, self.request);
        measured.profiles = profiled(self.session, self.document, self.folder, wanted, &mut self.times)?;
        measured.trials = self.trials(&measured)?;
        measured.took = self.times.sum();
        let profiled = self.profiled_versions(&measured)?;
        measured.rule = Some(RULE_VERSION);
        measured.provenance = Some(Provenance { profiled, ..self.parts.provenance(self.share) });
        Ok(measured)
    }

    /// One run: earlier, resumed, or new.
    fn report(&mut self, run: &Measurement, time: u32) -> anyhow::Result<Report> {
        let name = name_of(self.document, run, time);
        self.times.has(&name);
        let definition = definition(run);
        let known = self.made.known(&name, &definition).filter(|_| !self.request.again);
        let first = match known.and_then(|run| self.store.load(&run).ok()) {
            Some(record) if record.complete => {
                let id = record.plan.id.clone();
                self.kept(&name, id, report_of(self.session.results, self.store, record)?)
            }
            kept => self.measured(run, &name, kept, Attempt::First)?,
        };
        let load = first.result.host.load.map(|load| load.one);
        self.parts.has(&name, load);
        self.repeated(&name, definition, first, |task| task.measured(run, &name, None, Attempt::Second))
    }

    /// Measures one run, or the rest of it.
    fn measured(
        &mut self,
        run: &Measurement,
        name: &str,
        kept: Option<RunRecord>,
        attempt: Attempt,
    ) -> anyhow::Result<Timed<Report>> {
        self.check_tools()?;
        let since = Instant::now();
        let asked = self.run_request(run)?;
        let is_new = kept.is_none();
        let run_name = run_name(kept.map(|record| record.plan.id));
        let begun = begin(self.session, &asked, &run_name, self.store)?;
        let Begun::Open(open) = begun else { bail!("run {} has ended meanwhile", run_name.id) };
        let (plan, sofar) = *open;
        if is_new {
            self.times.built(name, since)?;
            if attempt == Attempt::First {
                self.made.add(name, Known { run: plan.id.clone(), definition: definition(run) })?;
            }
            self.session.reporter().note(format!("{name}: run {}, about {:.0} s", plan.id, plan.budget_s));
        } else {
            self.session.reporter().note(format!("{name}: continuing run {}", plan.id));
        }
        let is_timed = plan.has(Measure::Time);
        self.wait_for_quiet(&plan.id, is_timed)?;
        let (since, watch) = (Instant::now(), Watch::start());
        let timeout = self.request.timeout_s.duration();
        let done = carried_out(self.session, &plan, sofar, self.store, timeout);
        self.times.measured(name, since)?;
        let (report, _) = done?;
        let noted = self.note_part(name, watch, is_timed, attempt)?;
        Ok(Timed { run: plan.id, result: report, noted: Some(noted) })
    }

    /// An earlier measurement.
    fn kept_report(&mut self, run: &Measurement, time: u32) -> anyhow::Result<Option<Report>> {
        let name = name_of(self.document, run, time);
        let known = self.made.known(&name, &definition(run)).and_then(|run| self.store.load(&run).ok());
        let Some(record) = known.filter(|record| record.complete) else { return Ok(None) };
        self.times.has(&name);
        self.parts.has(&name, record.plan.host.load.map(|load| load.one));
        report_of(self.session.results, self.store, record).map(Some)
    }

    /// One comparison, likewise.
    fn comparison(&mut self, of: &ComparisonOf) -> anyhow::Result<Comparison> {
        let name = format!("{}/{}", self.document.name, of.name);
        self.times.has(&name);
        let definition = compared(of, &self.stacks(of)?);
        let known = self.made.known(&name, &definition).filter(|_| !self.request.again);
        let first = match known.and_then(|run| self.store.load(&run).ok()) {
            Some(record) if record.complete => {
                let comparison = recorded(self.session, &record)?;
                self.kept(&name, record.plan.id.clone(), comparison)
            }
            kept => self.measured_comparison(of, &name, kept, Attempt::First)?,
        };
        self.parts.has(&name, first.result.host.load.map(|load| load.one));
        let record = self.store.load(&first.run)?;
        self.parts.built(&of.name, &record.plan.stacks);
        let again = |task: &mut Self| task.measured_comparison(of, &name, None, Attempt::Second);
        self.repeated(&name, definition, first, again)
    }

    /// Measures one comparison, or the rest of it.
    fn measured_comparison(
        &mut self,
        of: &ComparisonOf,
        name: &str,
        kept: Option<RunRecord>,
        attempt: Attempt,
    ) -> anyhow::Result<Timed<Comparison>> {
        self.check_tools()?;
        let stacks = self.stacks(of)?;
        let definition = compared(of, &stacks);
        let budget_s = of.budget_s * self.share;
        let request = compare_request(of, stacks, self.request, budget_s);
        match &kept {
            Some(record) => {
                self.session.reporter().note(format!("{name}: continuing run {}", record.plan.id))
            }
            None => self
                .session
                .reporter()
                .note(format!("{name}: about {budget_s:.0} s of measuring, and counting")),
        }
        let since = Instant::now();
        let is_new = kept.is_none();
        let run_name = run_name(kept.map(|record| record.plan.id));
        let begun = compare::begin(self.session, &request, &run_name, self.store)?;
        let compare::Begun::Open(plan, programs) = begun else {
            bail!("run {} has ended meanwhile", run_name.id)
        };
        if is_new {
            self.times.built(name, since)?;
        }
        if attempt == Attempt::First {
            self.made.add(name, Known { run: plan.id.clone(), definition })?;
        }
        let is_timed = plan.has(Measure::Time);
        self.wait_for_quiet(&plan.id, is_timed)?;
        let (since, watch) = (Instant::now(), Watch::start());
        let done = compare::measure_and_judge(self.session, &request, &plan, &programs, self.store);
        self.times.measured(name, since)?;
        let comparison = done?;
        let noted = self.note_part(name, watch, is_timed, attempt)?;
        Ok(Timed { run: plan.id.clone(), result: comparison, noted: Some(noted) })
    }

    fn known_comparison(&mut self, of: &ComparisonOf) -> anyhow::Result<Option<Comparison>> {
        let name = format!("{}/{}", self.document.name, of.name);
        let known = self.made.known(&name, &compared(of, &self.stacks(of)?));
        let record = known.and_then(|run| self.store.load(&run).ok()).filter(|record| record.complete);
        if let Some(record) = &record {
            self.times.has(&name);
            self.parts.has(&name, record.plan.host.load.map(|load| load.one));
            self.parts.built(&of.name, &record.plan.stacks);
        }
        let read = |record| recorded(self.session, &record);
        record.map(read).transpose()
    }

    /// The stacks of a comparison, with the paths of the document's own files.
    fn stacks(&self, of: &ComparisonOf) -> anyhow::Result<[String; 2]> {
        let folder = sources::folder_of(self.session.environment(), &self.document.name)?;
        let folder = folder.to_str().context("the name of the document's folder is not UTF-8")?;
        Ok(of.stacks(folder))
    }

    /// The outcomes of the document's programs for the stacks of its runs.
    fn trials(&mut self, measured: &Measured) -> anyhow::Result<BTreeMap<String, Vec<TrialOfStack>>> {
        let mut trials = BTreeMap::new();
        let reports = measured.last();
        for trial in &self.document.trials {
            let Some(report) = reports.get(&trial.measurement) else { continue };
            let record = self.store.load(&report.run.id)?;
            let script = sources::file_of(self.session.environment(), &self.document.name, &trial.script)?;
            let stacks = &record.plan.stacks;
            let said = tried(self.session, self.folder, &script, trial, stacks, &mut self.times)?;
            trials.insert(trial.title.clone(), said);
        }
        Ok(trials)
    }
}

/// The known run, or a new one.
fn run_name(known: Option<String>) -> RunName {
    match known {
        Some(id) => RunName { id, start: Start::Resume },
        None => RunName { id: JobId::new().to_string(), start: Start::New },
    }
}

/// The key of a run among the document's runs.
fn name_of(document: &Document, run: &Measurement, time: u32) -> String {
    match time {
        0 => format!("{}/{}", document.name, run.name),
        time => format!("{}/{}/{}", document.name, run.name, time + 1),
    }
}

fn compare_request(
    of: &ComparisonOf,
    stacks: [String; 2],
    request: &ReproduceRequest,
    budget_s: f64,
) -> CompareRequest {
    let [base, new] = stacks;
    CompareRequest {
        pairs: vec![(base, new)],
        scenarios: of.scenarios.clone(),
        metrics: of.metrics.clone(),
        decision: Decision {
            budget_s: Some(Seconds::nearest(budget_s)),
            // Code layout changes no count.
            fixed_layout: !of.metrics.is_empty() && !of.metrics.contains(&Measure::Time),
            timeout_s: request.timeout_s,
            ..Decision::default()
        },
        ..CompareRequest::default()
    }
}
