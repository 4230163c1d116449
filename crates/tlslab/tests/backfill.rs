//! Releases of a registry become points of a history, each once.

mod support;

use std::process::Output;

use serde_json::Value;

use support::stdout;

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1));
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn releases_are_measured_once_and_stand_in_the_history() {
    let folder = tempfile::tempdir().unwrap();
    let call = |words: &[&str]| {
        let mut command = support::tlslab();
        command.args(words).arg("--out").arg(folder.path());
        stdout(&command.output().unwrap())
    };
    let releases = ["0.23.45", "0.23.46"];
    let backfill = |outcome: &str| {
        let text = call(&[
            "backfill",
            "rustls/ring",
            "--versions",
            "0.23.45..0.23.46",
            "--metric",
            "count",
            "--seeds",
            "1",
            "--scenario",
            SCENARIO,
            "--format",
            "json",
        ]);
        let listed: Value = serde_json::from_str(&text).unwrap();
        let expected: Vec<Value> = releases
            .iter()
            .map(|release| serde_json::json!({ "release": format!("rustls/ring@{release}"), "outcome": outcome }))
            .collect();
        assert_eq!(listed, Value::Array(expected));
    };
    backfill("measured");
    backfill("measured before");
    assert_eq!(
        call(&["runs", "--format", "json"]).matches("\"complete\"").count(),
        1,
        "nothing was measured twice"
    );
    // The newest release is in the history, so nothing is new.
    let text =
        call(&["watch", "rustls/ring", "--metric", "count", "--scenario", SCENARIO, "--format", "json"]);
    let newer: Value = serde_json::from_str(&text).unwrap();
    let is_later = |one: &Value| one["release"].as_str().unwrap() > "rustls/ring@0.23.46";
    assert!(newer.as_array().unwrap().iter().all(is_later), "{newer}");
    let history = call(&["history", "--by-version", "--side", "server", "--format", "json"]);
    let history: Value = serde_json::from_str(&history).unwrap();
    let points = history["timelines"][0]["points"].as_array().unwrap();
    let labels: Vec<&str> = points.iter().map(|point| point["label"].as_str().unwrap()).collect();
    assert_eq!(labels, releases);
    assert_eq!(history["timelines"][0]["history"]["band"], 0.0);
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
    assert!(said.contains("openssl has no release between 9.0.0 and 9.1.0"), "{said}");
    let mut wrong = support::tlslab();
    wrong.args(["backfill", "openssl@3.0.8"]);
    assert!(refused(&wrong.output().unwrap()).contains("without a version"));
}
