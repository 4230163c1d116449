//! A release with the dependencies of its day, and one that was withdrawn.

mod support;

use std::path::Path;

use serde_json::Value;

use support::stdout;

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

fn json(folder: &Path, words: &[&str]) -> Value {
    let mut command = support::tlslab();
    command.args(words).args(["--format", "json", "--out"]).arg(folder);
    serde_json::from_str(&stdout(&command.output().unwrap())).unwrap()
}

/// rustls 0.21.7 needs ring 0.16; another dependency needs ring 0.17 today, but did not on the day of the
/// release.
#[test]
fn a_release_gets_what_its_users_got() {
    let folder = tempfile::tempdir().unwrap();
    let counted = ["--metric", "count", "--seeds", "1", "--scenario", SCENARIO];
    let stacks = ["--stack", "rustls/ring@0.21.7", "--stack", "now=openssl"];
    let report = json(folder.path(), &[&["run", "--as-of", "release"], &stacks[..], &counted].concat());
    let stacks = report["stacks"].as_array().unwrap();
    assert_eq!(stacks[0]["name"], "rustls/ring@0.21.7+as-of-release");
    assert_eq!(stacks[1]["name"], "now", "it has no dependencies of a day");
    let dependencies = &stacks[0]["identity"]["dependencies"];
    assert_eq!(dependencies["as_of"], "2023-08-28");
    let packages: Vec<&str> =
        dependencies["packages"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    let of_ring: Vec<_> = packages.iter().filter(|package| package.starts_with("ring ")).collect();
    assert_eq!(of_ring, [&"ring 0.16.20 (2021-02-01)"], "{packages:?}");
    let notes = report["notes"].to_string();
    assert!(notes.contains("rustls/ring@0.21.7+as-of-release: dependencies as of 2023-08-28: "), "{notes}");
    let history =
        json(folder.path(), &["history", "--stack", "rustls/ring+as-of-release", "--side", "server"]);
    let timeline = &history["timelines"][0];
    assert_eq!(timeline["points"][0]["label"], "0.21.7", "{history}");
}

/// Of the library's own dependencies, today's newest needs a later release of the one that is named.
#[test]
fn versions_that_are_named_together_are_found_together() {
    let built = |stack: &str| support::tlslab().args(["build", stack]).output().unwrap();
    let said = built("rustls/ring@0.23.25,rustls-pki-types=1.11.0");
    assert!(said.status.success(), "{}", String::from_utf8_lossy(&said.stderr));
    let refused = built("rustls/ring@0.23.25,rustls-pki-types=1.0.0").stderr;
    let why = "previously selected package `rustls-pki-types v1.0.0`";
    let refused = String::from_utf8_lossy(&refused);
    assert!(refused.contains(why), "{refused}");
}

#[test]
fn a_withdrawn_release_is_had_by_its_version_and_marked() {
    let mut versions = support::tlslab();
    versions.args(["versions", "rustls/ring", "--format", "json"]);
    let listed: Value = serde_json::from_str(&stdout(&versions.output().unwrap())).unwrap();
    let state = |stack: &str| {
        let found = listed.as_array().unwrap().iter().find(|one| one["stack"] == stack);
        found.unwrap_or_else(|| panic!("{stack}: {listed}"))["state"].clone()
    };
    assert_eq!(
        (state("rustls/ring@0.23.30"), state("rustls/ring@0.23.29")),
        (Value::from("yanked"), Value::Null)
    );
    let folder = tempfile::tempdir().unwrap();
    let counted = ["--metric", "count", "--seeds", "1", "--count-iterations", "1", "--scenario", SCENARIO];
    let report = json(folder.path(), &[&["run", "--stack", "rustls/ring@0.23.30"], &counted[..]].concat());
    let stack = &report["stacks"][0];
    assert_eq!(
        (&stack["identity"]["is_withdrawn"], &stack["library"]["version"]),
        (&Value::from(true), &Value::from("0.23.30"))
    );
    assert!(report["notes"].to_string().contains("withdrawn (yanked)"), "{}", report["notes"]);
}
