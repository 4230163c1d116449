//! The order of labels that are not releases: commits as they were measured, builds by their numbers.

mod support;

use std::path::Path;

use support::{stdout, tlslab};

/// Imports one count under a label.
fn import(folder: &Path, nth: usize, label: &str, value: u64) {
    let file = folder.join("metrics.json");
    let text = format!(r#"{{"handshake": {{"instructions": {{"value": {value}}}}}}}"#);
    std::fs::write(&file, text).unwrap();
    let time = format!("2026-01-{:02}T00:00:00Z", nth + 1);
    let mut command = tlslab();
    command.current_dir(folder).args(["import", "metrics.json", "--format", "bencher", "--stack", "mini"]);
    stdout(&command.args(["--label", label, "--time", &time]).output().unwrap());
}

fn by_version(folder: &Path) -> String {
    let mut command = tlslab();
    let words = ["history", "--by-version", "--format", "json", "--metric", "*"];
    stdout(&command.current_dir(folder).args(words).output().unwrap())
}

fn labels(folder: &Path) -> Vec<String> {
    let all: serde_json::Value = serde_json::from_str(&by_version(folder)).unwrap();
    let points = all["timelines"][0]["points"].as_array().unwrap();
    points.iter().map(|point| point["label"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn commits_are_in_the_order_of_their_runs_and_builds_in_that_of_their_numbers() {
    let folder = tempfile::tempdir().unwrap();
    let commits = ["fbd8a0e5ff78", "d41e3e8aaaaa", "7c1157d00000"];
    for (nth, commit) in commits.iter().enumerate() {
        import(folder.path(), nth, commit, 1_000_000 + 6_700 * nth as u64);
    }
    assert_eq!(labels(folder.path()), commits);
    let folder = tempfile::tempdir().unwrap();
    // Measured in another order.
    let builds = ["r10", "r9", "r24", "r1"];
    for (nth, build) in builds.iter().enumerate() {
        import(folder.path(), nth, build, 1_000_000);
    }
    assert_eq!(labels(folder.path()), ["r1", "r9", "r10", "r24"]);
}
