//! Compares two stacks through the library and prints a verdict: `embed BASELINE CANDIDATE`.

use tlslab_lab::request::CompareRequest;
use tlslab_lab::{Cancel, Environment, Event, Outcome, Request, Results, run};
use tlslab_protocol::Metric;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let stacks: Vec<String> = std::env::args().skip(1).collect();
    let [baseline, candidate] = &stacks[..] else { return Err("usage: embed BASELINE CANDIDATE".into()) };
    let request = Request::Compare(Box::new(CompareRequest {
        pairs: vec![(baseline.clone(), candidate.clone())],
        scenarios: vec!["handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none".to_owned()],
        metrics: vec![Metric::Count],
        functions: false,
        results: Results { out: std::env::temp_dir().join("tlslab-embed"), store: None },
        ..CompareRequest::default()
    }));
    let environment = Environment::find(None, None)?;
    let mut progress = |event: &Event| {
        if let Event::Step(step) = event {
            eprintln!("{}: {}/{} {}", step.stage.name(), step.done, step.total, step.what);
        }
    };
    let outcome = run(&request, &environment, &mut progress, &Cancel::new())?;
    if let Outcome::Comparison(comparison) = outcome {
        println!("{}", tlslab_comparison::sentence(&comparison));
    }
    Ok(())
}
