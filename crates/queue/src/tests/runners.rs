//! Runners: their keys, their places, and when they rest.

use super::*;
use crate::{CanaryVerdict, Duty, Fault, NewCanary, NewRunner, Origin, Renewed, Taken, hash_key};

on_every_database! {
    a_runner_is_known_by_its_key,
    an_old_key_is_good_for_a_while,
    what_does_not_measure_time_goes_beside_what_does,
    a_runner_that_drains_keeps_its_job_and_gets_no_other,
    a_paused_runner_gives_its_job_back_and_no_attempt_is_counted,
    quiet_hours_are_the_databases,
    a_canary_sends_a_runner_to_quarantine_and_three_bring_it_back,
    a_persons_word_is_not_changed_by_a_canary,
    what_canaries_showed_begins_anew_when_a_person_says_so,
    a_runner_that_is_gone_leaves_no_check_and_no_measure_behind,
    runs_come_in_pieces_and_each_counts_once,
}

pub(super) fn new_runner(name: &str, quiet: &str) -> NewRunner {
    NewRunner {
        name: name.to_owned(),
        key_hash: hash_key(&format!("key of {name}")),
        labels: vec!["b".to_owned(), "a".to_owned()],
        quiet: quiet.parse().unwrap(),
        origin: Origin::Configuration,
    }
}

fn works(queue: &dyn Queue, name: &str) {
    queue.register_runner(&new_runner(name, "")).unwrap();
}

fn why(taken: Taken) -> String {
    match taken {
        Taken::Rest(why) => why,
        other => panic!("{other:?}"),
    }
}

fn a_runner_is_known_by_its_key(place: &Place) {
    let queue = place.open(LONG);
    works(&*queue, "r");
    let runner = queue.runner_of_key(&hash_key("key of r")).unwrap().unwrap();
    assert_eq!((&*runner.name, runner.labels), ("r", vec!["a".to_owned(), "b".to_owned()]));
    assert_eq!((runner.duty, runner.origin), (Duty::Works, Origin::Configuration));
    queue.runner_seen("r", "boot", Some(&json!({"cpu": "x"}))).unwrap();
    queue.runner_seen("r", "boot", None).unwrap();
    let runners = queue.runners().unwrap();
    assert_eq!(runners[0].facts, json!({"cpu": "x"}));
    assert!(runners[0].seen_unix_ms > 0);
    queue.register_runner(&NewRunner { key_hash: hash_key("new"), ..new_runner("r", "") }).unwrap();
    assert!(queue.runner_of_key(&hash_key("key of r")).unwrap().is_none());
    assert!(queue.remove_runner("r").unwrap() && !queue.remove_runner("r").unwrap());
    assert!(queue.runner_of_key(&hash_key("new")).unwrap().is_none());
}

fn an_old_key_is_good_for_a_while(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000);
    works(&*queue, "r");
    assert!(queue.change_key("r", &hash_key("second"), 5_000).unwrap());
    assert!(!queue.change_key("nobody", &hash_key("third"), 5_000).unwrap());
    let is_known = |key: &str| queue.runner_of_key(&hash_key(key)).unwrap().is_some();
    assert!(is_known("key of r") && is_known("second"));
    at(6_000);
    assert!(!is_known("key of r") && is_known("second"));
}

fn what_does_not_measure_time_goes_beside_what_does(place: &Place) {
    let queue = place.open(LONG);
    works(&*queue, "r");
    for (id, is_timed) in [("timed", true), ("another", true), ("counted", false)] {
        enqueue(&*queue, NewJob { is_timed, ..new_job(id) });
    }
    let beside = Taker { slot: 1, ..taker("r") };
    let counted = queue.take(&beside).unwrap().job().unwrap();
    assert_eq!(counted.job, "counted");
    assert_eq!(queue.take(&taker("r")).unwrap().job().unwrap().job, "timed");
    // Each place requests the job that it has again.
    assert_eq!(queue.take(&beside).unwrap().job().unwrap(), counted);
    assert_eq!(queue.take(&taker("r")).unwrap().job().unwrap().job, "timed");
    queue.finish(&hold(&counted, "r"), &reported("")).unwrap();
    assert_eq!(queue.take(&beside).unwrap(), Taken::Nothing, "times are measured one after the other");
}

