//! Outcomes of jobs, notes, and capabilities of stacks.

use super::*;
use crate::{Capability, OutcomeRecord, OutcomeState, OutcomeSummary};

on_every_database! {
    an_outcome_is_kept_and_replaced_until_it_is_done,
    a_run_has_the_last_outcome_of_its_jobs_and_keeps_it_without_samples,
    an_outcome_that_is_too_long_is_refused_on_both_ways,
    entries_are_read_in_the_order_of_noting,
    of_several_entries_all_are_noted_or_none,
    labs_that_note_the_same_at_once_do_not_fail,
    a_capability_is_that_of_the_last_driver,
}

pub(super) fn outcome(id: &str, ended_unix_ms: u64, state: OutcomeState) -> OutcomeRecord {
    let text = str::to_owned;
    let summary = OutcomeSummary {
        id: text(id),
        kind: text("compare"),
        run: Some(text("r")),
        title: text("a@1 and a@2"),
        trust: text("reviewed"),
        host: text("h"),
        began_unix_ms: 1,
        ended_unix_ms,
        state,
        status: 3,
        format: 1,
    };
    OutcomeRecord { summary, request: text("{\"kind\":\"compare\"}"), body: text("{\"µ\":1}") }
}

fn an_outcome_is_kept_and_replaced_until_it_is_done(place: &Place) {
    let mut store = place.open();
    assert_eq!(store.outcome("j").unwrap(), None);
    for state in [OutcomeState::Interrupted, OutcomeState::Failed, OutcomeState::Done] {
        let record = OutcomeRecord { body: format!("{:?}", state.name()), ..outcome("j", 5, state) };
        assert!(store.put_outcome(&record).unwrap());
        assert_eq!(place.open().outcome("j").unwrap(), Some(record));
    }
    assert!(!store.put_outcome(&outcome("j", 9, OutcomeState::Failed)).unwrap());
    assert_eq!(store.outcome("j").unwrap().unwrap().body, "\"done\"");
    let mut alone = outcome("k", 5, OutcomeState::Done);
    alone.summary.run = None;
    assert!(store.put_outcome(&alone).unwrap());
    assert_eq!(store.outcome("k").unwrap(), Some(alone));
}

fn a_run_has_the_last_outcome_of_its_jobs_and_keeps_it_without_samples(place: &Place) {
    let mut store = place.open();
    store.create_run(&plan("r", 5), &me()).unwrap();
    store.complete_run("r").unwrap();
    assert_eq!(store.outcome_of_run("r").unwrap(), None);
    let last = outcome("j2", 9, OutcomeState::Done);
    store.put_outcome(&last).unwrap();
    store.put_outcome(&outcome("j1", 7, OutcomeState::Failed)).unwrap();
    store.delete_samples("r", 10).unwrap();
    store.shrink().unwrap();
    assert_eq!(store.outcome_of_run("r").unwrap(), Some(last));
}

fn an_outcome_that_is_too_long_is_refused_on_both_ways(place: &Place) {
    let mut store = place.open();
    let long = OutcomeRecord { body: " ".repeat((64 << 20) + 1), ..outcome("j", 5, OutcomeState::Done) };
    let error = store.put_outcome(&long).unwrap_err().to_string();
    assert!(error.starts_with("the outcome of the job j has more than 64 MiB"), "{error}");
    store.put_outcome(&outcome("j", 5, OutcomeState::Done)).unwrap();
    let bomb = hex::encode(zstd::encode_all(long.body.as_bytes(), 3).unwrap());
    place.execute(&match place.address {
        Address::Sqlite(_) => format!("UPDATE outcome SET body = x'{bomb}'"),
        Address::Postgres(_) => format!("UPDATE outcome SET body = decode('{bomb}', 'hex')"),
    });
    let error = store.outcome("j").unwrap_err().to_string();
    assert!(error.ends_with("the outcome j: unpacked it has more than 64 MiB"), "{error}");
}

fn owned(entries: &[(&str, &str)]) -> Vec<(String, String)> {
    entries.iter().map(|(key, body)| ((*key).to_owned(), (*body).to_owned())).collect()
}

fn entries_are_read_in_the_order_of_noting(place: &Place) {
    let mut store = place.open();
    store.put_entry("a", "x/2", "1").unwrap();
    store.put_entries("a", &owned(&[("x/1", "2"), ("y%", "3"), ("x_", "4")])).unwrap();
    store.put_entry("b", "x/1", "of another kind").unwrap();
    let all = [("x/2", "1"), ("x/1", "2"), ("y%", "3"), ("x_", "4")];
    assert_eq!(place.open().entries("a", "").unwrap(), owned(&all));
    store.put_entry("a", "x/2", "5").unwrap();
    assert_eq!(store.entries("a", "x/").unwrap(), owned(&[("x/1", "2"), ("x/2", "5")]));
    assert_eq!(store.entries("a", "x_").unwrap(), owned(&[("x_", "4")]), "it is no pattern");
    assert_eq!(store.entries("a", "%").unwrap(), []);
    assert_eq!(store.entries("c", "").unwrap(), []);
}

fn of_several_entries_all_are_noted_or_none(place: &Place) {
    let mut store = place.open();
    place.execute("CREATE UNIQUE INDEX once ON entry (body)");
    store.put_entries("a", &owned(&[("x", "1"), ("y", "1")])).unwrap_err();
    assert_eq!(store.entries("a", "").unwrap(), []);
}

fn labs_that_note_the_same_at_once_do_not_fail(place: &Place) {
    drop(place.open());
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut store = place.open();
                (0..20).for_each(|number| store.put_entry("a", "x", &number.to_string()).unwrap());
            });
        }
    });
    assert_eq!(place.open().entries("a", "").unwrap(), owned(&[("x", "19")]));
}

fn a_capability_is_that_of_the_last_driver(place: &Place) {
    let mut store = place.open();
    let capability = |stack: &str, driver_digest: &str| Capability {
        stack: stack.to_owned(),
        driver_digest: driver_digest.to_owned(),
        description: "{}".to_owned(),
        noted_unix_ms: 0,
    };
    for known in [capability("b", "1"), capability("a", "2"), capability("b", "3")] {
        store.put_capability(&known).unwrap();
    }
    let noted = store.capabilities().unwrap();
    assert!(noted.iter().all(|known| known.noted_unix_ms > 1_700_000_000_000), "{noted:?}");
    let known: Vec<_> = noted.iter().map(|known| (&*known.stack, &*known.driver_digest)).collect();
    assert_eq!(known, [("a", "2"), ("b", "3")]);
}
