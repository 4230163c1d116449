//! Jobs and leases.

use std::time::{Duration, Instant};

use super::*;
use crate::{Fault, Filter, Phase, Renewed, Settled};

on_every_database! {
    a_job_is_carried_out_and_its_steps_are_rows,
    a_lost_answer_is_given_again,
    the_next_job_is_chosen_by_priority_then_by_whose_turn_it_is,
    labels_and_the_sandbox_decide_who_may_take_a_job,
    a_key_merges_and_a_group_supersedes,
    a_lease_that_ends_gives_the_job_to_another_and_its_result_does_not_count,
    a_result_after_the_lease_counts_while_nobody_has_taken_the_job,
    a_runner_that_starts_again_gives_its_job_back,
    failures_of_the_lab_are_tried_again_and_those_of_the_candidate_are_not,
    a_cancelled_job_ends_at_once_or_when_its_runner_hears_of_it,
    a_cancelled_job_whose_runner_fails_is_cancelled,
    an_approval_lets_a_job_wait_for_a_runner,
    nobody_writes_with_another_runners_lease,
    a_job_that_is_given_back_has_not_failed,
    one_of_many_takers_gets_a_job,
}

fn a_job_is_carried_out_and_its_steps_are_rows(place: &Place) {
    let queue = place.open(LONG);
    assert_eq!(enqueue(&*queue, new_job("a")), Applied::Added("a".to_owned()));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    assert_eq!((&*leased.job, leased.token, leased.lease_ms), ("a", 1, 60_000));
    assert_eq!(leased.body, json!({"id": "a"}));
    let hold = hold(&leased, "r");
    assert_eq!(queue.renew(&hold, Some(State::Measuring)).unwrap(), Renewed::Go);
    assert_eq!(queue.renew(&hold, Some(State::Measuring)).unwrap(), Renewed::Go);
    let events = [(1, json!("one")), (2, json!("two"))];
    assert!(queue.event(&hold, &events).unwrap());
    assert!(queue.event(&hold, &[(2, json!("again")), (3, json!("three"))]).unwrap());
    assert_eq!(queue.events("a", 1, 10).unwrap(), (1, vec![(2, json!("two")), (3, json!("three"))]));
    assert_eq!(queue.finish(&hold, &reported("r")).unwrap(), Settled::Accepted);
    assert_eq!(queue.finish(&hold, &reported("r")).unwrap(), Settled::AcceptedBefore);
    assert_eq!(queue.result("a").unwrap().unwrap(), b"r");
    let steps: Vec<_> =
        queue.transitions("a").unwrap().into_iter().map(|step| (step.from, step.to, step.token)).collect();
    assert_eq!(
        steps,
        [
            (None, State::Queued, 0),
            (Some(State::Queued), State::Fetching, 1),
            (Some(State::Fetching), State::Measuring, 1),
            (Some(State::Measuring), State::Reported, 1),
        ]
    );
    assert!(queue.take(&taker("r")).unwrap().job().is_none());
    let job = queue.job("a").unwrap().unwrap();
    assert!(job.ended_unix_ms >= job.leased_unix_ms && job.lease_until_unix_ms == 0);
    assert_eq!(queue.count_states().unwrap(), [(State::Reported, 1)]);
}

fn a_lost_answer_is_given_again(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, new_job("a"));
    enqueue(&*queue, new_job("b"));
    let first = queue.take(&taker("r")).unwrap().job().unwrap();
    assert_eq!(queue.take(&taker("r")).unwrap().job().unwrap(), first);
    assert_eq!(queue.job("a").unwrap().unwrap().attempts, 0);
}

fn the_next_job_is_chosen_by_priority_then_by_whose_turn_it_is(place: &Place) {
    let queue = place.open(LONG);
    let of =
        |id: &str, project: &str, priority| NewJob { project: project.to_owned(), priority, ..new_job(id) };
    for job in [of("a1", "a", 0), of("a2", "a", 0), of("a3", "a", 0), of("b1", "b", 0), of("c1", "c", 5)] {
        enqueue(&*queue, job);
    }
    let listed = queue.list(&Filter { phase: Phase::Open, ..Filter::default() }).unwrap();
    let positions: Vec<_> = listed.iter().map(|job| (&*job.id, job.position.unwrap())).collect();
    assert_eq!(positions, [("c1", 1), ("b1", 3), ("a3", 5), ("a2", 4), ("a1", 2)]);
    let order: Vec<_> = (0..5)
        .map(|_| {
            let leased = queue.take(&taker("r")).unwrap().job().unwrap();
            queue.finish(&hold(&leased, "r"), &reported("")).unwrap();
            leased.job
        })
        .collect();
    assert_eq!(order, ["c1", "a1", "b1", "a2", "a3"]);
}

