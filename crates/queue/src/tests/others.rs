//! Schedules and tokens.

use super::*;
use crate::{Access, Schedule, Scope, hash_key};

on_every_database! {
    a_schedule_goes_on_once,
    a_token_opens_what_it_is_for,
}

fn a_schedule_goes_on_once(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000);
    let schedule = |name: &str, cron: &str, next_at_unix_ms| Schedule {
        name: name.to_owned(),
        cron: cron.to_owned(),
        next_at_unix_ms,
    };
    queue.set_schedules(&[schedule("a", "daily", 2_000), schedule("b", "daily", 9_000)]).unwrap();
    assert!(queue.due_schedules().unwrap().0.is_empty());
    at(2_500);
    let (due, now) = queue.due_schedules().unwrap();
    assert_eq!((due.len(), &*due[0].name, now), (1, "a", 2_500));
    let advance = Change::Advance { name: "a".to_owned(), from_unix_ms: 2_000, to_unix_ms: 4_000 };
    queue.apply(std::slice::from_ref(&advance)).unwrap();
    assert!(queue.apply(&[advance]).is_err());
    // After a restart, unchanged schedules keep their time, changed ones have a new one.
    queue.set_schedules(&[schedule("a", "daily", 3_000), schedule("b", "hourly", 3_000)]).unwrap();
    at(3_000);
    let due: Vec<_> = queue.due_schedules().unwrap().0.into_iter().map(|due| due.name).collect();
    assert_eq!(due, ["b"]);
    queue.set_schedules(&[]).unwrap();
    at(9_000);
    assert!(queue.due_schedules().unwrap().0.is_empty());
}

fn a_token_opens_what_it_is_for(place: &Place) {
    let queue = place.open(LONG);
    let access = Access { name: "ci".to_owned(), scopes: vec![Scope::Submit] };
    queue.grant(&access, &hash_key("t")).unwrap();
    let read = queue.access_of_token(&hash_key("t")).unwrap().unwrap();
    assert_eq!(read, access);
    assert!(read.may(Scope::Read) && read.may(Scope::Submit) && !read.may(Scope::Administer));
    assert!(queue.revoke("ci").unwrap() && !queue.revoke("ci").unwrap());
    assert!(queue.access_of_token(&hash_key("t")).unwrap().is_none());
}
