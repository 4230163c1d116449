//! Samples in points.

#[path = "../../../../report/tests/synthetic/mod.rs"]
mod synthetic;

use tlslab_lab::put_run;
use tlslab_protocol::Side;
use tlslab_record::RunRecord;
use tlslab_store::{Owner, open};

use super::{Answer, Lab};

const STACK: &str = "openssl-3.5.4";

/// A lab whose database has a run; a visit of it was cut short.
fn lab() -> (Lab, RunRecord) {
    let lab = Lab::new();
    let mut record = synthetic::run(7, 3, 40);
    record.plan.id = "20261121-101500-k3vq".to_owned();
    let mut store = open(lab.service.pool.address()).unwrap();
    put_run(&mut *store, &record, &Owner::this_process()).unwrap();
    (lab, record)
}

async fn ask(lab: &Lab, run: &str, query: &str) -> Answer {
    lab.get(&format!("/api/v1/runs/{run}/samples?{query}")).await
}

/// The recorded values, ns per iteration.
fn recorded(record: &RunRecord, scenario: usize, side: Side) -> Vec<f64> {
    let complete = |round, attempt| {
        let visits = record.visits.iter();
        visits
            .filter(|visit| visit.complete)
            .any(|visit| (visit.round, visit.scenario, visit.attempt) == (round, scenario, attempt))
    };
    let stack = record.plan.stacks.iter().position(|stack| stack.name == STACK).unwrap();
    let of_cell = record.samples.iter().filter(|sample| (sample.scenario, sample.stack) == (scenario, stack));
    let of_cell = of_cell.filter(|sample| complete(sample.round, sample.attempt));
    let times = of_cell.map(|sample| {
        let measured = &sample.measurement;
        let of_side = if side == Side::Client { &measured.client } else { &measured.server };
        of_side.phases.total_ns() as f64 / measured.iterations as f64
    });
    times.collect()
}

#[tokio::test]
async fn samples_are_those_of_the_database_whole_or_in_points() {
    let (lab, record) = lab();
    for (scenario, resolved) in record.plan.scenarios.iter().enumerate() {
        let name = resolved.name.replace('+', "%2B");
        for side in Side::BOTH {
            let expected = recorded(&record, scenario, side);
            let cell = format!("scenario={name}&stack={STACK}&side={}", side.name());
            let whole = ask(&lab, &record.plan.id, &cell).await;
            assert_eq!(whole.status.as_u16(), 200, "{}", whole.text);
            let whole = whole.json();
            assert_eq!(whole["samples"], expected.len());
            let means: Vec<f64> = whole["points"]
                .as_array()
                .unwrap()
                .iter()
                .map(|point| point["mean"].as_f64().unwrap())
                .collect();
            assert_eq!(means, expected);
            let few = ask(&lab, &record.plan.id, &format!("{cell}&points=10&from=10&to=100")).await.json();
            for point in few["points"].as_array().unwrap() {
                let number = |name: &str| point[name].as_u64().unwrap() as usize;
                let of = &expected[number("first")..number("first") + number("count")];
                assert_eq!(point["min"], of.iter().copied().fold(f64::INFINITY, f64::min));
                assert_eq!(point["max"], of.iter().copied().fold(f64::NEG_INFINITY, f64::max));
                assert_eq!(number("round"), number("first") / 40, "a round of this run has 40 blocks");
            }
        }
    }
    // Three rounds of scenario 2, one of whose visits was made twice.
    assert_eq!(recorded(&record, 2, Side::Client).len(), 120);
}

#[tokio::test]
async fn what_is_not_there_is_named() {
    let (lab, record) = lab();
    let (run, scenario) = (&record.plan.id, record.plan.scenarios[0].name.replace('+', "%2B"));
    let good = format!("scenario={scenario}&stack={STACK}&side=client");
    for (run, query, status, text) in [
        (run.as_str(), "side=client".to_owned(), 400, "missing field `scenario`"),
        (run, good.replace("client", "middle"), 400, "middle"),
        (run, format!("{good}&points=0"), 400, "write 1 to 10000"),
        (run, format!("{good}&points=10001"), 400, "write 1 to 10000"),
        (run, format!("{good}&from=-1"), 400, "from"),
        (run, format!("{good}&colour=green"), 400, "colour"),
        ("20261121-101500-aaaa", good.clone(), 404, "there is no run \"20261121-101500-aaaa\""),
        ("..", good.clone(), 404, "there is no"),
        (run, good.replace(scenario.as_str(), "nothing"), 404, "has no scenario \"nothing\""),
        (run, good.replace(STACK, "nothing"), 404, "has no stack \"nothing\"; it has "),
    ] {
        let answer = ask(&lab, run, &query).await;
        assert_eq!(answer.status.as_u16(), status, "{query}: {}", answer.text);
        assert!(answer.json()["message"].as_str().unwrap().contains(text), "{query}: {}", answer.text);
    }
    let beyond = ask(&lab, run, &format!("{good}&from=1000&to=5")).await.json();
    assert_eq!(beyond["points"], serde_json::json!([]));
}

#[tokio::test]
async fn a_run_that_goes_on_is_read_again() {
    let lab = Lab::new();
    let mut record = synthetic::run(7, 1, 4);
    record.plan.id = "20261121-101500-k3vq".to_owned();
    let mut store = open(lab.service.pool.address()).unwrap();
    store.create_run(&record.plan, &Owner::this_process()).unwrap();
    let query =
        format!("scenario={}&stack={STACK}&side=client", record.plan.scenarios[0].name.replace('+', "%2B"));
    let samples = async || ask(&lab, &record.plan.id, &query).await.json()["samples"].as_u64().unwrap();
    assert_eq!(samples().await, 0);
    let visit = record.visits.iter().find(|visit| visit.scenario == 0).unwrap();
    store.begin_visit(&record.plan.id, visit).unwrap();
    for sample in record.samples.iter().filter(|sample| sample.scenario == 0) {
        store.add_sample(&record.plan.id, sample).unwrap();
    }
    assert_eq!(samples().await, 0, "a visit counts when it has come to its end");
    store.end_visit(&record.plan.id, visit, 1.0).unwrap();
    assert_eq!(samples().await, 4);
}
