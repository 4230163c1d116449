//! Events with notices.

use super::*;

on_every_database! {
    an_event_has_its_messages_once_until_it_is_over,
    what_was_given_up_is_found_until_it_is_noted,
}

fn notice(events: &[&str], key: &str) -> Change {
    let events = events.iter().map(|event| (*event).to_owned()).collect();
    Change::Notice { events, messages: vec![(key.to_owned(), json!(key))] }
}

fn keys(queue: &dyn Queue) -> Vec<String> {
    let mut keys = Vec::new();
    while let Some(message) = queue.claim_message().unwrap() {
        queue.message_sent(&message, None).unwrap();
        keys.push(message.key);
    }
    keys
}

fn an_event_has_its_messages_once_until_it_is_over(place: &Place) {
    let queue = place.open(LONG);
    queue.apply(&[notice(&["disk:r"], "one")]).unwrap();
    queue.apply(&[notice(&["disk:r"], "two")]).unwrap();
    assert_eq!(keys(&*queue), ["one"]);
    assert_eq!(queue.events_noted("disk:").unwrap(), ["disk:r"]);
    assert!(queue.events_noted("quarantine:").unwrap().is_empty());
    // Another service has noted one of two: this one looks again.
    assert!(queue.apply(&[notice(&["disk:r", "disk:s"], "both")]).is_err());
    assert_eq!(queue.events_noted("disk:").unwrap(), ["disk:r"]);
    queue.apply(&[Change::NoticeOver { event: "disk:r".to_owned() }]).unwrap();
    queue.apply(&[notice(&["disk:r", "disk:s"], "three")]).unwrap();
    assert_eq!(keys(&*queue), ["three"]);
}

fn what_was_given_up_is_found_until_it_is_noted(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    for key in ["comment:p:1", "notify:ops:x"] {
        queue.apply(&[Change::Send { key: key.to_owned(), job: String::new(), body: json!(1) }]).unwrap();
    }
    while let Some(message) = queue.claim_message().unwrap() {
        queue.message_given_up(&message, "refused").unwrap();
    }
    queue.receive("f", "d", "push", b"{}").unwrap();
    let note = "given up: refused".to_owned();
    queue.apply(&[Change::Handled { forge: "f".to_owned(), id: "d".to_owned(), note }]).unwrap();
    let found = || queue.given_up_lately(10_000, 9).unwrap();
    let whats: Vec<String> = found().into_iter().map(|given_up| given_up.what).collect();
    assert_eq!(whats, ["comment:p:1", "d"], "a notice that was given up is no event");
    let events: Vec<String> = found().into_iter().map(|given_up| given_up.event).collect();
    queue.apply(&[Change::Notice { events, messages: Vec::new() }]).unwrap();
    assert!(found().is_empty());
    at(1_020_000);
    assert!(queue.given_up_lately(10_000, 9).unwrap().is_empty());
}
