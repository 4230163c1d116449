//! The engine without libraries: its drivers are scripted, so that planning, resuming, cancelling, leases and
//! outcomes are tested in milliseconds.

mod drivers;
mod recorded;
mod together;

use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Mutex, PoisonError};

use drivers::Scripted;
use tlslab_estimate::{Outcome as CellOutcome, Report};
use tlslab_job::{Job, Outcome, Request, Status, carry_out};
use tlslab_lab::{Cancel, Conditions, Environment, Error, ErrorKind, Event, Phase, Results, Session};
use tlslab_lab::{request::BuildRequest, request::RunRequest};
use tlslab_store::{OutcomeState, Owner, StoreError};

const RECIPE: &str = r#"
name = "scripted"
title = "Played from a script"
licence = "none"
driver = "scripted"

[cargo]
package = "scripted"
version = "1.0.0"
"#;

/// The behaviour of its variants is in the script of the drivers.
const VARIANTS: [&str; 7] = ["slow", "refuses", "crashes", "killed", "lies", "unbuilt", "breaks"];

const SCENARIO: &str = "primitive/hash/sha-256/64B";

/// A folder with a recipe, a cache and results.
struct Place {
    folder: tempfile::TempDir,
    environment: Environment,
    drivers: Scripted,
}

impl Place {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
        let config = format!(
            "lab = {:?}\n[run]\nsuite = \"quick\"\nstacks = [\"scripted\"]\nbaseline = \"scripted\"\n",
            lab.display()
        );
        std::fs::write(folder.path().join("tlslab.toml"), config).unwrap();
        std::fs::create_dir(folder.path().join("stacks")).unwrap();
        let variants =
            VARIANTS.map(|name| format!("\n[variants.{name}]\ncargo = {{ features = [\"{name}\"] }}\n"));
        std::fs::write(folder.path().join("stacks/scripted.toml"), RECIPE.to_owned() + &variants.concat())
            .unwrap();
        let cache = folder.path().join("cache");
        let environment = Environment::find(Some(folder.path().to_owned()), Some(cache)).unwrap();
        let drivers = Scripted::new(&folder.path().join("drivers"));
        Self { folder, environment, drivers }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    /// Carries a job out and passes its events to the observer.
    fn carry_out(
        &self,
        job: &Job,
        cancel: &Cancel,
        observer: &mut (dyn FnMut(&Event) + Send),
    ) -> Result<Outcome, Error> {
        let (results, conditions) = (Results::of(self.out()), Conditions::from(job));
        let observer = Mutex::new(observer);
        let report = |event: &Event| (observer.lock().unwrap_or_else(PoisonError::into_inner))(event);
        let session = Session::new(&self.environment, &results, &conditions, &report, cancel);
        carry_out(&session.with_drivers(&self.drivers), &job.request)
    }

    fn done(&self, job: &Job) -> Result<Outcome, Error> {
        self.carry_out(job, &Cancel::new(), &mut |_| {})
    }

    fn state(&self, job: &str) -> Option<OutcomeState> {
        let store = Results::of(self.out()).open().unwrap();
        store.outcome(job).unwrap().map(|outcome| outcome.summary.state)
    }
}

fn job(id: &str, stacks: &[&str]) -> Job {
    let request = RunRequest {
        stacks: stacks.iter().map(|stack| (*stack).to_owned()).collect(),
        scenarios: vec![SCENARIO.to_owned()],
        budget_s: Some("0.2".parse().unwrap()),
        rounds: Some("2".parse().unwrap()),
        seed: Some(1),
        ..RunRequest::default()
    };
    read_job(id, Request::Run(Box::new(request)))
}

fn read_job(id: &str, request: Request) -> Job {
    let text = serde_json::json!({ "id": id, "trust": "owner", "request": request });
    Job::read(text.to_string().as_bytes()).unwrap()
}

fn report(outcome: &Outcome) -> &Report {
    let Outcome::Run(run) = outcome else { panic!("it is a run") };
    &run.report
}

/// The content of a stack's cell: a time, or why it has none.
fn cell(report: &Report, stack: &str) -> Result<f64, String> {
    let is_it = |cell: &&tlslab_estimate::Cell| cell.stack == stack && cell.metric.name() == "time";
    let cell = report.cells.iter().find(is_it).unwrap_or_else(|| panic!("no cell of {stack}"));
    match &cell.outcome {
        CellOutcome::Measured(measured) => Ok(measured.estimated.value),
        other => {
            Err(other.hole().map_or_else(|| "no reason".to_owned(), |(kind, why)| format!("{kind}: {why}")))
        }
    }
}

