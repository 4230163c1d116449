//! Cancelled work reports that, and the run that it has begun can be resumed.

use std::collections::BTreeSet;
use std::path::Path;

use tlslab_job::{Outcome, Request, run};
use tlslab_lab::request::RunRequest;
use tlslab_lab::{Cancel, Conditions, Environment, Error, Event, Results, Start};
use tlslab_protocol::Measure;

/// Counts both stacks in one scenario: a run with builds, descriptions, proofs and counts, and no timing.
fn request() -> RunRequest {
    RunRequest {
        stacks: vec!["rustls/ring".to_owned(), "openssl".to_owned()],
        scenarios: vec!["handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none".to_owned()],
        metrics: vec![Measure::Count],
        ..RunRequest::default()
    }
}

/// The kind of event; for a step, its stage.
fn kind(event: &Event) -> String {
    match event {
        Event::Step(step) => format!("{:?}", step.stage),
        other => format!("{other:?}").chars().take_while(|sign| sign.is_alphanumeric()).collect(),
    }
}

/// The first and the last event of each kind.
fn ends(kinds: &[String]) -> BTreeSet<usize> {
    let mut ends = BTreeSet::new();
    for kind in kinds {
        ends.extend(kinds.iter().position(|other| other == kind));
        ends.extend(kinds.iter().rposition(|other| other == kind));
    }
    ends
}

/// Carries out a job, which is cancelled at its event of this number. The second value is the kinds of its
/// events.
fn cancelled_at(out: &Path, at: usize) -> (Result<Outcome, Error>, Vec<String>) {
    let environment = Environment::find(None, None).unwrap();
    let (cancel, mut seen) = (Cancel::new(), Vec::new());
    let mut observer = |event: &Event| {
        if seen.len() == at {
            cancel.request();
        }
        seen.push(kind(event));
    };
    let conditions = Conditions { id: "job".parse().unwrap(), start: Start::Either, ..Conditions::own() };
    let (request, results) = (Request::Run(Box::new(request())), Results::of(out.to_owned()));
    let outcome = run(&request, &environment, &results, &conditions, &mut observer, &cancel);
    (outcome, seen)
}

/// The cells of a complete run by stack and side, with their content.
fn cells(outcome: &Outcome) -> BTreeSet<String> {
    let Outcome::Run(run) = outcome else { panic!("it is a run") };
    let text = |cell: &tlslab_estimate::ExactCell| {
        let state = if cell.outcome.value().is_some() { "value" } else { "none" };
        format!("{} {} {} {state}", cell.stack, cell.side.name(), cell.metric)
    };
    run.report.exact.iter().map(text).collect()
}

#[test]
fn wherever_a_run_is_cancelled_it_says_so_and_can_be_resumed() {
    let folder = tempfile::tempdir().unwrap();
    // The first run may build; its events are not those of the runs that follow.
    cancelled_at(&folder.path().join("built"), usize::MAX).0.unwrap();
    let (whole, kinds) = cancelled_at(&folder.path().join("whole"), usize::MAX);
    let expected = cells(&whole.unwrap());
    assert!(expected.iter().any(|cell| cell.ends_with("instructions value")), "{expected:?}");
    let events = kinds.len();
    for at in ends(&kinds) {
        let out = folder.path().join(at.to_string());
        match cancelled_at(&out, at).0 {
            // The last events come after all measurements.
            Ok(outcome) => {
                assert_eq!(cells(&outcome), expected, "cancelled at event {at} of {events}");
                continue;
            }
            Err(Error::Interrupted { run }) => assert!(run.is_none_or(|run| run == "job")),
            Err(Error::Failed(cause)) => panic!("cancelled at event {at} of {events}: {cause:#}"),
        }
        // A job of the same name resumes, whether its run had begun or not.
        let outcome = cancelled_at(&out, usize::MAX).0.unwrap();
        assert_eq!(cells(&outcome), expected, "cancelled at event {at} of {events}, and resumed");
    }
}

#[test]
fn what_is_cancelled_before_it_begins_is_no_failure() {
    let folder = tempfile::tempdir().unwrap();
    let environment = Environment::find(None, None).unwrap();
    let cancel = Cancel::new();
    cancel.request();
    let stack = || "rustls/ring".to_owned();
    let results = Results::of(folder.path().to_owned());
    let scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
    let requests = [
        Request::Run(Box::new(request())),
        Request::Compare(Box::new(tlslab_lab::request::CompareRequest {
            pairs: vec![(stack(), stack())],
            scenarios: vec![scenario.to_owned()],
            ..Default::default()
        })),
        Request::Doctor(tlslab_lab::request::DoctorRequest { stack: stack(), ..Default::default() }),
        Request::Build(tlslab_lab::request::BuildRequest { stacks: vec![stack()], ..Default::default() }),
    ];
    for request in requests {
        let outcome =
            run(&request, &environment, &results, &Conditions::own(), &mut tlslab_lab::Silent, &cancel);
        assert!(matches!(outcome, Err(Error::Interrupted { run: None })), "{request:?}");
    }
}
