//! Turns of projects.

use std::time::Duration;

use super::*;
use crate::{Approval, Change, NewJob, Which};

on_every_database! {
    projects_take_turns_and_a_new_one_joins_at_the_present_turn,
    a_job_that_was_superseded_has_used_no_turn,
    cancelled_jobs_have_used_no_turn,
    other_labels_have_turns_of_their_own,
    an_approved_job_joins_when_it_is_approved,
    labels_of_others_do_not_keep_a_runner_from_the_first_of_its_own,
    somebody_who_waits_hears_of_work,
}

fn of(id: &str, project: &str) -> NewJob {
    NewJob { project: project.to_owned(), ..new_job(id) }
}

/// The next jobs, each carried out.
fn order(queue: &dyn Queue, count: usize) -> Vec<String> {
    let next = |_| {
        let leased = queue.take(&taker("r")).unwrap().job().unwrap();
        queue.finish(&hold(&leased, "r"), &reported("")).unwrap();
        leased.job
    };
    (0..count).map(next).collect()
}

fn projects_take_turns_and_a_new_one_joins_at_the_present_turn(place: &Place) {
    let queue = place.open(LONG);
    for number in 1..=4 {
        enqueue(&*queue, of(&format!("a{number}"), "a"));
    }
    assert_eq!(order(&*queue, 3), ["a1", "a2", "a3"]);
    enqueue(&*queue, of("a5", "a"));
    // It gets one turn for each of the others' from now on, and not three at once for those that it missed.
    for number in 1..=3 {
        enqueue(&*queue, of(&format!("b{number}"), "b"));
    }
    assert_eq!(order(&*queue, 5), ["b1", "a4", "b2", "a5", "b3"]);
}

fn a_job_that_was_superseded_has_used_no_turn(place: &Place) {
    let queue = place.open(LONG);
    for number in 1..=5 {
        let pull = NewJob { supersedes: Some("pull".to_owned()), ..of(&format!("a{number}"), "a") };
        enqueue(&*queue, pull);
    }
    enqueue(&*queue, of("b1", "b"));
    enqueue(&*queue, of("b2", "b"));
    assert_eq!(order(&*queue, 3), ["a5", "b1", "b2"]);
}

fn cancelled_jobs_have_used_no_turn(place: &Place) {
    let queue = place.open(LONG);
    for number in 1..=5 {
        enqueue(&*queue, of(&format!("a{number}"), "a"));
        queue.apply(&[cancel(&format!("a{number}"))]).unwrap();
    }
    enqueue(&*queue, of("b1", "b"));
    enqueue(&*queue, of("b2", "b"));
    enqueue(&*queue, of("a6", "a"));
    assert_eq!(order(&*queue, 3), ["b1", "a6", "b2"]);
}

fn other_labels_have_turns_of_their_own(place: &Place) {
    let queue = place.open(LONG);
    let arm = |id: &str, project: &str| NewJob { labels: vec!["arm".to_owned()], ..of(id, project) };
    for number in 1..=9 {
        enqueue(&*queue, of(&format!("x{number}"), "x"));
    }
    order(&*queue, 9);
    for number in 1..=3 {
        enqueue(&*queue, arm(&format!("a{number}"), "a"));
    }
    // Turns of other runners delay nobody here.
    enqueue(&*queue, arm("c1", "c"));
    enqueue(&*queue, arm("x10", "x"));
    let on_arm = Taker { labels: vec!["arm".to_owned()], ..taker("r") };
    let next = |_| {
        let leased = queue.take(&on_arm).unwrap().job().unwrap();
        queue.finish(&hold(&leased, "r"), &reported("")).unwrap();
        leased.job
    };
    assert_eq!((0..5).map(next).collect::<Vec<_>>(), ["a1", "c1", "x10", "a2", "a3"]);
}

fn an_approved_job_joins_when_it_is_approved(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, NewJob { approval: Approval::Awaited, ..of("waits", "a") });
    for number in 1..=3 {
        enqueue(&*queue, of(&format!("b{number}"), "b"));
    }
    assert_eq!(order(&*queue, 2), ["b1", "b2"]);
    let approve = Change::Approve { which: Which::Job("waits".to_owned()), cause: "yes".to_owned() };
    queue.apply(&[approve]).unwrap();
    assert_eq!(order(&*queue, 2), ["waits", "b3"]);
}

fn labels_of_others_do_not_keep_a_runner_from_the_first_of_its_own(place: &Place) {
    let queue = place.open(LONG);
    let labelled =
        |id: &str, label: &str, priority| NewJob { labels: vec![label.to_owned()], priority, ..of(id, "a") };
    enqueue(&*queue, labelled("arm", "arch:arm", 50));
    enqueue(&*queue, labelled("late", "arch:x86", 20));
    enqueue(&*queue, of("any", "a"));
    enqueue(&*queue, labelled("first", "arch:x86", 30));
    let takes = |slot| {
        let taker = Taker { labels: vec!["arch:x86".to_owned()], slot, ..taker("r") };
        queue.take(&taker).unwrap().job().map(|leased| leased.job)
    };
    assert_eq!(takes(1), None, "all of them measure time");
    enqueue(&*queue, NewJob { is_timed: false, ..of("counts", "b") });
    assert_eq!(takes(1).as_deref(), Some("counts"));
    assert_eq!(takes(0).as_deref(), Some("first"));
}

fn somebody_who_waits_hears_of_work(place: &Place) {
    let (queue, waiting) = (place.open(LONG), place.open(LONG));
    let heard = || waiting.heard_of_work(Duration::from_millis(10)).unwrap();
    if heard().is_none() {
        return assert!(matches!(place.address, tlslab_store::Address::Sqlite(_)), "a server tells");
    }
    assert_eq!(heard(), Some(false));
    enqueue(&*queue, new_job("a"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    let later = || waiting.heard_of_work(Duration::from_secs(10)).unwrap();
    assert_eq!((later(), heard()), (Some(true), Some(false)));
    // A job that comes back is news, too.
    queue.finish(&hold(&leased, "r"), &Finish { state: State::Queued, ..reported("") }).unwrap();
    assert_eq!(later(), Some(true));
}
