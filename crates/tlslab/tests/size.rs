//! Sizes of real stacks, against the output of `nm` and `size` for their drivers.

mod support;

use std::path::Path;
use std::process::Command;

use serde_json::Value;
use support::{driver, stdout};

fn lab(own: &Path, arguments: &[&str]) -> String {
    let mut command = support::tlslab();
    command.current_dir(own).args(arguments).args(["--metric", "size", "--out"]).arg(own.join("out"));
    stdout(&command.output().unwrap())
}

fn listed(program: &str, arguments: &[&str], file: &Path) -> Vec<Vec<String>> {
    let output = Command::new(program).args(arguments).arg(file).output().unwrap();
    stdout(&output).lines().map(|line| line.split_whitespace().map(str::to_owned).collect()).collect()
}

/// The total of `nm` for all functions whose names are not Rust's: in a driver in C nearly all are the
/// library's.
fn functions_of_c(driver: &Path) -> u64 {
    let mut rows = listed("nm", &["-S", "--defined-only"], driver);
    rows.retain(|row| row.len() == 4 && ["t", "T", "W", "w"].contains(&&*row[2]));
    rows.retain(|row| !["_ZN", "_R", "__rust", "tlslab_"].iter().any(|start| row[3].starts_with(start)));
    rows.sort();
    rows.dedup_by_key(|row| row[0].clone());
    rows.iter().map(|row| u64::from_str_radix(&row[1], 16).unwrap()).sum()
}

fn section(driver: &Path, name: &str) -> u64 {
    let rows = listed("size", &["-A"], driver);
    rows.iter().find(|row| row.first().is_some_and(|first| first == name)).unwrap()[1].parse().unwrap()
}

#[test]
fn one_command_says_which_binary_is_small() {
    let own = tempfile::tempdir().unwrap();
    let stacks = ["--stack", "openssl", "--stack", "rustls/ring"];
    let said = lab(own.path(), &[&["run"], &stacks[..]].concat());
    let table = &said[said.find("Size of the library, bytes").expect("a table")..];
    assert!(table.find("rustls/ring") < table.find("openssl"), "the smallest first: {table}");

    let report: Value =
        serde_json::from_str(&lab(own.path(), &[&["run", "--format", "json"], &stacks[..]].concat()))
            .unwrap();
    let sizes = report["sizes"].as_array().unwrap();
    let bytes = |at: usize, part: &str| sizes[at][part]["bytes"].as_u64().unwrap();
    assert_eq!(
        (sizes[0]["stack"].as_str(), sizes[1]["stack"].as_str()),
        (Some("openssl"), Some("rustls/ring"))
    );
    assert!(sizes[0]["shared"]["unsupported"].as_str().is_some_and(|why| why.contains("static")));
    assert!(
        report["cells"].as_array().unwrap().is_empty() && report["scenarios"].as_array().unwrap().is_empty()
    );

    let openssl = driver("openssl");
    let of_nm = functions_of_c(&openssl) as f64;
    let difference = bytes(0, "text") as f64 / of_nm - 1.0;
    assert!(difference.abs() < 0.02, "{difference:+.4} of {of_nm} bytes");
    for (at, program) in [openssl, driver("rustls/ring")].iter().enumerate() {
        assert!((100_000..section(program, ".text")).contains(&bytes(at, "text")));
        let data = [".rodata", ".data.rel.ro", ".data"].map(|name| section(program, name)).iter().sum();
        assert!((10_000..data).contains(&bytes(at, "data")));
    }
}

#[test]
fn two_versions_have_verdicts_and_a_history() {
    let own = tempfile::tempdir().unwrap();
    let comparison = lab(own.path(), &["compare", "rustls/ring", "openssl", "--format", "json"]);
    let comparison: Value = serde_json::from_str(&comparison).unwrap();
    let changes = comparison["changes"].as_array().unwrap();
    let found: Vec<_> =
        changes.iter().map(|change| (change["metric"].as_str(), change["verdict"].as_str())).collect();
    assert_eq!(found, [(Some("size.text"), Some("regression")), (Some("size.data"), Some("regression"))]);
    let mut history = support::tlslab();
    history.args(["history", "--metric", "size.text", "--out"]).arg(own.path().join("out"));
    let history = stdout(&history.output().unwrap());
    assert!(history.contains("library rustls/ring size.text [bytes]"), "{history}");
}
