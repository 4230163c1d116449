//! Releases of a registry become points of a history, each once.

mod support;

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use tlslab_store::Address;

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
    // A note is shown with its version until it is removed.
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
fn the_release_that_changed_a_figure_is_found_by_halving() {
    let folder = tempfile::tempdir().unwrap();
    let words = ["bisect", "rustls/ring", "--releases", "0.23.28", "0.23.31", "--scenario", SCENARIO];
    let said = call(folder.path(), &words);
    let cause = said.lines().find(|line| line.starts_with("caused by ")).unwrap_or_else(|| panic!("{said}"));
    assert_eq!(cause, "caused by 0.23.29 (the release before it: 0.23.28)");
}

/// Changes the kernel of a history.
fn measured_on(folder: &Path, kernel: &str) {
    let mut store = tlslab_store::open(&Address::Sqlite(folder.join("tlslab.sqlite"))).unwrap();
    for run in store.runs().unwrap() {
        let mut figures = store.figures(&run.id).unwrap();
        for figure in &mut figures {
            let is_kernel = |part: &&str| part.starts_with("kernel ");
            let now = figure.epoch.split("; ").find(is_kernel).unwrap().to_owned();
            figure.epoch = figure.epoch.replace(&now, kernel);
        }
        store.put_figures(&run.id, &figures).unwrap();
    }
}

/// The release before a new one is measured again with it only if the history has it on another kernel.
#[test]
fn a_step_survives_another_kernel() {
    let folder = tempfile::tempdir().unwrap();
    let backfill = |versions: &str| -> Vec<(String, String)> {
        let words = ["backfill", "rustls/ring", "--versions", versions, "--metric", "count", "--seeds", "1"];
        let listed = json(folder.path(), &words);
        let text = |one: &Value, key: &str| one[key].as_str().unwrap().to_owned();
        listed.as_array().unwrap().iter().map(|one| (text(one, "release"), text(one, "outcome"))).collect()
    };
    let one = |release: &str, outcome: &str| (format!("rustls/ring@{release}"), outcome.to_owned());
    assert_eq!(backfill("0.23.28..0.23.28"), [one("0.23.28", "measured")]);
    measured_on(folder.path(), "kernel of yesterday");
    let again = "measured again, in another environment than before";
    assert_eq!(backfill("0.23.29..0.23.29"), [one("0.23.28", again), one("0.23.29", "measured")]);
    for order in [&["history"][..], &["history", "--by-version"]] {
        let history = json(folder.path(), &[order, &["--side", "server"]].concat());
        let timeline = &history["timelines"][0];
        let labels = |key: &Value| -> Vec<String> {
            key.as_array().unwrap().iter().map(|one| one["label"].as_str().unwrap().to_owned()).collect()
        };
        assert_eq!(labels(&timeline["points"]), ["0.23.28", "0.23.28", "0.23.29"], "{timeline}");
        let changes = &timeline["history"]["changes"];
        assert_eq!(labels(changes), ["0.23.28", "0.23.29"]);
        // The kernel changes no count, but the release does.
        assert_eq!((changes[0]["cause"].as_str(), changes[0]["ratio"].as_f64()), (Some("epoch"), Some(1.0)));
        let ratio = changes[1]["ratio"].as_f64().unwrap();
        assert!(changes[1]["cause"] == "change" && (0.985..0.995).contains(&ratio), "{changes}");
    }
    // The newest release now has this kernel.
    assert_eq!(backfill("0.23.29..0.23.29"), [one("0.23.29", "measured before")]);
    assert_eq!(backfill("0.23.31..0.23.31"), [one("0.23.31", "measured")]);
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
