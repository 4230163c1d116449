//! Validations from their requests to their results.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, ensure};
use tlslab_protocol::Metric;
use tlslab_record::{Policy, Seconds};

use super::jobs::{Kind, Wanted, run};
use super::ledger::{Entry, Ledger};
use super::neighbours::{Found, WantedNeighbours, markdown as neighbours_markdown, measure};
use super::sheet::{markdown, page};
use crate::compare::{Terms, scenarios};
use crate::counting;
use crate::error::Error;
use crate::event::Event;
use crate::known;
use crate::request::{NeighboursRequest, ValidateRequest};
use crate::session::Session;

/// The folder of validations below the results.
const FOLDER: &str = "validation";

/// What a validation has shown, with the jobs that were recorded before.
pub struct Validation {
    /// Every job.
    pub jobs: Vec<Entry>,
    /// The page.
    pub page: PathBuf,
    /// The confidence of bounds.
    pub confidence: f64,
}

/// Measures false alarms and power, or resumes that.
///
/// # Errors
/// A stack or scenario that there is not, a budget that is too small, and a comparison that is not possible.
pub fn validate(session: &Session<'_>, request: &ValidateRequest) -> Result<Validation, Error> {
    let folder = request.results.out.join(FOLDER);
    let mut ledger = Ledger::open(&folder.join("jobs.jsonl"))?;
    let is_finished = match session.finished(None, jobs(session, request, &mut ledger)) {
        Ok(()) => true,
        Err(Error::Interrupted { .. }) => false,
        Err(failed) => return Err(failed),
    };
    let confidence = session.environment.policy.examination.confidence;
    let (text, html) = (markdown(&ledger.entries, confidence), page(&ledger.entries, confidence));
    let page = write(&folder, &[("validation.md", &text), ("validation.html", &html)])?;
    let beside = ["validation.md", "jobs.jsonl"].map(str::to_owned).to_vec();
    session.emit(&Event::Written { what: "validation", page: page.clone(), beside });
    match is_finished {
        true => Ok(Validation { jobs: ledger.entries, page, confidence }),
        false => Err(Error::EARLY),
    }
}

/// Does every job that is not recorded yet.
fn jobs(session: &Session<'_>, request: &ValidateRequest, ledger: &mut Ledger) -> anyhow::Result<()> {
    ensure!(
        request.metric != Metric::Heap,
        "--metric heap: memory does not vary; time and count are validated"
    );
    let (scenarios, _) = scenarios(session, &request.suite, &request.scenarios)?;
    let counting = match request.metric {
        Metric::Count => {
            let mut plan = counting::plan_by(session, None)?;
            plan.iterations = request.count_iterations;
            Some(plan)
        }
        _ => None,
    };
    let mut kinds = vec![(Kind::Same, request.same), (Kind::Twins, request.twins)];
    kinds.extend(request.by.iter().map(|share| (Kind::Slowed(*share), request.slowed)));
    for (kind, jobs) in kinds.into_iter().filter(|(_, jobs)| *jobs > 0) {
        session.note(format!("{}: {jobs} jobs", kind.name()));
        let wanted = Wanted {
            stack: request.stack.clone(),
            scenarios: scenarios.clone(),
            metric: request.metric,
            counting: counting.clone(),
            terms: terms(&session.environment.policy, request)?,
            jobs,
            seed: request.seed,
            timeout: Seconds::nearest(request.timeout_s).duration(),
        };
        run(session, &wanted, kind, ledger)?;
    }
    Ok(())
}

fn terms(policy: &Policy, request: &ValidateRequest) -> anyhow::Result<Terms> {
    let slicing = request.slicing.over(policy.slicing);
    let seeds = (request.seeds, policy.comparison.seeds.1);
    let usual = Terms { seeds, slicing, ..Terms::from(policy) };
    usual.within(Seconds::nearest(request.per_scenario_s).duration()).map_err(|least| {
        let (asked, least) = (request.per_scenario_s, least.as_secs_f64());
        anyhow::anyhow!("--per-scenario {asked}s: a scenario needs at least {least} s")
    })
}

/// Measures how far times depend on neighbours, and records it for the reports of this host.
///
/// # Errors
/// A stack or scenario that there is not, and stacks that were not built.
pub fn neighbours(session: &Session<'_>, request: &NeighboursRequest) -> Result<Found, Error> {
    let (scenarios, _) = scenarios(session, &request.suite, &request.scenarios)?;
    let (own, rule) = (&session.environment.run.stacks, session.environment.policy.slicing);
    let wanted = WantedNeighbours {
        stacks: if request.stacks.is_empty() { own.clone() } else { request.stacks.clone() },
        others: request.others,
        scenarios,
        rounds: request.rounds,
        slicing: request.slicing.over(rule),
        seed: request.seed,
        timeout: Seconds::nearest(request.timeout_s).duration(),
        policy: session.environment.policy.clone(),
    };
    let found = session.finished(None, measure(session, &wanted))?;
    let out = &request.results.out;
    let text = serde_json::to_string_pretty(&found.effects).context("cannot serialise the effects")?;
    let files = [("neighbours.json", &text), ("neighbours.md", &neighbours_markdown(&found))];
    write(&out.join(FOLDER), &files)?;
    // A trial with another rule says nothing about the figures of runs.
    if wanted.slicing == rule {
        known::neighbours::keep(out, &found.effects)?;
        session.note(format!("recorded in {}: reports there show the largest dependence", out.display()));
    }
    Ok(found)
}

/// Writes files into a folder and returns the last one's path.
fn write(folder: &Path, files: &[(&str, &String)]) -> anyhow::Result<PathBuf> {
    fs::create_dir_all(folder).with_context(|| format!("cannot create the folder {}", folder.display()))?;
    let mut last = folder.to_owned();
    for (name, text) in files {
        last = folder.join(name);
        fs::write(&last, text).with_context(|| format!("cannot write {}", last.display()))?;
    }
    Ok(last)
}
