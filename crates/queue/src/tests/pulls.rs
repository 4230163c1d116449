//! Pull requests: approvals, heads that come back, commands.

use super::*;
use crate::{Fault, PullRow, QueueError};

on_every_database! {
    a_key_makes_room_where_there_is_no_result,
    a_job_is_taken_back_for_an_approval_or_for_later,
    what_was_planned_for_another_newest_job_is_refused,
    a_job_takes_the_place_of_newer_ones_and_is_announced_again,
    a_command_is_carried_out_once,
    the_earliest_time_of_a_head_stays,
    what_was_given_up_is_counted_and_may_be_sent_again,
}

fn of_pull(id: &str) -> NewJob {
    let (dedup, supersedes) = (Some("k".to_owned()), Some("pull 1".to_owned()));
    NewJob { dedup, supersedes, head: Some("h".to_owned()), approval: Approval::Author, ..new_job(id) }
}

fn a_key_makes_room_where_there_is_no_result(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, of_pull("a"));
    assert_eq!(enqueue(&*queue, of_pull("b")), Applied::Merged("a".to_owned()));
    queue.apply(&[cancel("a")]).unwrap();
    assert_eq!(enqueue(&*queue, of_pull("b")), Applied::Added("b".to_owned()));
    // One that its runner is to end makes room, too.
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.apply(&[cancel("b")]).unwrap();
    assert_eq!(enqueue(&*queue, of_pull("c")), Applied::Added("c".to_owned()));
    queue.finish(&hold(&leased, "r"), &Finish { state: State::Cancelled, ..reported("") }).unwrap();
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    let failed = Finish { state: State::Failed, fault: Some(Fault::Candidate), ..reported("") };
    queue.finish(&hold(&leased, "r"), &failed).unwrap();
    assert_eq!(enqueue(&*queue, of_pull("d")), Applied::Merged("c".to_owned()), "that is a result");
    let filter = crate::Filter { head: Some("h".to_owned()), ..crate::Filter::default() };
    let jobs: Vec<String> = queue.list(&filter).unwrap().into_iter().map(|job| job.id).collect();
    assert_eq!(jobs, ["c", "b", "a"]);
}

