//! Scenarios that are measured in one visit.

use std::collections::{BTreeMap, BTreeSet};

use tlslab_estimate::{Metric, Whose};
use tlslab_job::{Job, Request};
use tlslab_lab::request::RunRequest;
use tlslab_lab::{Cancel, Error, ErrorKind, Event, Results};
use tlslab_record::{RunRecord, Sample, Visit};

use super::{Place, read_job, report};

const SHORT: &str = "primitive/hash/sha-256/64B";
const LONG: &str = "primitive/hash/sha-256/1KiB";
const APART: &str = "primitive/hash/sha-256/8B";

fn job(id: &str, stacks: &[&str]) -> Job {
    let request = RunRequest {
        stacks: stacks.iter().map(|stack| (*stack).to_owned()).collect(),
        scenarios: [SHORT, LONG, APART].map(str::to_owned).into(),
        together: vec![format!("{{{SHORT},{LONG}}}")],
        budget_s: Some("0.3".parse().unwrap()),
        rounds: Some("2".parse().unwrap()),
        seed: Some(1),
        ..RunRequest::default()
    };
    read_job(id, Request::Run(Box::new(request)))
}

fn recorded(place: &Place, id: &str) -> RunRecord {
    Results::of(place.out()).open().unwrap().load(id).unwrap()
}

/// The complete visit of a scenario in a round, and its samples.
fn visited<'r>(record: &'r RunRecord, scenario: &str, round: u32) -> (&'r Visit, Vec<&'r Sample>) {
    let at = record.plan.scenarios.iter().position(|known| known.name == scenario).unwrap();
    let is_it = |visit: &&Visit| visit.complete && visit.round == round && visit.scenario == at;
    let mut visits = record.visits.iter().filter(is_it);
    let visit = visits.next().unwrap();
    assert_eq!(visits.next(), None, "a scenario is measured once a round");
    let is_its =
        |sample: &&Sample| sample.scenario == at && sample.round == round && sample.attempt == visit.attempt;
    (visit, record.samples.iter().filter(is_its).collect())
}

/// Checks that every scenario was measured in every round, and those of the group under one attempt.
fn assert_whole(place: &Place, id: &str) {
    let record = recorded(place, id);
    for round in 0..record.plan.rounds {
        let [short, long, _] = [SHORT, LONG, APART].map(|scenario| {
            let (visit, samples) = visited(&record, scenario, round);
            assert!(!samples.is_empty(), "{id}: {scenario}, round {round}");
            visit.attempt
        });
        assert_eq!(short, long, "{id}, round {round}");
    }
}

#[test]
fn every_scenario_of_a_group_and_stack_has_one_turn_in_each_block() {
    let place = Place::new();
    let outcome = place.done(&job("group", &["scripted", "scripted+slow"])).unwrap();
    let record = recorded(&place, "group");
    for round in 0..2 {
        // Places of turns by block: two stacks in two scenarios have four.
        let mut places: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
        for scenario in [SHORT, LONG] {
            let (_, samples) = visited(&record, scenario, round);
            assert!(samples.len() > 8, "{}", samples.len());
            for sample in samples {
                places.entry(sample.block / record.plan.slices).or_default().insert(sample.place);
            }
        }
        assert!(places.values().all(|of_block| *of_block == BTreeSet::from([0, 1, 2, 3])), "{places:?}");
        assert!(visited(&record, APART, round).1.iter().all(|sample| sample.place < 2));
    }
    let report = report(&outcome);
    assert_eq!(report.together.len(), 1);
    let ratio = |stack: &str, of: [&str; 2]| report.scenario_ratio(stack, of, Whose::Client, Metric::Time);
    for stack in ["scripted", "scripted+slow"] {
        let value = ratio(stack, [LONG, SHORT]).unwrap().value;
        assert!((2.9..3.1).contains(&value), "{stack}: {value}");
        let turned = ratio(stack, [SHORT, LONG]).unwrap().value;
        assert!((turned * value - 1.0).abs() < 1e-9);
        assert_eq!(ratio(stack, [APART, SHORT]), None);
    }
}

