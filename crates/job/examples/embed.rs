//! Compares two stacks through the library and prints a verdict: `embed BASELINE CANDIDATE`.

use tlslab_job::{Outcome, Request, run};
use tlslab_lab::request::CompareRequest;
use tlslab_lab::{Cancel, Conditions, Environment, Error, Event, Results};
use tlslab_protocol::Measure;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stacks: Vec<String> = std::env::args().skip(1).collect();
    let [baseline, candidate] = &stacks[..] else { return Err("usage: embed BASELINE CANDIDATE".into()) };
    let request = Request::Compare(Box::new(CompareRequest {
        pairs: vec![(baseline.clone(), candidate.clone())],
        scenarios: vec!["handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none".to_owned()],
        metrics: vec![Measure::Count],
        functions: false,
        ..CompareRequest::default()
    }));
    let environment = Environment::find(None, None)?;
    let mut progress = |event: &Event| {
        if let Event::Step(step) = event {
            eprintln!("{}: {}/{} {}", step.stage.name(), step.done, step.total, step.what);
        }
    };
    let results = Results::of(std::env::temp_dir().join("tlslab-embed"));
    // Another thread may cancel; the job then ends as interrupted, and one of the same identifier resumes.
    let cancel = Cancel::new();
    match run(&request, &environment, &results, &Conditions::own(), &mut progress, &cancel) {
        Ok(Outcome::Comparison(comparison)) => println!("{}", tlslab_comparison::sentence(&comparison)),
        Ok(_) => unreachable!("a comparison was asked for"),
        Err(Error::Interrupted { run }) => println!("interrupted; run {run:?} can go on"),
        Err(error) => return Err(format!("{:?}: {error}", error.problem().kind).into()),
    }
    Ok(())
}
