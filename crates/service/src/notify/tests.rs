use std::io::{Read as _, Write as _};
use std::net::TcpListener;
use std::sync::atomic::AtomicU64;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};

use serde_json::json;
use tlslab_queue::{NewRunner, Origin};

use super::*;
use std::path::Path;

use crate::config::Config;
use crate::configuration::{forge_and_project, write_secret};
use crate::outbox::send_next;

/// A receiver of notices: it sends the given answers, and passes on the notices.
struct Target {
    port: u16,
    answers: Arc<Mutex<Vec<&'static str>>>,
    got: Receiver<String>,
}

fn target() -> Target {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let answers: Arc<Mutex<Vec<&'static str>>> = Arc::default();
    let (sender, got) = channel();
    let told = answers.clone();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            let mut text = String::new();
            let mut part = [0; 4096];
            loop {
                let read = stream.read(&mut part).unwrap_or_default();
                text.push_str(&String::from_utf8_lossy(&part[..read]));
                if read == 0 || text.split_once("\r\n\r\n").is_some_and(|(_, body)| body.ends_with('}')) {
                    break;
                }
            }
            let answer = told.lock().unwrap().pop().unwrap_or("204 No Content");
            let end = "Content-Length: 0\r\nLocation: /elsewhere\r\nConnection: close\r\n\r\n";
            let _ = write!(stream, "HTTP/1.1 {answer}\r\n{end}");
            if sender.send(text).is_err() {
                return;
            }
        }
    });
    Target { port, answers, got }
}

/// A service whose clock a test moves; `folder` outlives it.
struct Lab {
    service: Service,
    clock: Arc<AtomicU64>,
}

const START: u64 = 1_800_000_000_000;

fn lab(folder: &Path, port: u16, on: &str) -> Lab {
    for secret in ["token", "hook", "sign"] {
        if !folder.join(secret).exists() {
            write_secret(&folder.join(secret), "hush-hush");
        }
    }
    let forge = ["f", "gitea", "https://git.example/api/v1"];
    let project = forge_and_project(forge, ["p", "o/n"], "stacks = [\"s\"]");
    // A regression opens an issue automatically.
    let others = if on.contains("regression") { "\"quarantine\"" } else { on };
    let text = format!(
        "folder = \"{}\"\n{project}\n[[notify]]\nname = \"ops\"\nurl = \"http://127.0.0.1:{port}/hook\"\nsecret = {{ file = \"sign\" }}\non = [{on}]\n\
         [[notify]]\nname = \"people\"\nissue = \"p\"\non = [{others}]\n",
        folder.display()
    );
    let clock = Arc::new(AtomicU64::new(START));
    let service = Service::new(Config::parse(&text).unwrap(), folder, None).unwrap();
    let service = service.played(&clock, Box::new(|_| panic!("no code host is asked")));
    Lab { service, clock }
}

impl Lab {
    fn pass(&self, ms: u64) {
        self.clock.fetch_add(ms, std::sync::atomic::Ordering::SeqCst);
    }

    fn runner(&self, free_bytes: u64) {
        let runner = NewRunner {
            name: "r".to_owned(),
            key_hash: hash_key("k"),
            labels: Vec::new(),
            quiet: Default::default(),
            origin: Origin::Configuration,
        };
        let facts = json!({"free_bytes": free_bytes});
        self.service
            .queue(|queue| {
                queue.register_runner(&runner)?;
                queue.runner_seen("r", "1", Some(&facts))
            })
            .unwrap();
    }

    /// The messages that wait, without sending them: their keys and bodies.
    fn waiting(&self) -> Vec<(String, Value)> {
        let mut all = Vec::new();
        while let Some(message) = self.service.queue(|queue| queue.claim_message()).unwrap() {
            all.push((message.key.clone(), message.body.clone()));
        }
        // Their claims end.
        self.pass(200_000);
        all
    }
}