#[test]
fn every_stack_has_a_time_or_a_reason_and_the_outcome_is_in_the_database() {
    let place = Place::new();
    let names: Vec<String> = ["".to_owned()]
        .into_iter()
        .chain(VARIANTS.map(|name| format!("+{name}")))
        .map(|name| format!("scripted{name}"))
        .collect();
    let job = job("all", &names.iter().map(String::as_str).collect::<Vec<_>>());
    let outcome = place.done(&job).unwrap();
    assert_eq!(outcome.status(), Status::WithFailures);
    let report = report(&outcome);
    let [plain, slow] = ["scripted", "scripted+slow"].map(|stack| cell(report, stack).unwrap());
    assert!((1.9..2.1).contains(&(slow / plain)), "{plain} {slow}");
    // A signal may be random: the visit was repeated, with a warning.
    assert!(cell(report, "scripted+killed").is_ok());
    assert!(
        report.warnings.iter().any(|warning| warning.contains("killed") && warning.contains("again")),
        "{:?}",
        report.warnings
    );
    for (stack, reason) in [
        ("scripted+refuses", "unsupported: it refuses everything"),
        ("scripted+crashes", "no more"),
        ("scripted+lies", "the digest"),
        ("scripted+unbuilt", "not built"),
    ] {
        let why = cell(report, stack).unwrap_err();
        assert!(why.contains(reason), "{stack}: {why}");
    }
    let store = Results::of(place.out()).open().unwrap();
    let record = store.outcome("all").unwrap().unwrap();
    assert_eq!((record.summary.state, record.summary.status), (OutcomeState::Done, 3));
    // Distributions are only for the page; everything else is equal.
    let read: Outcome = serde_json::from_str(&record.body).unwrap();
    let text = |outcome: &Outcome| serde_json::to_string(outcome).unwrap();
    assert!(text(&read) == text(&outcome), "{}", record.body);
    assert_eq!(store.outcome_of_run("all").unwrap().unwrap().summary.id, "all");
    // A job that is done is not carried out again.
    let started = place.drivers.started.load(Ordering::SeqCst);
    assert!(text(&place.done(&job).unwrap()) == text(&outcome));
    assert_eq!(place.drivers.started.load(Ordering::SeqCst), started);
}

#[test]
fn what_a_run_takes_is_announced_before_it_and_the_second_time_as_it_was() {
    let place = Place::new();
    let announced = |id: &str| {
        let mut planned: Option<Vec<Phase>> = None;
        let seen = place.carry_out(&job(id, &["scripted"]), &Cancel::new(), &mut |event| match event {
            Event::Planned { phases } => planned = Some(phases.clone()),
            Event::Step(step) => assert!(planned.is_some() && step.left_s.is_some(), "{step:?}"),
            _ => {}
        });
        seen.unwrap();
        planned.unwrap()
    };
    let [first, second] = ["first", "second"].map(announced);
    let phases = |planned: &[Phase]| -> Vec<_> {
        planned.iter().map(|phase| (phase.name.clone(), phase.steps, phase.is_from_here)).collect()
    };
    let phase = |name: &str, steps, is_from_here| (name.to_owned(), steps, is_from_here);
    assert_eq!(phases(&first), [phase("prove", Some(1), false), phase("measure", None, true)]);
    assert!(phases(&second)[0].2);
    assert!(second[0].about_s < 0.5 && second[1].about_s >= 0.2, "{second:?}");
}

#[test]
fn wherever_a_job_is_cancelled_it_goes_on_under_its_identifier() {
    let place = Place::new();
    let mut events = 0;
    place.carry_out(&job("whole", &["scripted"]), &Cancel::new(), &mut |_| events += 1).unwrap();
    assert!(events > 4, "{events}");
    for at in 0..events {
        let job = job(&format!("at-{at}"), &["scripted"]);
        let (cancel, mut seen) = (Cancel::new(), 0);
        let stopped = place.carry_out(&job, &cancel, &mut |_| {
            if seen == at {
                cancel.request();
            }
            seen += 1;
        });
        match stopped {
            Err(Error::Interrupted { run }) => {
                assert!(run.is_none_or(|run| run == job.id.as_str()));
                assert_eq!(place.state(job.id.as_str()), Some(OutcomeState::Interrupted), "event {at}");
            }
            // The last events come after all measurements.
            Ok(_) => assert_eq!(place.state(job.id.as_str()), Some(OutcomeState::Done)),
            Err(error) => panic!("cancelled at event {at} of {events}: {error}"),
        }
        let outcome = place.done(&job).unwrap();
        assert!(cell(report(&outcome), "scripted").is_ok(), "event {at}");
        assert_eq!(place.state(job.id.as_str()), Some(OutcomeState::Done));
    }
}

