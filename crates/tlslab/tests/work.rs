//! `tlslab work`: a job in, lines of events and an outcome out, equal to those of the verb with the same
//! request.

mod support;

use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, Output, Stdio};

use serde_json::{Value, json};
use support::tlslab;

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

fn started(out: &Path, job: &str) -> Child {
    let mut command = tlslab();
    command.args(["work", "--out"]).arg(out).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
    process.stdin.take().unwrap().write_all(job.as_bytes()).unwrap();
    process
}

fn job(id: &str, request: Value) -> String {
    json!({ "id": id, "trust": "owner", "request": request }).to_string()
}

/// The lines of a job that has ended.
fn lines(output: &Output) -> Vec<Value> {
    let text = String::from_utf8(output.stdout.clone()).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The instructions of each side.
fn counts(report: &Value) -> Vec<(String, f64)> {
    let cells = report["exact"].as_array().unwrap().iter();
    let counted = cells.filter(|cell| cell["metric"] == "count.instructions");
    counted.map(|cell| (cell["side"].to_string(), cell["estimate"].as_f64().unwrap())).collect()
}

#[test]
fn a_job_has_the_outcome_of_its_verb_and_is_done_once() {
    let folder = tempfile::tempdir().unwrap();
    let text =
        job("counted", json!({ "kind": "count", "stacks": ["rustls/ring"], "scenarios": [HANDSHAKE] }));
    let output = started(folder.path(), &text).wait_with_output().unwrap();
    let all = lines(&output);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    let numbers: Vec<u64> = all.iter().filter_map(|line| line["number"].as_u64()).collect();
    assert_eq!(numbers, (1..all.len() as u64).collect::<Vec<_>>());
    assert!(all.iter().all(|line| line["job"] == "counted" && line["format"] == 1));
    let last = all.last().unwrap();
    assert_eq!((&last["event"], &last["status"]), (&json!("ended"), &json!("done")));
    let report = &last["outcome"]["value"]["report"];
    let mut verb = tlslab();
    verb.args([
        "run",
        "--stack",
        "rustls/ring",
        "--scenario",
        HANDSHAKE,
        "--metric",
        "count",
        "--format",
        "json",
    ]);
    let of_verb = support::stdout(&verb.arg("--out").arg(folder.path().join("verb")).output().unwrap());
    let of_verb: Value = serde_json::from_str(&of_verb).unwrap();
    assert_eq!(counts(report), counts(&of_verb));
    assert_eq!(counts(report).len(), 2);
    let again = lines(&started(folder.path(), &text).wait_with_output().unwrap());
    assert_eq!(again.last().unwrap()["outcome"], last["outcome"]);
    assert!(again.len() < 3, "nothing is measured again: {again:?}");
}

#[test]
fn a_job_that_is_told_to_end_goes_on_under_its_identifier() {
    let folder = tempfile::tempdir().unwrap();
    let request = json!({
        "kind": "run", "stacks": ["rustls/ring"], "scenarios": [HANDSHAKE], "budget_s": 4, "rounds": 8,
    });
    let text = job("told", request);
    let mut process = started(folder.path(), &text);
    let mut reader = BufReader::new(process.stdout.take().unwrap()).lines();
    let is_measuring =
        |line: &Value| line["event"] == "step" && line["stage"] == "measure" && line["done"] == 2;
    let read = |line: std::io::Result<String>| serde_json::from_str::<Value>(&line.unwrap()).unwrap();
    assert!(reader.by_ref().map(read).any(|line| is_measuring(&line)), "two visits are made");
    // SAFETY: the process is ours and was not waited for.
    unsafe { libc::kill(process.id().cast_signed(), libc::SIGTERM) };
    let last = reader.map(read).last().unwrap();
    assert_eq!(process.wait().unwrap().code(), Some(130));
    assert_eq!((&last["status"], &last["error"]["kind"]), (&json!("interrupted"), &json!("interrupted")));
    let output = started(folder.path(), &text).wait_with_output().unwrap();
    let all = lines(&output);
    assert_eq!(all.last().unwrap()["status"], "done", "{:?}", all.last());
    let first = all.iter().find(|line| line["event"] == "step" && line["stage"] == "measure").unwrap();
    assert!(first["done"].as_u64().unwrap() >= 2, "what was measured is not measured again: {first}");
}

#[test]
fn what_is_no_job_is_refused_with_its_field() {
    let folder = tempfile::tempdir().unwrap();
    let candidate =
        r#"{"id":"a","trust":"candidate","request":{"kind":"build","stacks":["openssl@path:/etc"]}}"#;
    for (text, kind, field) in [
        ("{}", "invalid", "job"),
        (r#"{"id":"A","trust":"owner","request":{"kind":"build"}}"#, "invalid", "id"),
        (r#"{"id":"a","trust":"owner","request":{"kind":"run","timeout_s":-1}}"#, "invalid", "request"),
        (candidate, "refused", "stacks"),
    ] {
        let output = started(folder.path(), text).wait_with_output().unwrap();
        let last = lines(&output).pop().unwrap();
        // A contradictory request is a wrong request.
        let status = if kind == "invalid" { 2 } else { 1 };
        assert_eq!(output.status.code(), Some(status), "{text}");
        assert_eq!(
            (&last["error"]["kind"], &last["error"]["field"]),
            (&json!(kind), &json!(field)),
            "{last}"
        );
        assert!(!output.stderr.is_empty());
    }
}
