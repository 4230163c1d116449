use serde_json::json;
use tlslab_queue::{Approval, PullRow};

use super::*;
use crate::config::Config;
use crate::configuration::{forge_and_project, write_secret};

fn service(folder: &std::path::Path, limits: &str) -> Service {
    for secret in ["token", "hook"] {
        write_secret(&folder.join(secret), "hush-hush");
    }
    let forge = ["f", "gitea", "https://git.example/api/v1"];
    let project = forge_and_project(forge, ["p", "o/n"], "stacks = [\"s\"]");
    let text = format!("folder = \"{}\"\n{project}\n[limits]\n{limits}\n", folder.display());
    Service::new(Config::parse(&text).unwrap(), folder, None).unwrap()
}

fn job(id: &str, number: u64, kind: &str) -> NewJob {
    let commit = format!("{id:0>40}");
    let subject = json!({"kind": kind, "number": number, "commit": commit, "baseline": "b", "author": "ann",
        "is_fork": false, "branch": "queue"});
    NewJob {
        id: id.to_owned(),
        project: "p".to_owned(),
        subject,
        body: json!({}),
        labels: Vec::new(),
        needs_sandbox: true,
        is_timed: true,
        only_runner: None,
        priority: 0,
        dedup: None,
        supersedes: Some(format!("pull:p:{number}")),
        approval: Approval::Author,
        head: Some(commit),
        most_attempts: 1,
        delay_ms: 0,
        is_answered: false,
        cause: String::new(),
    }
}

/// A plan for a pull request, perhaps by somebody's command.
fn planned(id: &str, number: u64, command: Option<(u64, &str)>) -> Plan {
    let (project, title) = ("p".to_owned(), "t".to_owned());
    let pull = PullRow { project, number, title, is_open: true, ..PullRow::default() };
    let carried = command.map(|(comment, person)| Change::CarryOut {
        forge: "f".to_owned(),
        comment,
        person: person.to_owned(),
    });
    let rest = [Change::SeePull(pull), Change::Enqueue(Box::new(job(id, number, "pull")))];
    Plan { changes: carried.into_iter().chain(rest).collect(), ..Plan::default() }
}

fn within_limits(service: &Service, plan: Plan) -> Plan {
    let plan = within(service, service.config.project("p").unwrap(), plan).unwrap();
    service.queue(|queue| queue.apply(&plan.changes)).unwrap();
    plan
}

fn is_enqueued(plan: &Plan) -> bool {
    job_of(plan).is_some()
}

fn status(plan: &Plan) -> Option<(String, String)> {
    plan.changes.iter().find_map(|change| match change {
        Change::Send { body, .. } => {
            let text = |at: &str| body.pointer(at).unwrap().as_str().unwrap().to_owned();
            Some((text("/status/state"), text("/status/title")))
        }
        _ => None,
    })
}

#[test]
fn times_are_to_the_minute_and_not_before() {
    assert_eq!(moment(1_795_575_600_000), "2026-11-25 03:00 UTC");
    assert_eq!(moment(1_795_575_600_001), "2026-11-25 03:01 UTC");
}

#[test]
fn without_limits_nothing_changes() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path(), "");
    for number in 0..20 {
        assert!(is_enqueued(&within_limits(
            &service,
            planned(&format!("j{number}"), number, Some((number, "ann")))
        )));
    }
}

#[test]
fn a_day_has_so_many_jobs_and_the_next_one_is_answered_without_a_success() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path(), "jobs_per_day = 2");
    assert!(is_enqueued(&within_limits(&service, planned("a", 1, None))));
    assert!(is_enqueued(&within_limits(&service, planned("b", 2, None))));
    let over = within_limits(&service, planned("c", 3, None));
    assert!(
        !is_enqueued(&over) && over.note.contains("p has used its limit of 2 jobs within 24 hours"),
        "{}",
        over.note
    );
    let mut answered = planned("d", 4, None);
    for change in &mut answered.changes {
        if let Change::Enqueue(job) = change {
            job.is_answered = true;
        }
    }
    assert!(is_enqueued(&within_limits(&service, answered)), "nothing is carried out");
    let (state, title) = status(&over).unwrap();
    assert!(state.eq_ignore_ascii_case("error") && title.contains("possible from"), "{state} {title}");
    let (number, text) = over.reply.clone().unwrap();
    assert!(number == 3 && text.contains("measured automatically"), "{text}");
    // The same again, as each hour: the text is equal, so it is not sent twice.
    assert_eq!(status(&within_limits(&service, planned("c", 3, None))), status(&over));
    // A measured head keeps the status that it has.
    let again = within_limits(&service, planned("a", 1, None));
    assert!(!is_enqueued(&again) && status(&again).is_none());
    // A merge queue does not stand still.
    let merging =
        Plan { changes: vec![Change::Enqueue(Box::new(job("m", 9, "merging")))], ..Plan::default() };
    assert!(is_enqueued(&within_limits(&service, merging)));
}

#[test]
fn so_many_jobs_wait_and_a_newer_one_of_the_same_pull_request_takes_its_place() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path(), "waiting_jobs = 1");
    assert!(is_enqueued(&within_limits(&service, planned("a", 1, None))));
    assert!(!is_enqueued(&within_limits(&service, planned("b", 2, None))));
    assert!(is_enqueued(&within_limits(&service, planned("c", 1, None))));
}

#[test]
fn a_person_has_so_many_commands_in_an_hour_and_others_have_theirs() {
    let folder = tempfile::tempdir().unwrap();
    let service = service(folder.path(), "commands_per_hour = 1");
    assert!(is_enqueued(&within_limits(&service, planned("a", 1, Some((1, "ann"))))));
    let over = within_limits(&service, planned("b", 2, Some((2, "ann"))));
    assert!(!is_enqueued(&over) && status(&over).is_none());
    let (_, text) = over.reply.clone().unwrap();
    assert!(
        text.contains("ann has used the limit of 1 command within an hour") && text.contains("UTC"),
        "{text}"
    );
    assert!(
        over.changes
            .iter()
            .any(|change| matches!(change, Change::CarryOut { person, .. } if person.is_empty()))
    );
    assert!(is_enqueued(&within_limits(&service, planned("c", 3, Some((3, "bob"))))));
    assert!(is_enqueued(&within_limits(&service, planned("d", 4, None))), "a push is no command");
}
