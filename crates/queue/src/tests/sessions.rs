//! Sessions of browsers.

use super::*;
use crate::{Access, Scope};

on_every_database! {
    a_session_lasts_as_long_as_it_and_its_token_are_good,
}

fn a_session_lasts_as_long_as_it_and_its_token_are_good(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    let boss = Access { name: "boss".to_owned(), scopes: vec![Scope::Administer] };
    queue.grant(&boss, "t").unwrap();
    let begin = |id: &str| queue.begin_session(id, "t", 5_000).unwrap();
    begin("s");
    assert_eq!(queue.access_of_session("s").unwrap(), Some(boss.clone()));
    assert_eq!(queue.access_of_session("t").unwrap(), None, "the hash of a token is no session");
    at(1_005_000);
    assert_eq!(queue.access_of_session("s").unwrap(), None, "its time is over");
    begin("s");
    assert!(queue.end_session("s").unwrap() && !queue.end_session("s").unwrap());
    assert_eq!(queue.access_of_session("s").unwrap(), None);
    begin("s");
    queue.grant(&boss, "another").unwrap();
    assert_eq!(queue.access_of_session("s").unwrap(), None, "the token was replaced");
    queue.begin_session("n", "another", 5_000).unwrap();
    assert!(queue.access_of_session("n").unwrap().is_some());
    queue.revoke("boss").unwrap();
    assert_eq!(queue.access_of_session("n").unwrap(), None, "the token was revoked");
}
