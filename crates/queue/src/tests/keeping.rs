//! Deletion of old rows, rows that stay, and daily limits.

use super::*;
use crate::{Filter, Kept, PullRow};

on_every_database! {
    results_and_jobs_are_deleted_but_for_those_that_something_rests_on,
    a_day_and_an_hour_are_full_until_the_first_of_them_is_old,
}

/// A job of a kind that has ended with a result.
fn ended(queue: &dyn Queue, id: &str, subject: serde_json::Value, head: Option<&str>) {
    let head = head.map(str::to_owned);
    enqueue(queue, NewJob { subject, head, ..new_job(id) });
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.event(&hold(&leased, "r"), &[(1, json!(1))]).unwrap();
    queue.finish(&hold(&leased, "r"), &reported("done")).unwrap();
}

fn results_and_jobs_are_deleted_but_for_those_that_something_rests_on(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    ended(&*queue, "open", json!({"kind": "pull"}), Some("h1"));
    ended(&*queue, "closed", json!({"kind": "pull"}), Some("h2"));
    ended(&*queue, "push", json!({"kind": "push"}), None);
    ended(&*queue, "submitted", json!({"kind": "submitted"}), None);
    enqueue(&*queue, new_job("waits"));
    let project = queue.job("open").unwrap().unwrap().project;
    for (number, head, is_open) in [(1, "h1", true), (2, "h2", false)] {
        let (project, head) = (project.clone(), head.to_owned());
        queue
            .apply(&[Change::SeePull(PullRow { project, number, head, is_open, ..PullRow::default() })])
            .unwrap();
    }
    let message =
        |key: &str, job: &str| Change::Send { key: key.to_owned(), job: job.to_owned(), body: json!(1) };
    queue.apply(&[message("k", "closed"), message("l", "open")]).unwrap();
    while let Some(message) = queue.claim_message().unwrap() {
        queue.message_sent(&message, None).unwrap();
    }
    at(9_000_000);
    assert_eq!(queue.delete_some(Kept::Results, 1_000, 1).unwrap(), 1, "one batch");
    assert_eq!(queue.delete_some(Kept::Results, 1_000, 9).unwrap(), 2);
    let has = |id: &str| queue.result(id).unwrap().is_some();
    assert_eq!([has("open"), has("closed"), has("push"), has("submitted")], [true, false, false, false]);
    assert!(queue.delete_some(Kept::Jobs, 1_000, 9).unwrap() >= 3, "two jobs and a message");
    let left: Vec<String> = queue.list(&Filter::default()).unwrap().into_iter().map(|job| job.id).collect();
    assert_eq!(left, ["waits", "push", "open"]);
    assert_eq!(queue.delete_some(Kept::Jobs, 1_000, 9).unwrap(), 0);
    // A deleted key may be used again.
    assert_eq!(enqueue(&*queue, new_job("closed")), Applied::Added("closed".to_owned()));
}

fn a_day_and_an_hour_are_full_until_the_first_of_them_is_old(place: &Place) {
    let (queue, at) = place.stopped();
    let project = new_job("a").project;
    let full = |most| queue.jobs_full_until(&project, 1_000, most).unwrap();
    for (id, now) in [("a", 10_000), ("b", 10_400)] {
        at(now);
        enqueue(&*queue, NewJob { supersedes: Some(id.to_owned()), ..new_job(id) });
    }
    assert_eq!((full(1), full(2), full(3)), (Some(11_400), Some(11_000), None));
    assert_eq!(queue.jobs_full_until("other", 1_000, 1).unwrap(), None);
    assert_eq!(queue.count_waiting(&project, "a").unwrap(), 1, "its own group does not count");
    assert_eq!(queue.count_waiting(&project, "").unwrap(), 2);
    let command = |comment, person: &str| Change::CarryOut {
        forge: "f".to_owned(),
        comment,
        person: person.to_owned(),
    };
    queue.apply(&[command(1, "ann"), command(2, "bob"), command(3, "ann")]).unwrap();
    let full = |person, most| queue.commands_full_until("f", person, 1_000, most).unwrap();
    assert_eq!((full("ann", 2), full("ann", 3), full("bob", 2)), (Some(11_400), None, None));
    at(11_400);
    assert_eq!((full("ann", 1), queue.jobs_full_until(&project, 1_000, 1).unwrap()), (None, None));
}