fn a_job_is_taken_back_for_an_approval_or_for_later(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    enqueue(&*queue, of_pull("a"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    let (job, token) = (leased.job.clone(), leased.token);
    let postpone = Change::Postpone { job: job.clone(), token, delay_ms: 5_000, cause: "later".to_owned() };
    queue.apply(std::slice::from_ref(&postpone)).unwrap();
    let row = queue.job("a").unwrap().unwrap();
    assert_eq!((row.state, row.attempts, row.lease_until_unix_ms), (State::Queued, 0, 0));
    assert!(queue.take(&taker("r")).unwrap().job().is_none());
    at(1_006_000);
    let again = queue.take(&taker("r")).unwrap().job().unwrap();
    assert!(again.token > token);
    // The former lease changes nothing.
    queue.apply(&[postpone, Change::Demand { job: job.clone(), token, cause: "old".to_owned() }]).unwrap();
    assert_eq!(state(&*queue, "a"), State::Fetching);
    queue.apply(&[Change::Demand { job, token: again.token, cause: "rights".to_owned() }]).unwrap();
    let row = queue.job("a").unwrap().unwrap();
    assert_eq!((row.state, row.approval), (State::WaitingForApproval, Approval::Awaited));
    assert_eq!(queue.renew(&hold(&again, "r"), None).unwrap(), crate::Renewed::Lost);
    let which = Which::Job("a".to_owned());
    queue.apply(&[Change::Approve { which, cause: "yes".to_owned() }]).unwrap();
    let row = queue.job("a").unwrap().unwrap();
    assert_eq!((row.state, row.approval), (State::Queued, Approval::Given));
}

fn what_was_planned_for_another_newest_job_is_refused(place: &Place) {
    let queue = place.open(LONG);
    let expect = |newest| Change::Expect { group: "pull 1".to_owned(), newest };
    let add = |id: &str| Change::Enqueue(Box::new(NewJob { dedup: None, ..of_pull(id) }));
    queue.apply(&[expect(None), add("a")]).unwrap();
    let refused = queue.apply(&[add("b"), expect(None)]);
    assert!(matches!(refused, Err(QueueError::Conflict { .. })), "{refused:?}");
    assert!(queue.job("b").unwrap().is_none());
    let newest = queue.job("a").unwrap().unwrap().key;
    queue.apply(&[expect(Some(newest)), add("b")]).unwrap();
}

fn a_job_takes_the_place_of_newer_ones_and_is_announced_again(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, of_pull("a"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.finish(&hold(&leased, "r"), &reported("")).unwrap();
    enqueue(&*queue, NewJob { dedup: None, ..of_pull("b") });
    for (id, up_to) in queue.unannounced(10).unwrap() {
        queue.apply(&[Change::Announced { job: id, up_to }]).unwrap();
    }
    let prefer =
        Change::Prefer { job: "a".to_owned(), group: "pull 1".to_owned(), cause: "it is back".to_owned() };
    queue.apply(&[prefer, Change::AnnounceAgain { job: "a".to_owned() }]).unwrap();
    assert_eq!((state(&*queue, "a"), state(&*queue, "b")), (State::Reported, State::Superseded));
    let waiting: Vec<String> = queue.unannounced(10).unwrap().into_iter().map(|(id, _)| id).collect();
    assert_eq!(waiting, ["a", "b"]);
}

fn a_command_is_carried_out_once(place: &Place) {
    let queue = place.open(LONG);
    let once = [Change::CarryOut { forge: "f".to_owned(), comment: 7, person: String::new() }];
    assert!(!queue.is_carried_out("f", 7).unwrap());
    queue.apply(&once).unwrap();
    assert!(queue.is_carried_out("f", 7).unwrap() && !queue.is_carried_out("g", 7).unwrap());
    assert!(matches!(queue.apply(&once), Err(QueueError::Conflict { .. })));
}

fn the_earliest_time_of_a_head_stays(place: &Place) {
    let queue = place.open(LONG);
    let see = |head: &str, since_unix_ms| {
        let pull = PullRow {
            project: "p".to_owned(),
            number: 7,
            head: head.to_owned(),
            since_unix_ms,
            is_open: true,
            ..PullRow::default()
        };
        queue.apply(&[Change::SeePull(pull)]).unwrap();
        queue.pulls("p", Some(7)).unwrap()[0].since_unix_ms
    };
    assert_eq!((see("a", 50), see("a", 60), see("a", 40)), (50, 50, 40));
    assert_eq!((see("b", 70), see("a", 90)), (70, 90), "it is back from then on");
    assert_eq!(queue.pulls("p", None).unwrap().len(), 1);
}

fn what_was_given_up_is_counted_and_may_be_sent_again(place: &Place) {
    let queue = place.open(LONG);
    let send = || {
        let (key, job) = ("k".to_owned(), String::new());
        queue.apply(&[Change::Send { key, job, body: json!({"text": "t"}) }]).unwrap();
        queue.claim_message().unwrap()
    };
    let message = send().unwrap();
    queue.message_given_up(&message, "refused").unwrap();
    assert_eq!(queue.given_up().unwrap(), (0, 1));
    let message = send().expect("the same text is sent again");
    assert_eq!(queue.given_up().unwrap(), (0, 0));
    queue.message_outdated(&message).unwrap();
    assert_eq!(queue.given_up().unwrap(), (0, 0));
    let message = send().expect("it may be true again");
    queue.message_sent(&message, None).unwrap();
    assert!(send().is_none());
    queue.receive("f", "d", "push", b"").unwrap();
    let note = "given up: refused".to_owned();
    queue.apply(&[Change::Handled { forge: "f".to_owned(), id: "d".to_owned(), note }]).unwrap();
    assert_eq!(queue.given_up().unwrap(), (1, 0));
}
