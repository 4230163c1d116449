//! A library without TLS, its own folder for the lab, and a driver with only primitives: the subject of forge
//! tests.

mod support;

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::stdout;
use tlslab_testing::variant_files;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/forge").join(name)
}

/// The lab's command in the library's folder for the lab.
fn tlslab(verb: &str, out: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    command.arg("--root").arg(folder("lab")).args([verb, "--suite", "tiny", "--metric", "count"]);
    command.args(["--format", "json", "--out"]).arg(out);
    command
}

#[test]
fn a_driver_with_primitives_alone_counts_every_scenario_of_its_suite() {
    let out = tempfile::tempdir().unwrap();
    let results: Value = serde_json::from_str(&stdout(&tlslab("run", out.path()).output().unwrap())).unwrap();
    let counts: Vec<f64> = (results["exact"].as_array().unwrap().iter())
        .filter(|cell| cell["metric"] == "count.instructions")
        .map(|cell| cell["estimate"].as_f64().unwrap_or_else(|| panic!("{cell:#}")))
        .collect();
    assert_eq!(counts.len(), 3, "{results:#}");
    assert!(counts.iter().all(|count| *count > 1000.0), "{counts:?}");
}

#[test]
fn its_commits_are_compared() {
    let place = tempfile::tempdir().unwrap();
    let repository = place.path().join("tiny");
    let copied = Command::new("cp").arg("-r").args([&folder("tiny"), &repository]).status().unwrap();
    assert!(copied.success());
    let base = commit(&repository);
    for (path, text) in variant_files("regression") {
        std::fs::write(repository.join(path), text).unwrap();
    }
    let new = commit(&repository);
    let stack = |revision: &str| format!("tiny@git:{}#{revision}", repository.display());
    let mut compare = tlslab("compare", &place.path().join("results"));
    let output = compare.args([stack(&base), stack(&new)]).output().unwrap();
    let compared: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let verdicts: Vec<&Value> =
        compared["changes"].as_array().unwrap().iter().map(|change| &change["verdict"]).collect();
    assert_eq!(verdicts, ["regression"; 3], "{compared:#}");
}

/// Commits all files of a folder, which becomes a repository if needed.
fn commit(folder: &Path) -> String {
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(folder).args(["-c", "user.name=test", "-c", "user.email=test@localhost"]);
        stdout(&git.args(arguments).output().unwrap())
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "a state"]);
    git(&["rev-parse", "HEAD"]).trim().to_owned()
}