fn labels_and_the_sandbox_decide_who_may_take_a_job(place: &Place) {
    let queue = place.open(LONG);
    let labels = |of: &[&str]| of.iter().map(|label| (*label).to_owned()).collect::<Vec<_>>();
    enqueue(&*queue, NewJob { labels: labels(&["x86", "quiet"]), ..new_job("quiet") });
    enqueue(&*queue, NewJob { needs_sandbox: true, ..new_job("strange") });
    let takes = |name: &str, of: &[&str], has_sandbox| {
        let taker = Taker { labels: labels(of), has_sandbox, ..taker(name) };
        queue.take(&taker).unwrap().job().map(|leased| leased.job)
    };
    assert_eq!(takes("r", &["x86"], false), None);
    assert_eq!(takes("r", &["quiet", "arm", "x86"], false).as_deref(), Some("quiet"));
    assert_eq!(takes("s", &[], true).as_deref(), Some("strange"));
}

fn a_key_merges_and_a_group_supersedes(place: &Place) {
    let queue = place.open(LONG);
    let of = |id: &str| NewJob {
        supersedes: Some("pull 1".to_owned()),
        dedup: Some(format!("k{}", &id[..1])),
        ..new_job(id)
    };
    enqueue(&*queue, of("a"));
    assert_eq!(enqueue(&*queue, of("a2")), Applied::Merged("a".to_owned()));
    assert_eq!(enqueue(&*queue, new_job("a")), Applied::Merged("a".to_owned()));
    enqueue(&*queue, of("b"));
    assert_eq!(state(&*queue, "a"), State::Superseded);
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    enqueue(&*queue, of("c"));
    assert_eq!(state(&*queue, "b"), State::Fetching);
    let hold = hold(&leased, "r");
    assert_eq!(queue.renew(&hold, None).unwrap(), Renewed::Cancel);
    let ended = Finish { state: State::Cancelled, ..reported("") };
    assert_eq!(queue.finish(&hold, &ended).unwrap(), Settled::Accepted);
    let b = queue.job("b").unwrap().unwrap();
    assert_eq!((b.state, b.superseded_by.as_deref()), (State::Superseded, Some("c")));
    assert_eq!(state(&*queue, "c"), State::Queued);
    let of_group = Filter { group: Some("pull 1".to_owned()), ..Filter::default() };
    assert_eq!(queue.list(&of_group).unwrap().len(), 3);
}

fn a_lease_that_ends_gives_the_job_to_another_and_its_result_does_not_count(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    enqueue(&*queue, new_job("a"));
    let first = queue.take(&taker("r")).unwrap().job().unwrap();
    at(1_060_000);
    assert_eq!(queue.sweep().unwrap(), 0);
    assert_eq!(queue.renew(&hold(&first, "r"), None).unwrap(), Renewed::Go);
    at(1_120_001);
    let second = queue.take(&taker("s")).unwrap().job().unwrap();
    assert_eq!((&*second.job, second.token), ("a", 2));
    assert_eq!(queue.renew(&hold(&first, "r"), None).unwrap(), Renewed::Lost);
    assert!(!queue.event(&hold(&first, "r"), &[(1, json!(1))]).unwrap());
    assert_eq!(queue.finish(&hold(&first, "r"), &reported("old")).unwrap(), Settled::Stale);
    assert_eq!(queue.finish(&hold(&first, "r"), &reported("old")).unwrap(), Settled::Stale);
    assert_eq!(queue.finish(&hold(&second, "s"), &reported("new")).unwrap(), Settled::Accepted);
    assert_eq!(queue.finish(&hold(&first, "r"), &reported("old")).unwrap(), Settled::Stale);
    assert_eq!(queue.result("a").unwrap().unwrap(), b"new");
    assert_eq!(queue.job("a").unwrap().unwrap().attempts, 1);
}