#[test]
fn an_identifier_belongs_to_one_request() {
    let place = Place::new();
    place.done(&job("one", &["scripted"])).unwrap();
    let error = place.done(&job("one", &["scripted+slow"])).unwrap_err();
    assert_eq!(error.problem().kind, ErrorKind::Invalid);
    assert!(error.to_string().contains("another request"), "{error}");
}

#[test]
fn what_a_request_names_and_is_not_there_is_an_error_with_a_kind() {
    let place = Place::new();
    for (stack, kind) in [("no-such-stack", ErrorKind::NotFound), ("=scripted", ErrorKind::Invalid)] {
        let error = place.done(&job("wrong", &[stack])).unwrap_err();
        assert_eq!(error.problem().kind, kind, "{error}");
        assert_eq!(place.state("wrong"), None, "it is refused before anything is recorded");
    }
    let mut wrong = job("scenario", &["scripted"]);
    let Request::Run(run) = &mut wrong.request else { panic!() };
    run.scenarios = vec!["no/such/scenario".to_owned()];
    assert_eq!(place.done(&wrong).unwrap_err().problem().kind, ErrorKind::NotFound);
    let build = read_job(
        "build",
        Request::Build(BuildRequest { stacks: vec!["scripted+unbuilt".to_owned()], ..Default::default() }),
    );
    assert_eq!(place.done(&build).unwrap().status(), Status::WithFailures);
}

/// A run that was interrupted while it was measured.
fn interrupted(place: &Place, id: &str) -> Job {
    let job = job(id, &["scripted"]);
    let cancel = Cancel::new();
    let stopped = place.carry_out(&job, &cancel, &mut |event| {
        if matches!(event, Event::Step(step) if step.stage.name() == "measure") {
            cancel.request();
        }
    });
    assert!(matches!(stopped, Err(Error::Interrupted { run: Some(run) }) if run == id));
    job
}

fn somebody_else() -> Owner {
    Owner { host: "elsewhere".to_owned(), machine: "another".to_owned(), process: 1, started: 1 }
}

#[test]
fn a_run_that_somebody_else_measures_is_left_alone() {
    let place = Place::new();
    let job = interrupted(&place, "held");
    let mut store = Results::of(place.out()).open().unwrap();
    store.take_run("held", &somebody_else()).unwrap();
    let error = place.done(&job).unwrap_err();
    let problem = error.problem();
    assert_eq!(problem.kind, ErrorKind::Unavailable);
    assert!(problem.retry_after_s.is_some_and(|seconds| (1.0..=60.0).contains(&seconds)), "{problem:?}");
    assert!(error.to_string().contains("elsewhere"), "{error}");
    store.release_run("held").unwrap();
    assert!(place.done(&job).is_ok());
}

#[test]
fn who_has_lost_a_run_records_nothing_more_of_it() {
    let place = Place::new();
    let job = interrupted(&place, "lost");
    let out = place.out();
    let mut others = None;
    let lost = place.carry_out(&job, &Cancel::new(), &mut |event| {
        let is_first =
            others.is_none() && matches!(event, Event::Step(step) if step.stage.name() == "measure");
        if is_first {
            // As if this process had stood still for longer than its lease.
            let database = rusqlite::Connection::open(out.join("tlslab.sqlite")).unwrap();
            database.execute("UPDATE run SET lease_until_unix_ms = 1 WHERE id = 'lost'", []).unwrap();
            let mut store = Results::of(out.clone()).open().unwrap();
            store.take_run("lost", &somebody_else()).unwrap();
            others = Some((store.load("lost").unwrap().samples.len(), store));
        }
    });
    let error = lost.unwrap_err();
    assert_eq!(error.problem().kind, ErrorKind::Refused, "{error}");
    let (samples, mut store) = others.unwrap();
    assert_eq!(store.load("lost").unwrap().samples.len(), samples);
    assert!(!store.load("lost").unwrap().complete);
    assert!(store.warn("lost", "it is still mine").is_ok());
    let mut third = Results::of(place.out()).open().unwrap();
    assert!(matches!(third.warn("lost", "mine?"), Err(StoreError::LeaseLost { .. })));
}
