//! `tlslab anomalies` on the recorded database: it finds the known ones among its cells.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

const RECORDED: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recorded/runs.sqlite.zst");
/// The run of all stacks; later ones are of releases of some.
const RUN: &str = "20261125-135310-ce23";

fn anomalies(more: &[&str]) -> (Option<i32>, String) {
    let here = tempfile::tempdir().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    command.current_dir(here.path()).env("TLSLAB_CACHE", here.path().join("no cache"));
    let output = command.args(["anomalies", "--recorded", RECORDED]).args(more).output().unwrap();
    let made = std::fs::read_dir(here.path()).unwrap().count();
    assert_eq!(made, 0, "it made something");
    (
        output.status.code(),
        String::from_utf8(output.stdout).unwrap() + &String::from_utf8(output.stderr).unwrap(),
    )
}

fn list_found(text: &str) -> Vec<Value> {
    let all: Value = serde_json::from_str(text).unwrap();
    all["found"].as_array().unwrap().clone()
}

#[test]
fn the_reader_that_searches_a_record_bytewise_is_found_in_the_recorded_counts() {
    assert!(Path::new(RECORDED).is_file());
    let (code, text) = anomalies(&[RUN, "--format", "json", "--limit", "1000"]);
    assert_eq!(code, Some(0), "{text}");
    let found = list_found(&text);
    let scores: Vec<f64> = found.iter().map(|one| one["score"].as_f64().unwrap()).collect();
    assert!(scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(scores.iter().all(|score| *score > 1.0), "{scores:?}");
    let is_it = |one: &&Value| {
        one["rule"] == "peers"
            && one["cell"]["stack"] == "botan@3.13.0"
            && one["cell"]["side"] == "server"
            && one["cell"]["scenario"] == "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm"
    };
    let it = found.iter().find(is_it).expect("what docs/findings.md says of it");
    assert_eq!(it["noise"], 1.0, "counts that repeat have no noise");
    assert_eq!(it["evidence"].as_array().unwrap().len(), 2);
    // Its own writer does not search, so it is excluded from the others.
    assert!(!it["also"].to_string().contains("\"client\""), "{it}");
}

#[test]
fn a_limit_cuts_the_list_and_the_text_says_so() {
    let (code, text) = anomalies(&[RUN, "--limit", "1"]);
    assert_eq!(code, Some(0), "{text}");
    assert!(text.starts_with(&format!("run {RUN}: 1 of ")), "{text}");
    assert!(text.contains("\n1.  ") && !text.contains("\n2.  "), "{text}");
    assert!(text.contains("Not checked, as data is missing: equal-work"), "{text}");
}

#[test]
fn a_run_that_there_is_not_is_an_error_with_a_next_step() {
    let (code, text) = anomalies(&["1999"]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("run 1999") && text.contains("tlslab runs"), "{text}");
}

#[test]
fn further_runs_must_be_others_of_the_same_work() {
    let (code, text) = anomalies(&[RUN, RUN]);
    assert_eq!(code, Some(2), "{text}");
    assert!(text.contains("is named twice"), "{text}");
    // The releases of wolfSSL, whose threads were counted and nothing else.
    let (code, text) = anomalies(&[RUN, "backfill-58856d369b95bfa8-26051774a38764b3"]);
    assert_eq!(code, Some(2), "{text}");
    let (cause, next) = ("it has none of the cells of run", "name another run of the same scenarios");
    assert!(text.contains(cause) && text.contains(next), "{text}");
}