fn a_result_after_the_lease_counts_while_nobody_has_taken_the_job(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    enqueue(&*queue, new_job("a"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    at(2_000_000);
    assert_eq!(queue.sweep().unwrap(), 1);
    assert_eq!(state(&*queue, "a"), State::Queued);
    assert_eq!(queue.renew(&hold(&leased, "r"), None).unwrap(), Renewed::Lost);
    assert_eq!(queue.finish(&hold(&leased, "r"), &reported("late")).unwrap(), Settled::Accepted);
    assert_eq!(state(&*queue, "a"), State::Reported);
}

fn a_runner_that_starts_again_gives_its_job_back(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, NewJob { most_attempts: 2, ..new_job("a") });
    queue.take(&taker("r")).unwrap().job().unwrap();
    let again = |boot: &str| queue.take(&Taker { boot: boot.to_owned(), ..taker("r") }).unwrap().job();
    assert_eq!(again("2").unwrap().token, 2);
    assert!(again("3").is_none(), "it was tried twice");
    let job = queue.job("a").unwrap().unwrap();
    assert_eq!((job.state, job.fault), (State::Failed, Some(Fault::Runner)));
    assert!(job.reason.contains("runner r has started again; it was tried 2 times"), "{}", job.reason);
}

fn failures_of_the_lab_are_tried_again_and_those_of_the_candidate_are_not(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    let failed = |fault| Finish { state: State::Failed, fault: Some(fault), ..reported("why") };
    enqueue(&*queue, NewJob { most_attempts: 2, ..new_job("a") });
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    assert_eq!(queue.finish(&hold(&leased, "r"), &failed(Fault::Lab)).unwrap(), Settled::Accepted);
    assert_eq!(state(&*queue, "a"), State::Queued);
    assert_eq!(queue.finish(&hold(&leased, "r"), &failed(Fault::Lab)).unwrap(), Settled::Stale);
    assert!(queue.take(&taker("r")).unwrap().job().is_none(), "it waits for a while");
    at(1_006_000);
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.finish(&hold(&leased, "r"), &failed(Fault::Lab)).unwrap();
    let job = queue.job("a").unwrap().unwrap();
    assert_eq!((job.state, job.fault), (State::Failed, Some(Fault::Lab)));

    enqueue(&*queue, new_job("b"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    queue.finish(&hold(&leased, "r"), &failed(Fault::Candidate)).unwrap();
    let job = queue.job("b").unwrap().unwrap();
    assert_eq!((job.state, job.fault, job.attempts), (State::Failed, Some(Fault::Candidate), 0));
}

fn a_cancelled_job_ends_at_once_or_when_its_runner_hears_of_it(place: &Place) {
    let (queue, at) = place.stopped();
    at(1_000_000);
    for id in ["a", "b", "c"] {
        enqueue(&*queue, new_job(id));
    }
    let a = queue.take(&taker("r")).unwrap().job().unwrap();
    let b = queue.take(&taker("s")).unwrap().job().unwrap();
    queue.apply(&[cancel("a"), cancel("b"), cancel("c"), cancel("none")]).unwrap();
    assert_eq!(state(&*queue, "c"), State::Cancelled);
    assert_eq!(queue.renew(&hold(&a, "r"), None).unwrap(), Renewed::Cancel);
    // It was done before it heard of it: the result counts.
    assert_eq!(queue.finish(&hold(&a, "r"), &reported("")).unwrap(), Settled::Accepted);
    assert_eq!(state(&*queue, "a"), State::Reported);
    at(2_000_000);
    queue.sweep().unwrap();
    assert_eq!(state(&*queue, "b"), State::Cancelled);
    assert_eq!(queue.renew(&hold(&b, "s"), None).unwrap(), Renewed::Lost);
    queue.apply(&[cancel("a")]).unwrap();
    assert_eq!(state(&*queue, "a"), State::Reported);
}

fn a_cancelled_job_whose_runner_fails_is_cancelled(place: &Place) {
    let queue = place.open(LONG);
    let failed = |fault| Finish { state: State::Failed, fault: Some(fault), ..reported("") };
    let ends = [
        (Fault::Runner, State::Cancelled, None),
        (Fault::Lab, State::Cancelled, None),
        (Fault::Candidate, State::Failed, Some(Fault::Candidate)),
    ];
    for (fault, state, named) in ends {
        enqueue(&*queue, new_job(fault.name()));
        let leased = queue.take(&taker("r")).unwrap().job().unwrap();
        queue.apply(&[cancel(fault.name())]).unwrap();
        assert_eq!(queue.finish(&hold(&leased, "r"), &failed(fault)).unwrap(), Settled::Accepted);
        assert_eq!(queue.finish(&hold(&leased, "r"), &failed(fault)).unwrap(), Settled::AcceptedBefore);
        let job = queue.job(fault.name()).unwrap().unwrap();
        assert_eq!((job.state, job.fault, job.attempts), (state, named, 0), "{fault:?}");
    }
    let group = Some("g".to_owned());
    enqueue(&*queue, NewJob { supersedes: group.clone(), ..new_job("old") });
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    enqueue(&*queue, NewJob { supersedes: group, ..new_job("new") });
    queue.finish(&hold(&leased, "r"), &failed(Fault::Runner)).unwrap();
    assert_eq!(state(&*queue, "old"), State::Superseded);
}

fn an_approval_lets_a_job_wait_for_a_runner(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, NewJob { approval: Approval::Awaited, ..new_job("a") });
    assert!(queue.take(&taker("r")).unwrap().job().is_none());
    let approve = || Change::Approve { which: Which::Job("a".to_owned()), cause: "approved by m".to_owned() };
    queue.apply(&[approve()]).unwrap();
    assert!(queue.take(&taker("r")).unwrap().job().is_some());
    queue.apply(&[approve()]).unwrap();
    assert_eq!(state(&*queue, "a"), State::Fetching);
}

fn nobody_writes_with_another_runners_lease(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, new_job("a"));
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    let stolen = hold(&leased, "s");
    assert_eq!(queue.renew(&stolen, None).unwrap(), Renewed::Lost);
    assert!(!queue.event(&stolen, &[(1, json!(1))]).unwrap());
    assert_eq!(queue.finish(&stolen, &reported("s")).unwrap(), Settled::Stale);
    assert_eq!(queue.finish(&hold(&leased, "r"), &reported("r")).unwrap(), Settled::Accepted);
}

fn a_job_that_is_given_back_has_not_failed(place: &Place) {
    let queue = place.open(LONG);
    enqueue(&*queue, new_job("a"));
    let given_back = Finish { state: State::Queued, ..reported("") };
    let leased = queue.take(&taker("r")).unwrap().job().unwrap();
    assert_eq!(queue.finish(&hold(&leased, "r"), &given_back).unwrap(), Settled::Accepted);
    let job = queue.job("a").unwrap().unwrap();
    assert_eq!((job.state, job.attempts), (State::Queued, 0));
    assert_eq!(queue.finish(&hold(&leased, "r"), &given_back).unwrap(), Settled::Stale);
    let leased = queue.take(&taker("s")).unwrap().job().unwrap();
    queue.apply(&[cancel("a")]).unwrap();
    queue.finish(&hold(&leased, "s"), &given_back).unwrap();
    assert_eq!(state(&*queue, "a"), State::Cancelled);
}

fn one_of_many_takers_gets_a_job(place: &Place) {
    let queue = place.open(LONG);
    for number in 0..20 {
        enqueue(&*queue, new_job(&format!("j{number}")));
    }
    let takers: Vec<_> = (0..4)
        .map(|number| {
            let queue = queue.again().unwrap();
            std::thread::spawn(move || {
                let name = format!("r{number}");
                let mut took = Vec::new();
                let deadline = Instant::now() + Duration::from_secs(60);
                while Instant::now() < deadline {
                    match queue.take(&taker(&name)).map(crate::Taken::job) {
                        Ok(Some(leased)) => {
                            let settled = queue.finish(&hold(&leased, &name), &reported(&name)).unwrap();
                            assert_eq!(settled, Settled::Accepted);
                            took.push(leased.job);
                        }
                        Ok(None) => break,
                        Err(error) => panic!("{error}"),
                    }
                }
                took
            })
        })
        .collect();
    let mut took: Vec<String> = takers.into_iter().flat_map(|taker| taker.join().unwrap()).collect();
    took.sort();
    took.dedup();
    assert_eq!(took.len(), 20);
}