fn a_runner_that_drains_keeps_its_job_and_gets_no_other(place: &Place) {
    let queue = place.open(LONG);
    works(&*queue, "r");
    enqueue(&*queue, new_job("first"));
    enqueue(&*queue, new_job("second"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    assert_eq!(queue.set_duty("r", Duty::Drains, "an upgrade", false).unwrap().unwrap().duty, Duty::Drains);
    assert!(queue.set_duty("nobody", Duty::Drains, "", false).unwrap().is_none());
    assert_eq!(queue.renew(&hold(&leased, "r"), None).unwrap(), Renewed::Go);
    queue.finish(&hold(&leased, "r"), &reported("")).unwrap();
    assert!(why(queue.take(&taker("r")).unwrap()).contains("an upgrade"));
    queue.set_duty("r", Duty::Works, "", false).unwrap();
    assert_eq!(queue.take(&taker("r")).unwrap().job().unwrap().job, "second");
}

fn a_paused_runner_gives_its_job_back_and_no_attempt_is_counted(place: &Place) {
    let queue = place.open(LONG);
    works(&*queue, "r");
    enqueue(&*queue, new_job("j"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.set_duty("r", Duty::Paused, "somebody needs it", false).unwrap();
    assert_eq!(queue.renew(&hold(&leased, "r"), None).unwrap(), Renewed::GiveBack);
    queue.finish(&hold(&leased, "r"), &Finish { state: State::Queued, ..reported("") }).unwrap();
    let job = queue.job("j").unwrap().unwrap();
    assert_eq!((job.state, job.attempts), (State::Queued, 0));
    assert!(why(queue.take(&taker("r")).unwrap()).contains("somebody needs it"));
    assert!(queue.take(&taker("s")).unwrap().job().is_some());
}

fn quiet_hours_are_the_databases(place: &Place) {
    let (queue, at) = place.stopped();
    queue.register_runner(&new_runner("r", "08:00-18:00")).unwrap();
    let hour = 3_600_000;
    at(20_000 * 24 * hour + 9 * hour);
    enqueue(&*queue, new_job("j"));
    assert!(why(queue.take(&taker("r")).unwrap()).contains("08:00-18:00"));
    at(20_000 * 24 * hour + 18 * hour);
    assert!(queue.take(&taker("r")).unwrap().job().is_some());
}

fn with_canary(verdict: CanaryVerdict, duty: Option<Duty>) -> Finish {
    let canary = NewCanary { readings: json!({"shift": 0.06}), verdict, cause: "it moved".to_owned() };
    let duty = duty.map(|duty| (duty, "its canary moved by 6 %".to_owned()));
    Finish { canary: Some(canary), duty, ..reported("") }
}

fn a_canary_sends_a_runner_to_quarantine_and_three_bring_it_back(place: &Place) {
    let queue = place.open(LONG);
    works(&*queue, "r");
    enqueue(&*queue, new_job("timed"));
    enqueue(&*queue, new_job("waits"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    let finish = with_canary(CanaryVerdict::Moved, Some(Duty::Quarantined));
    queue.finish(&hold(&leased, "r"), &finish).unwrap();
    assert_eq!(queue.canary_of_job("timed").unwrap().unwrap().is, finish.canary.unwrap());
    assert!(why(queue.take(&taker("r")).unwrap()).contains("moved by 6 %"));
    enqueue(&*queue, NewJob { only_runner: Some("r".to_owned()), ..new_job("check") });
    assert_eq!(queue.take(&taker("s")).unwrap().job().unwrap().job, "waits", "it is not for others");
    let check = queue.take(&taker("r")).unwrap().job().unwrap();
    assert_eq!(check.job, "check");
    queue.finish(&hold(&check, "r"), &with_canary(CanaryVerdict::Good, Some(Duty::Works))).unwrap();
    assert_eq!(queue.runners().unwrap()[0].duty, Duty::Works);
    let seen: Vec<String> =
        queue.canaries("r", 9, &[]).unwrap().into_iter().map(|canary| canary.job).collect();
    assert_eq!(seen, ["check", "timed"]);
}

fn a_persons_word_is_not_changed_by_a_canary(place: &Place) {
    let queue = place.open(LONG);
    works(&*queue, "r");
    enqueue(&*queue, new_job("j"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.set_duty("r", Duty::Drains, "by hand", false).unwrap();
    let finish = with_canary(CanaryVerdict::Moved, Some(Duty::Quarantined));
    queue.finish(&hold(&leased, "r"), &finish).unwrap();
    let runner = &queue.runners().unwrap()[0];
    assert_eq!((runner.duty, &*runner.duty_cause), (Duty::Drains, "by hand"));
}

fn what_canaries_showed_begins_anew_when_a_person_says_so(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    works(&*queue, "r");
    enqueue(&*queue, new_job("before"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    let lost =
        Finish { state: State::Failed, fault: Some(Fault::Runner), ..with_canary(CanaryVerdict::Good, None) };
    queue.finish(&hold(&leased, "r"), &lost).unwrap();
    assert_eq!(queue.canaries("r", 9, &[]).unwrap().len(), 1);
    at(1_000_001);
    queue.set_duty("r", Duty::Works, "a new kernel", true).unwrap();
    assert_eq!(queue.canaries("r", 9, &[]).unwrap(), []);
    assert!(queue.canary_of_job("before").unwrap().is_some(), "the job's page keeps it");
}

fn a_runner_that_is_gone_leaves_no_check_and_no_measure_behind(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    works(&*queue, "r");
    enqueue(&*queue, new_job("j"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.finish(&hold(&leased, "r"), &with_canary(CanaryVerdict::Good, None)).unwrap();
    enqueue(&*queue, NewJob { only_runner: Some("r".to_owned()), ..new_job("check") });
    queue.remove_runner("r").unwrap();
    assert_eq!(state(&*queue, "check"), State::Cancelled);
    at(1_000_001);
    works(&*queue, "r");
    assert_eq!(queue.canaries("r", 9, &[]).unwrap(), [], "it is another machine");
}

fn runs_come_in_pieces_and_each_counts_once(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, new_job("j"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    let own = hold(&leased, "r");
    assert_eq!(queue.received(&own).unwrap(), 0);
    assert_eq!(queue.add_piece(&own, 0, b"first").unwrap(), 5);
    assert_eq!(queue.add_piece(&own, 0, b"again").unwrap(), 5, "it is there already");
    assert_eq!(queue.add_piece(&own, 9, b"later").unwrap(), 5, "something is missing before it");
    assert_eq!(queue.again().unwrap().add_piece(&own, 5, b" and second").unwrap(), 16, "by another service");
    assert_eq!(queue.piece(&own, 5).unwrap().unwrap(), b" and second");
    assert!(queue.piece(&own, 16).unwrap().is_none());
    let other = Hold { token: own.token + 1, ..own.clone() };
    assert_eq!(queue.received(&other).unwrap(), 0, "another lease starts from the beginning");
    assert_eq!(queue.remove_left_pieces().unwrap(), 0);
    queue.finish(&own, &reported("")).unwrap();
    assert_eq!(queue.remove_left_pieces().unwrap(), 2);
    assert_eq!(queue.received(&own).unwrap(), 0);
}
