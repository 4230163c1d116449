//! `tlslab submit` against a simulated service. No stack is built.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tlslab");

/// A request that was received: `POST /path`, its token and its body.
type Received = (String, String, String);

/// A service with scripted answers.
struct Played {
    address: String,
    received: Arc<Mutex<Vec<Received>>>,
}

impl Played {
    fn new(answer: impl Fn(&str) -> (u16, Value) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let received = Arc::new(Mutex::new(Vec::new()));
        let kept = received.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let request = read(&stream);
                let (status, body) = answer(&request.0);
                kept.lock().unwrap().push(request);
                let body = body.to_string();
                let head = format!(
                    "HTTP/1.1 {status} X\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
                    body.len()
                );
                let _ = stream.write_all((head + &body).as_bytes());
            }
        });
        Self { address, received }
    }

    fn submitted(&self) -> (String, Value) {
        let received = self.received.lock().unwrap();
        let (_, token, body) = received.iter().find(|(what, ..)| what == "POST /api/v1/jobs").unwrap();
        (token.clone(), serde_json::from_str(body).unwrap())
    }
}

fn read(stream: &TcpStream) -> Received {
    let mut reader = BufReader::new(stream);
    let mut line = || {
        let mut line = String::new();
        reader.read_line(&mut line).unwrap();
        line.trim_end().to_owned()
    };
    let first = line();
    let (mut length, mut token) = (0, String::new());
    loop {
        let header = line();
        match header.to_ascii_lowercase().split_once(": ") {
            Some(("content-length", value)) => length = value.parse().unwrap(),
            Some(("authorization", _)) => token = header.split_once(": ").unwrap().1.to_owned(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let what = first.rsplit_once(' ').unwrap().0.to_owned();
    (what, token, String::from_utf8(body).unwrap())
}

fn command(folder: &Path, service: &str, words: &[&str]) -> Command {
    std::fs::write(folder.join("token"), "hush\n").unwrap();
    let mut command = Command::new(PROGRAM);
    command.current_dir(folder).args(["submit", "--service", service, "--token-file", "token"]).args(words);
    command
}

fn submit(service: &str, words: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    command(folder.path(), service, words).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).unwrap()
}

fn event(number: u64, event: Value) -> Value {
    let mut whole = json!({"format": 1, "job": "j", "number": number, "unix_ms": 1});
    whole.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
    json!({"number": number, "event": whole})
}

fn comparison() -> Value {
    json!({"format": 1, "runs": ["r"], "lab_version": "1", "started_unix_ms": 1, "complete": true, "measuring_s": 61.0, "host": {},
        "design": {"arrangement": "turns", "looks": [8], "confirmation": 8, "false_discovery_rate": 0.01,
            "time_floor_percent": 0.1, "exact_floor_percent": 0.0, "negligible_percent": 0.5},
        "pairs": [{"base": "a", "base_version": "1", "new": "b", "new_version": "2", "identical": false}],
        "changes": [{"pair": 0, "scenario": "handshake/x", "side": "client", "metric": "time", "verdict": "regression",
            "base": 1000.0, "new": 1012.0, "ratio": 1.012, "interval": {"lower": 1.01, "upper": 1.014, "confidence": 0.99},
            "n": 8, "p_value": 0.001, "q_value": 0.002, "threshold": 0.001, "detectable": 0.004, "ratios": [1.012]}],
        "warnings": []})
}

/// A service on which a comparison is measured: it is queued, then measured in two attempts, and has ended.
fn measured() -> Played {
    let asked = AtomicUsize::new(0);
    Played::new(move |what| {
        let path = what.split(' ').nth(1).unwrap();
        if what == "POST /api/v1/jobs" {
            return (201, json!({}));
        }
        if path.contains("/events?") {
            let note = |number, text: &str| event(number, json!({"event": "note", "text": text}));
            let (token, state, events) = match asked.fetch_add(1, Ordering::SeqCst) {
                0 => (0, "queued", vec![]),
                1 => (1, "measuring", vec![note(1, "the first attempt")]),
                2 => (
                    2,
                    "reported",
                    vec![note(1, "the second attempt"), event(2, json!({"event": "of-tomorrow"}))],
                ),
                _ => (2, "reported", vec![]),
            };
            let is_ended = state == "reported";
            return (
                200,
                json!({"token": token, "state": state, "events": events, "is_ended": is_ended, "has_more": false}),
            );
        }
        match path.ends_with("/result") {
            true => (
                200,
                json!({"format": 1, "job": "j", "event": "ended", "status": "done",
                "outcome": {"kind": "comparison", "value": comparison()}}),
            ),
            false => (200, json!({"state": "reported", "reason": "carried out", "fault": null})),
        }
    })
}

#[test]
fn a_comparison_is_followed_and_printed_as_the_verb_prints_it() {
    let service = measured();
    let words = [
        "--id",
        "j",
        "--project",
        "p",
        "--label",
        "x86",
        "compare",
        "a",
        "b",
        "--fail-on",
        "regression",
        "--metric",
        "time",
    ];
    let output = submit(&service.address, &words);
    let (printed, progress) = (text(&output.stdout), text(&output.stderr));
    assert_eq!(output.status.code(), Some(4), "{progress}");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("comparison.json"), comparison().to_string()).unwrap();
    let own = Command::new(PROGRAM)
        .current_dir(folder.path())
        .args(["compare", "--from", "comparison.json"])
        .output()
        .unwrap();
    assert!(!printed.is_empty() && printed == text(&own.stdout), "{printed}{}", text(&own.stderr));
    let expected = [
        "/jobs/j",
        "queued",
        "measuring",
        "the first attempt",
        "a new attempt begins",
        "the second attempt",
        "reported",
    ];
    let places: Vec<_> = expected
        .iter()
        .map(|text| progress.find(text).unwrap_or_else(|| panic!("{text}: {progress}")))
        .collect();
    assert!(places.is_sorted(), "{progress}");
    let (token, body) = service.submitted();
    assert_eq!(token, "Bearer hush");
    assert_eq!((&body["project"], &body["labels"]), (&json!("p"), &json!(["x86"])));
    assert_eq!((&body["job"]["id"], &body["job"]["trust"]), (&json!("j"), &json!("owner")));
    assert_eq!(body["job"]["request"]["pairs"], json!([["a", "b"]]));
}

#[test]
fn a_job_that_is_detached_is_named() {
    let service = Played::new(|_| (201, json!({})));
    let output = submit(&service.address, &["--detach", "--trust", "candidate", "run", "--stack", "a"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let (_, body) = service.submitted();
    assert_eq!(format!("{}\n", body["job"]["id"].as_str().unwrap()), text(&output.stdout));
    assert_eq!(
        (&body["job"]["trust"], &body["job"]["request"]["kind"]),
        (&json!("candidate"), &json!("run"))
    );
    assert_eq!(service.received.lock().unwrap().len(), 1, "nothing is asked after that");
}

#[test]
fn a_job_without_a_result_says_why() {
    for (state, fault, code, expected) in [
        ("failed", json!("candidate"), 1, "failed because of the candidate: it does not build"),
        ("cancelled", Value::Null, 130, "was cancelled: it does not build"),
    ] {
        let service = Played::new(move |what| match what {
            "POST /api/v1/jobs" => (201, json!({})),
            what if what.contains("/events?") => {
                (200, json!({"token": 0, "state": state, "events": [], "is_ended": true, "has_more": false}))
            }
            _ => (200, json!({"state": state, "reason": "it does not build", "fault": fault})),
        });
        let output = submit(&service.address, &["compare", "a", "b"]);
        assert_eq!(output.status.code(), Some(code));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    }
}

#[test]
fn a_refusal_names_the_next_step_and_no_token() {
    for (status, answer, expected) in [
        (401, json!({"kind": "unauthorised", "message": "no"}), "does not know the token in token"),
        (403, json!({"kind": "forbidden", "message": "the token has no scope"}), "the token has no scope"),
        (400, json!({"kind": "invalid", "message": "\"project\": not found"}), "\"project\": not found"),
    ] {
        let service = Played::new(move |_| (status, answer.clone()));
        let output = submit(&service.address, &["compare", "a", "b"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
        assert!(!text(&output.stderr).contains("hush"));
    }
    let nobody = submit("http://127.0.0.1:1", &["compare", "a", "b"]);
    assert!(text(&nobody.stderr).contains("--service"), "{}", text(&nobody.stderr));
    let plain = submit("http://bench.example", &["compare", "a", "b"]);
    assert!(text(&plain.stderr).contains("https://HOST"), "{}", text(&plain.stderr));
    for (words, expected) in [
        (&["compare", "--runs", "a", "b"][..], "--runs"),
        (&["compare", "--resume", "a"], "--resume"),
        (&["run", "--resume"], "--resume"),
        (&["compare", "a"], "no baseline"),
        (&["--token-file", "nowhere", "compare", "a", "b"], "--token-file"),
    ] {
        let output = submit("http://127.0.0.1:1", words);
        assert!(
            !output.status.success() && text(&output.stderr).contains(expected),
            "{words:?}: {}",
            text(&output.stderr)
        );
    }
}

#[test]
fn ctrl_c_detaches_and_says_how_to_go_on() {
    let service = Played::new(|what| match what {
        "POST /api/v1/jobs" => (201, json!({})),
        _ => {
            (200, json!({"token": 0, "state": "queued", "events": [], "is_ended": false, "has_more": false}))
        }
    });
    let folder = tempfile::tempdir().unwrap();
    let words = ["--id", "j", "compare", "a", "b"];
    let mut child = command(folder.path(), &service.address, &words);
    let child = child.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    while service.received.lock().unwrap().len() < 2 && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(20));
    }
    // SAFETY: the process is a child of this one, which has not waited for it yet.
    assert_eq!(unsafe { libc::kill(i32::try_from(child.id()).unwrap(), libc::SIGINT) }, 0);
    let output = child.wait_with_output().unwrap();
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{said}");
    for expected in ["detached", "/jobs/j", "--id j", "/api/v1/jobs/j/cancel"] {
        assert!(said.contains(expected), "{expected}: {said}");
    }
}
