//! Releases of a registry become points of a history, each once.

mod support;

use std::path::Path;
use std::process::Output;

use serde_json::Value;

use support::stdout;

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// What a command prints for a folder of results.
fn call(folder: &Path, words: &[&str]) -> String {
    let mut command = support::tlslab();
    command.args(words).arg("--out").arg(folder);
    stdout(&command.output().unwrap())
}

fn json(folder: &Path, words: &[&str]) -> Value {
    let asked = ["--scenario", SCENARIO, "--format", "json"];
    serde_json::from_str(&call(folder, &[words, &asked].concat())).unwrap()
}

/// 0.23.29 takes 0.9 % fewer instructions on the server, which is one exact count after another one.
#[test]
fn releases_are_measured_once_and_a_step_between_two_of_them_is_found_and_explained() {
    let folder = tempfile::tempdir().unwrap();
    let releases = ["0.23.28", "0.23.29"];
    let backfill = |outcome: &str| {
        let words = [
            "backfill",
            "rustls/ring",
            "--versions",
            "0.23.28..0.23.29",
            "--metric",
            "count",
            "--seeds",
            "1",
        ];
        let one =
            |release| serde_json::json!({ "release": format!("rustls/ring@{release}"), "outcome": outcome });
        assert_eq!(json(folder.path(), &words), Value::Array(releases.map(one).to_vec()));
    };
    backfill("measured");
    backfill("measured before");
    let runs = call(folder.path(), &["runs", "--format", "json"]);
    assert_eq!(runs.matches("\"complete\"").count(), 1, "nothing was measured twice: {runs}");
    let history = json(folder.path(), &["history", "--by-version", "--side", "server", "--explain", "1"]);
    let timeline = &history["timelines"][0];
    let points = timeline["points"].as_array().unwrap();
    let labels: Vec<&str> = points.iter().map(|point| point["label"].as_str().unwrap()).collect();
    assert_eq!(labels, releases);
    let changes = timeline["history"]["changes"].as_array().unwrap();
    let [change] = &changes[..] else { panic!("{changes:?}") };
    let ratio = change["ratio"].as_f64().unwrap();
    assert!(change["label"] == "0.23.29" && (0.985..0.995).contains(&ratio), "{change}");
    // A text stands beside its version until it is removed.
    let annotate = |text: &str| call(folder.path(), &["annotate", "rustls/ring", "0.23.29", text]);
    let note = || {
        json(folder.path(), &["history", "--by-version", "--side", "server"])["timelines"][0]["notes"]["1"]
            .clone()
    };
    annotate("a quicker <parser>");
    assert_eq!(note(), "a quicker <parser>");
    annotate("");
    assert_eq!(note(), Value::Null);
    let functions = timeline["reasons"]["1"]["functions"].as_array().unwrap();
    let is_hash = |one: &Value| {
        one["function"].as_str().unwrap().contains("sha256") && one["change"].as_f64() < Some(0.0)
    };
    assert!(functions.iter().any(is_hash), "{functions:?}");
}

#[test]
fn a_new_release_is_noticed_once() {
    let folder = tempfile::tempdir().unwrap();
    let watch = || json(folder.path(), &["watch", "rustls/ring", "--metric", "count", "--seeds", "1"]);
    let first = watch();
    assert_eq!(
        (first.as_array().unwrap().len(), first[0]["outcome"].as_str()),
        (1, Some("measured")),
        "{first}"
    );
    assert_eq!(watch(), serde_json::json!([]));
}

#[test]
fn versions_that_can_be_had_are_listed_and_others_are_refused() {
    let mut versions = support::tlslab();
    versions.args(["versions", "openssl", "--format", "json"]);
    let listed: Value = serde_json::from_str(&stdout(&versions.output().unwrap())).unwrap();
    let names: Vec<&str> =
        listed.as_array().unwrap().iter().map(|one| one["stack"].as_str().unwrap()).collect();
    let place = |name: &str| {
        names.iter().position(|known| *known == name).unwrap_or_else(|| panic!("{name}: {names:?}"))
    };
    assert!(
        place("openssl@1.1.1w") < place("openssl@3.0.8") && place("openssl@3.2.0") < place("openssl@4.0.3")
    );
    let mut none = support::tlslab();
    none.args(["backfill", "openssl", "--versions", "9.0.0..9.1.0"]);
    let said = refused(&none.output().unwrap());
    assert!(said.contains("openssl has no release 9.0.0"), "{said}");
    let mut wrong = support::tlslab();
    wrong.args(["backfill", "openssl@3.0.8"]);
    assert!(refused(&wrong.output().unwrap()).contains("without a version"));
}