#[test]
fn one_that_fails_in_a_scenario_of_a_group_leaves_the_others_theirs() {
    let place = Place::new();
    let outcome = place.done(&job("breaks", &["scripted", "scripted+breaks"])).unwrap();
    let report = report(&outcome);
    for (stack, scenario, is_there) in [
        ("scripted", SHORT, true),
        ("scripted", LONG, true),
        ("scripted+breaks", SHORT, true),
        ("scripted+breaks", APART, true),
        ("scripted+breaks", LONG, false),
    ] {
        let cell = report.cell(scenario, stack, Whose::Client, Metric::Time).unwrap();
        assert_eq!(cell.outcome.measured().is_some(), is_there, "{stack} in {scenario}");
    }
    let of = |stack: &str| report.together[0].ratios.iter().find(|one| one.stack == stack).unwrap();
    assert!(of("scripted").ratio.is_some());
    let why = of("scripted+breaks").no_ratio.as_deref().unwrap();
    assert!(why.contains(LONG) && why.contains("too long"), "{why}");
}

#[test]
fn a_group_that_a_signal_cuts_is_made_again_whole() {
    let place = Place::new();
    let outcome = place.done(&job("killed", &["scripted", "scripted+killed"])).unwrap();
    assert_whole(&place, "killed");
    let warnings = &report(&outcome).warnings;
    assert!(warnings.iter().any(|warning| warning.contains("again")), "{warnings:?}");
}

#[test]
fn wherever_a_run_with_a_group_is_cancelled_it_goes_on() {
    let place = Place::new();
    let mut events = 0;
    place.carry_out(&job("whole", &["scripted"]), &Cancel::new(), &mut |_| events += 1).unwrap();
    for at in 0..events {
        let job = job(&format!("at-{at}"), &["scripted"]);
        let (cancel, mut seen) = (Cancel::new(), 0);
        let stopped = place.carry_out(&job, &cancel, &mut |_: &Event| {
            if seen == at {
                cancel.request();
            }
            seen += 1;
        });
        assert!(matches!(stopped, Ok(_) | Err(Error::Interrupted { .. })), "event {at}");
        let outcome = place.done(&job).unwrap();
        assert_whole(&place, job.id.as_str());
        let ratio = report(&outcome).scenario_ratio("scripted", [LONG, SHORT], Whose::Client, Metric::Time);
        assert_eq!(ratio.unwrap().n, 2, "event {at}");
    }
}

#[test]
fn a_group_whose_visits_ended_in_part_does_the_rest_and_makes_no_ratio_of_it() {
    let place = Place::new();
    let job = job("part", &["scripted"]);
    let cancel = Cancel::new();
    let stopped = place.carry_out(&job, &cancel, &mut |event| {
        if matches!(event, Event::Step(step) if step.stage.name() == "measure" && step.done == 3) {
            cancel.request();
        }
    });
    assert!(matches!(stopped, Err(Error::Interrupted { .. })));
    // As if the lab had been killed between the ends of the two visits.
    let database = rusqlite::Connection::open(place.out().join("tlslab.sqlite")).unwrap();
    let at = recorded(&place, "part").plan.scenarios.iter().position(|known| known.name == LONG).unwrap();
    let sql = "UPDATE visit SET complete = 0 WHERE round = 0 AND scenario = ?1";
    assert_eq!(database.execute(sql, [at as i64]).unwrap(), 1);
    drop(database);
    let outcome = place.done(&job).unwrap();
    let record = recorded(&place, "part");
    for scenario in [SHORT, LONG, APART] {
        assert!((0..2).all(|round| !visited(&record, scenario, round).1.is_empty()));
    }
    assert_eq!(visited(&record, LONG, 0).0.attempt, 1);
    assert_eq!(visited(&record, SHORT, 0).0.attempt, 0);
    let ratio = report(&outcome).scenario_ratio("scripted", [LONG, SHORT], Whose::Client, Metric::Time);
    assert_eq!(ratio.unwrap().n, 1, "slices of different visits are no pairs");
}

#[test]
fn what_cannot_be_a_group_is_refused_before_anything_is_recorded() {
    let place = Place::new();
    let mut wrong = job("wrong", &["scripted"]);
    let Request::Run(run) = &mut wrong.request else { panic!() };
    run.together = vec!["handshake/**".to_owned()];
    let error = place.done(&wrong).unwrap_err();
    assert_eq!(error.problem().kind, ErrorKind::Invalid);
    assert_eq!(error.problem().field.as_deref(), Some("together"));
    assert_eq!(place.state("wrong"), None);
}