#[test]
fn a_full_disk_is_told_once_to_each_until_it_is_free_again() {
    let folder = tempfile::tempdir().unwrap();
    let lab = lab(folder.path(), 1, "\"disk\"");
    lab.runner(FULL - 1);
    look(&lab.service).unwrap();
    look(&lab.service).unwrap();
    let waiting = lab.waiting();
    let kinds: Vec<&str> = waiting.iter().map(|(_, body)| body["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["notice", "issue"], "{waiting:?}");
    assert_eq!(waiting[0].1["title"], "The disk of runner r is full");
    assert_eq!(waiting[0].1["id"], format!("disk:runner:r:{START}"));
    // Between full and free nothing changes; then it is over, and full once more.
    for (free, expected) in [(FREE - 1, 2), (FULL - 1, 2), (FREE, 2), (FULL - 1, 4)] {
        lab.runner(free);
        look(&lab.service).unwrap();
        assert_eq!(lab.waiting().len(), expected, "{free}");
    }
}

#[test]
fn a_quarantine_and_what_was_given_up_are_told_once_over_a_restart() {
    let folder = tempfile::tempdir().unwrap();
    let first = lab(folder.path(), 1, "\"quarantine\", \"given-up\"");
    first.runner(FREE);
    first
        .service
        .queue(|queue| {
            queue.set_duty("r", Duty::Quarantined, "its canary moved", false)?;
            for key in ["comment:p:1", "status:p:c:x"] {
                let change = Change::Send { key: key.to_owned(), job: String::new(), body: json!({}) };
                queue.apply(&[change])?;
                let message = queue.claim_message()?.unwrap();
                queue.message_given_up(&message, "403")?;
            }
            Ok(())
        })
        .unwrap();
    look(&first.service).unwrap();
    drop(first);
    let again = lab(folder.path(), 1, "\"quarantine\", \"given-up\"");
    look(&again.service).unwrap();
    let waiting = again.waiting();
    let titles: Vec<&str> = waiting.iter().filter_map(|(_, body)| body["title"].as_str()).collect();
    assert_eq!(titles.len(), 4, "{titles:?}");
    assert!(
        titles.contains(&"Runner r is in quarantine")
            && titles.contains(&"2 messages or events were given up")
    );
    let given_up = waiting.iter().find(|(key, _)| key.starts_with("notify:ops:given-up")).unwrap();
    let text = given_up.1["text"].as_str().unwrap();
    assert!(text.contains("comment:p:1: 403") && text.contains("status:p:c:x: 403"), "{text}");
}

#[test]
fn a_notice_is_signed_tried_again_and_never_sent_to_where_it_is_redirected() {
    let folder = tempfile::tempdir().unwrap();
    let target = target();
    let lab = lab(folder.path(), target.port, "\"regression\"");
    target.answers.lock().unwrap().extend(["500 Oh", "302 Found"]);
    let event = Event {
        kind: EventKind::Regression,
        id: "regression:p:abc".to_owned(),
        project: Some("p".to_owned()),
        title: "p: slower\u{1b}".to_owned(),
        text: "by 3 %".to_owned(),
        page: "/jobs/j".to_owned(),
    };
    for _ in 0..2 {
        apply(&lab.service, notified(&lab.service, &event, Vec::new())).unwrap();
    }
    for (turn, delayed) in [(0, 1), (1, 2), (2, 2)] {
        lab.pass(600_000);
        assert!(send_next(&lab.service).unwrap(), "{turn}");
        let got = target.got.recv().unwrap();
        assert!(got.starts_with("POST /hook HTTP/1.1"), "{got}");
        let (head, body) = got.split_once("\r\n\r\n").unwrap();
        let head = head.to_ascii_lowercase();
        for part in [
            "x-tlslab-event: regression",
            "x-tlslab-delivery: regression:p:abc:",
            "x-tlslab-signature-256: sha256=",
        ] {
            assert!(head.contains(part), "{part}: {head}");
        }
        let body: Value = serde_json::from_str(body).unwrap();
        assert_eq!(
            (&body["event"], &body["project"], &body["format"]),
            (&json!("regression"), &json!("p"), &json!(1))
        );
        assert_eq!(
            (&body["title"], body["link"].as_str().unwrap().ends_with("/jobs/j")),
            (&json!("p: slower\u{fffd}"), true)
        );
        assert_eq!(lab.service.counters.notices_delayed.load(std::sync::atomic::Ordering::Relaxed), delayed);
    }
    lab.pass(600_000);
    assert!(!send_next(&lab.service).unwrap(), "it arrived");
    assert_eq!(lab.service.counters.notices.load(std::sync::atomic::Ordering::Relaxed), 1);
}

/// A comparison of a range of one commit, which is slower.
fn slower(lab: &Lab) {
    let project = lab.service.config.project("p").unwrap();
    let [good, bad] = ["a", "b"].map(|digit| digit.repeat(40));
    let range = crate::subject::RangeSubject {
        branch: "main".to_owned(),
        good,
        bad: bad.clone(),
        commits: vec![bad.clone()],
        commit: bad,
        found: String::new(),
        cell: None,
    };
    let job =
        crate::new_jobs::range_job(project, "https://git.example/o/n.git", range, String::new()).unwrap();
    let cell = json!({"pair": 0, "scenario": "x", "side": "client", "metric": "time", "verdict": "regression", "note": null,
        "base": 1000.0, "new": 1030.0, "ratio": 1.03, "interval": {"lower": 1.02, "upper": 1.04, "confidence": 0.99},
        "n": 8, "p_value": 0.001, "q_value": 0.002, "threshold": 0.001, "detectable": 0.004, "ratios": [1.03],
        "confirmation": {"ratio": 1.03, "interval": null, "n": 8, "agrees": true}});
    let value = json!({"format": 1, "runs": ["r"], "lab_version": "0.1.0", "started_unix_ms": 1, "complete": true,
        "measuring_s": 61.0, "host": {"cpu": {"name": "a processor"}},
        "design": {"arrangement": "interleaved", "counter": "valgrind", "looks": [8], "confirmation": 8, "false_discovery_rate": 0.01,
            "time_floor_percent": 0.1, "exact_floor_percent": 0.0, "negligible_percent": 0.5},
        "pairs": [{"base": "s@1", "base_version": "1", "new": "s@2", "new_version": "2", "identical": false, "fixed_layout": []}],
        "changes": [cell], "warnings": []});
    let ending = json!({"status": "done", "outcome": {"kind": "comparison", "value": value}});
    let body = crate::stored_result::pack(&ending).unwrap();
    let taker = tlslab_queue::Taker {
        name: "r".to_owned(),
        boot: "1".to_owned(),
        labels: Vec::new(),
        has_sandbox: true,
        slot: 0,
        facts: None,
    };
    lab.service
        .queue(|queue| {
            queue.apply(&[Change::Enqueue(Box::new(job))])?;
            let leased = queue.take(&taker)?.job().unwrap();
            let hold =
                tlslab_queue::Hold { job: leased.job, token: leased.token, runner: taker.name.clone() };
            let (state, reason) = (tlslab_queue::State::Reported, String::new());
            let finish = tlslab_queue::Finish { state, fault: None, reason, body, canary: None, duty: None };
            queue.finish(&hold, &finish)
        })
        .unwrap();
}

#[test]
fn a_regression_of_the_branch_is_told_with_its_issue_and_once_if_it_is_announced_again() {
    let folder = tempfile::tempdir().unwrap();
    let lab = lab(folder.path(), 1, "\"regression\"");
    lab.runner(FREE);
    slower(&lab);
    crate::announce::announce_waiting(&lab.service).unwrap();
    let keys = |lab: &Lab| lab.waiting().into_iter().map(|(key, _)| key).collect::<Vec<_>>();
    let first = keys(&lab);
    let event = format!("regression:p:{}", "b".repeat(40));
    let starts = ["issue:p:regression.p.bbbbbbbb".to_owned(), format!("notify:ops:{event}:")];
    assert!(
        first.len() == 2 && first.iter().zip(&starts).all(|(key, start)| key.starts_with(start)),
        "{first:?}"
    );
    let job = lab.service.queue(|queue| queue.list(&Default::default())).unwrap().remove(0);
    assert_eq!(job.verdict.map(|verdict| verdict.mark).as_deref(), Some("regression"));
    lab.service.queue(|queue| queue.apply(&[Change::AnnounceAgain { job: job.id }])).unwrap();
    assert_eq!(crate::announce::announce_waiting(&lab.service).unwrap(), 1);
    assert_eq!(keys(&lab), first);
}

#[test]
fn jobs_that_an_earlier_version_announced_get_their_verdicts() {
    let folder = tempfile::tempdir().unwrap();
    let lab = lab(folder.path(), 1, "\"disk\"");
    lab.runner(FREE);
    slower(&lab);
    let verdict = || lab.service.queue(|queue| queue.list(&Default::default())).unwrap().remove(0).verdict;
    assert_eq!(verdict(), None);
    while crate::announce::conclude_earlier(&lab.service).unwrap() {}
    assert_eq!(verdict().unwrap().mark, "regression");
    assert!(!crate::announce::conclude_earlier(&lab.service).unwrap());
}

#[test]
fn what_is_wrong_with_a_notify_is_named() {
    let parse = |lines: &str| Config::parse(&format!("[[notify]]\nname = \"n\"\n{lines}")).map(drop);
    for (lines, named) in [
        ("on = [\"disk\"]", "write either `url` or `issue`"),
        ("url = \"https://a.example\"\non = []", "`on` is empty"),
        ("url = \"http://a.example\"\non = [\"disk\"]", "allow_plain_http"),
        ("url = \"http://127.0.0.1.evil.example\"\non = [\"disk\"]", "allow_plain_http"),
        ("issue = \"p\"\non = [\"disk\"]", "project \"p\""),
        ("url = \"https://a.example\"\non = [\"fire\"]", "fire"),
    ] {
        let error = parse(lines).unwrap_err();
        assert!(error.contains(named), "{lines}: {error}");
    }
    let project =
        forge_and_project(["f", "gitea", "https://git.example/api/v1"], ["p", "o/n"], "stacks = [\"s\"]");
    let with = |on: &str| {
        Config::parse(&format!("{project}\n[[notify]]\nname = \"n\"\nissue = \"p\"\non = [\"{on}\"]\n"))
    };
    assert!(with("regression").unwrap_err().contains("already opens an issue") && with("disk").is_ok());
    for good in [
        "url = \"https://a.example\"\non = [\"disk\"]",
        "url = \"http://127.0.0.1:9/x\"\non = [\"disk\", \"given-up\"]",
        "url = \"http://a.example\"\nallow_plain_http = true\non = [\"disk\"]",
    ] {
        assert_eq!(parse(good), Ok(()), "{good}");
    }
    for (lines, named) in [
        ("[keep]\nlogs_days = 0", "keep.logs_days"),
        ("[keep]\njobs_days = 5\nresults_days = 6", "a result goes with its job"),
        ("[limits]\nwaiting_jobs = 0", "limits.waiting_jobs"),
    ] {
        let error = Config::parse(lines).unwrap_err();
        assert!(error.contains(named), "{lines}: {error}");
    }
}
