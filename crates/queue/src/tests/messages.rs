//! Deliveries and messages.

use super::*;
use crate::Kept;

on_every_database! {
    a_delivery_is_kept_once_and_handled_with_what_it_causes,
    the_newest_text_is_sent_and_the_same_text_is_not,
    a_message_that_cannot_be_sent_waits,
    a_text_that_changes_while_it_is_sent_is_sent_again,
    a_text_that_is_out_of_date_before_it_is_sent_keeps_nobody_waiting,
    every_transition_is_announced_once,
    what_is_old_and_over_is_deleted,
}

fn a_delivery_is_kept_once_and_handled_with_what_it_causes(place: &Place) {
    let queue = place.open(LONG);
    assert!(queue.receive("f", "1", "push", b"{}").unwrap());
    assert!(!queue.receive("f", "1", "push", b"other").unwrap());
    assert!(queue.receive("g", "1", "push", b"{}").unwrap());
    let waiting = queue.unhandled(10).unwrap();
    assert_eq!(waiting.len(), 2);
    assert_eq!((&*waiting[0].body, waiting[0].tries), (&b"{}"[..], 0));
    let handled = || Change::Handled { forge: "f".to_owned(), id: "1".to_owned(), note: "a job".to_owned() };
    let caused = |id: &str| Change::Enqueue(Box::new(new_job(id)));
    queue.apply(&[caused("a"), handled()]).unwrap();
    // Another service was a little later: none of its changes is kept.
    assert!(queue.apply(&[caused("b"), handled()]).is_err());
    assert!(queue.job("b").unwrap().is_none());
    let later = Change::HandleLater { forge: "g".to_owned(), id: "1".to_owned(), delay_ms: 60_000 };
    queue.apply(&[later]).unwrap();
    assert!(queue.unhandled(10).unwrap().is_empty());
}

fn send(key: &str, text: &str) -> Change {
    Change::Send { key: key.to_owned(), job: "a".to_owned(), body: json!(text) }
}

fn the_newest_text_is_sent_and_the_same_text_is_not(place: &Place) {
    let queue = place.open(LONG);
    queue.apply(&[send("k", "one"), send("k", "two")]).unwrap();
    let message = queue.claim_message().unwrap().unwrap();
    assert_eq!((&message.body, message.remote, message.version), (&json!("two"), None, 2));
    assert!(queue.claim_message().unwrap().is_none(), "it is somebody's");
    queue.message_sent(&message, Some(7)).unwrap();
    queue.apply(&[send("k", "two")]).unwrap();
    assert!(queue.claim_message().unwrap().is_none());
    queue.apply(&[send("k", "three")]).unwrap();
    assert_eq!(queue.claim_message().unwrap().unwrap().remote, Some(7));
}

fn a_message_that_cannot_be_sent_waits(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    queue.apply(&[send("k", "one")]).unwrap();
    let message = queue.claim_message().unwrap().unwrap();
    queue.message_delayed(&message, 30_000, "busy").unwrap();
    // A newer text waits as long: the forge asked for patience, not for another text.
    queue.apply(&[send("k", "two")]).unwrap();
    at(1_029_999);
    assert!(queue.claim_message().unwrap().is_none());
    at(1_030_000);
    assert_eq!(queue.messages_waiting().unwrap(), (1, 0));
    let message = queue.claim_message().unwrap().unwrap();
    // Its sender was killed.
    at(1_149_999);
    assert!(queue.claim_message().unwrap().is_none());
    at(1_150_000);
    let again = queue.claim_message().unwrap().unwrap();
    assert_eq!((&again.key, &again.body, again.version), (&message.key, &message.body, message.version));
    // A late sender does not release the claim of the next one.
    queue.message_released(&message).unwrap();
    assert!(queue.claim_message().unwrap().is_none());
}

fn a_text_that_is_out_of_date_before_it_is_sent_keeps_nobody_waiting(place: &Place) {
    let queue = place.open(LONG);
    queue.apply(&[send("k", "one")]).unwrap();
    let message = queue.claim_message().unwrap().unwrap();
    queue.apply(&[send("k", "two")]).unwrap();
    assert!(!queue.message_is_current(&message).unwrap());
    queue.message_released(&message).unwrap();
    assert_eq!(queue.claim_message().unwrap().unwrap().body, json!("two"));
}

fn a_text_that_changes_while_it_is_sent_is_sent_again(place: &Place) {
    let queue = place.open(LONG);
    queue.apply(&[send("k", "one")]).unwrap();
    let message = queue.claim_message().unwrap().unwrap();
    queue.apply(&[send("k", "two")]).unwrap();
    assert!(queue.claim_message().unwrap().is_none(), "the first one is under way");
    queue.message_sent(&message, Some(1)).unwrap();
    let message = queue.claim_message().unwrap().unwrap();
    assert_eq!((message.body.clone(), message.remote), (json!("two"), Some(1)));
    queue.message_sent(&message, None).unwrap();
    assert_eq!(queue.messages_waiting().unwrap().0, 0);
}

fn every_transition_is_announced_once(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, new_job("a"));
    let announced = queue.unannounced(10).unwrap();
    assert_eq!(announced[0].0, "a");
    let up_to = announced[0].1;
    queue.take(&taker("r")).unwrap().job();
    queue.apply(&[Change::Announced { job: "a".to_owned(), up_to }]).unwrap();
    let rest = queue.unannounced(10).unwrap();
    assert!(rest.len() == 1 && rest[0].1 > up_to);
    queue.apply(&[Change::Announced { job: "a".to_owned(), up_to: rest[0].1 }]).unwrap();
    assert!(queue.unannounced(10).unwrap().is_empty());
}

fn what_is_old_and_over_is_deleted(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    queue.receive("f", "old", "push", b"{}").unwrap();
    queue.receive("f", "waiting", "push", b"{}").unwrap();
    let handled = Change::Handled { forge: "f".to_owned(), id: "old".to_owned(), note: String::new() };
    queue.apply(&[handled]).unwrap();
    for id in ["a", "b"] {
        enqueue(&*queue, new_job(id));
        let leased = queue.take(&taker(id)).unwrap().job().unwrap();
        queue.event(&hold(&leased, id), &[(1, json!(1))]).unwrap();
        if id == "a" {
            queue.finish(&hold(&leased, id), &reported("r")).unwrap();
        }
    }
    let deleted = |most| {
        let of = |kept| queue.delete_some(kept, 1_000, most).unwrap();
        [Kept::Deliveries, Kept::Logs].map(of)
    };
    assert_eq!(deleted(5), [0, 0]);
    at(2_000_000);
    assert_eq!(deleted(0), [0, 0], "no more than may be");
    assert_eq!(deleted(5), [1, 1]);
    assert_eq!(deleted(5), [0, 0]);
    assert_eq!(queue.unhandled(10).unwrap().len(), 1);
    assert_eq!((queue.events("a", 0, 9).unwrap().1.len(), queue.events("b", 0, 9).unwrap().1.len()), (0, 1));
    assert_eq!(queue.result("a").unwrap().unwrap(), b"r");
}
