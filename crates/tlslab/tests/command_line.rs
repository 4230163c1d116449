//! Errors of the command line, and lists.

mod support;

use std::fs;
use std::process::Output;

use serde_json::Value;
use support::{stdout, tlslab};

fn failure(args: &[&str]) -> (i32, String) {
    let Output { status, stderr, .. } = tlslab().args(args).output().unwrap();
    (status.code().unwrap(), String::from_utf8(stderr).unwrap())
}

#[test]
fn the_help_lists_the_verbs_and_the_exit_codes() {
    insta::assert_snapshot!(stdout(&tlslab().arg("--help").env("COLUMNS", "100").output().unwrap()));
}

#[test]
fn a_wrong_command_line_exits_with_2() {
    assert_eq!(failure(&["run", "--budget", "5d"]).0, 2);
    assert_eq!(failure(&["run", "--resume", "--seed", "1"]).0, 2);
    assert_eq!(failure(&["measure"]).0, 2);
}

#[test]
fn without_a_verb_the_help_is_printed_as_an_error() {
    let help = stdout(&tlslab().arg("--help").output().unwrap());
    let usage = |text: &str| text.lines().find(|line| line.starts_with("Usage:")).map(str::to_owned);
    // Also where the environment sets an option.
    for cache in [None, Some("cache")] {
        let mut program = tlslab();
        match cache {
            Some(cache) => program.env("TLSLAB_CACHE", cache),
            None => program.env_remove("TLSLAB_CACHE"),
        };
        let Output { status, stdout, stderr } = program.output().unwrap();
        let text = String::from_utf8(stderr).unwrap();
        assert_eq!((status.code(), stdout.len()), (Some(2), 0), "{text}");
        assert!(text.contains("\nMeasure:\n  run ") && text.contains("\n  run-all "), "{text}");
        assert_eq!(usage(&text), usage(&help));
    }
}

#[test]
fn counts_rank_no_libraries() {
    let refused = |args: &[&str]| {
        let (code, text) = failure(&[&["choose", "--by", "instructions"], args].concat());
        assert_eq!(code, 2, "{text}");
        assert!(
            text.contains("--by: openssl, wolfssl: ") && text.contains("do not rank libraries"),
            "{text}"
        );
        assert!(text.contains("rank them by time, `tlslab choose"), "{text}");
    };
    refused(&["--stack", "openssl@3.5.5+lto", "--stack", "wolfssl"]);
    refused(&["--no-measuring", "--stack", "wolfssl", "--stack", "mine=openssl"]);
}

#[test]
fn the_recorded_times_rank_what_protects_something() {
    const TIMES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recorded/times.sqlite.zst");
    let asked = ["choose", "--recorded", TIMES, "--profile", "post-quantum", "--format", "json"];
    let chosen: Value = serde_json::from_str(&stdout(&tlslab().args(asked).output().unwrap())).unwrap();
    let names = |list: &str| -> Vec<String> {
        let all = chosen[list].as_array().unwrap().iter();
        all.map(|one| one["stack"].as_str().unwrap().to_owned()).collect()
    };
    let is_bare = |name: &String| name.starts_with("rustls/free ");
    assert!(names("ranked").len() > 15, "{chosen}");
    assert!(!names("ranked").iter().any(is_bare) && names("excluded").iter().any(is_bare), "{chosen}");
}

#[test]
fn what_does_not_exist_is_named_with_what_does() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let said = |args: &[&str]| {
        let (code, text) = failure(&[args, &["--out", out]].concat());
        assert_eq!(code, 2);
        text
    };
    let no_suite = said(&["run", "--suite", "fast"]);
    assert!(
        no_suite.starts_with("tlslab: no suite is called \"fast\"; `tlslab scenarios --root "),
        "{no_suite}"
    );
    let no_scenario = said(&["run", "--scenario", "handshake/1.1/*"]);
    assert!(
        no_scenario.starts_with("tlslab: no scenario matches \"handshake/1.1/*\"; did you mean handshake/1."),
        "{no_scenario}"
    );
    let no_stack = said(&["run", "--stack", "openssh"]);
    assert!(
        no_stack.starts_with("tlslab: no stack is called \"openssh\"; did you mean openssl? "),
        "{no_stack}"
    );
    insta::assert_snapshot!(
        said(&["run", "--stack", "bertie@git:main"]),
        @r#"tlslab: stack "bertie@git:main": a git source ends with # and a commit, tag or branch; write NAME[@VERSION][@SOURCE][+VARIANT]...[,PACKAGE=VERSION or SOURCE]..., with SOURCE one of path:DIR, git:URL#REVISION, git:#REVISION, archive:FILE#SHA256, patch:FILE, system"#
    );
    let no_version = said(&["run", "--stack", "openssl@0.9.8"]);
    assert!(
        no_version.starts_with("tlslab: openssl has no version 0.9.8; near it are 1.1.1, 1.1.1a; "),
        "{no_version}"
    );
    insta::assert_snapshot!(
        said(&["run", "--stack", "bertie", "--stack", "bertie"]),
        @r#"tlslab: --stack: bertie: two stacks of this run are called "bertie"; give one another name: NAME=bertie"#
    );
    insta::assert_snapshot!(
        said(&["run", "--stack", "bertie", "--baseline", "openssl"]),
        @r#"tlslab: --baseline: openssl: it does not take part; add it to the stacks"#
    );
    let said = said(&["run", "--resume"]);
    assert!(said.contains(": no run in it was interrupted on this host"), "{said}");
}

#[test]
fn the_error_of_a_broken_file_names_it() {
    let tree = tempfile::tempdir().unwrap();
    fs::create_dir_all(tree.path().join("stacks")).unwrap();
    fs::create_dir_all(tree.path().join("scenarios")).unwrap();
    fs::write(tree.path().join("tlslab.toml"), "[run]\nsuite = 7\n").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_tlslab"))
        .args(["scenarios", "--root", tree.path().to_str().unwrap()])
        .output()
        .unwrap();
    let text = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(text.contains("tlslab.toml") && text.contains("line 2"), "{text}");
}

#[test]
fn the_committed_schemas_are_the_ones_that_are_printed() {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    for (which, file) in [
        ("protocol", "docs/protocol/protocol.schema.json"),
        ("results", "crates/estimate/results.schema.json"),
    ] {
        let printed = stdout(&tlslab().args(["schema", which]).output().unwrap());
        assert_eq!(printed, fs::read_to_string(format!("{root}/{file}")).unwrap(), "{file}");
    }
}

#[test]
fn a_reader_that_has_enough_is_no_error() {
    let mut scenarios = support::tlslab();
    scenarios.arg("scenarios").stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let mut child = scenarios.spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!error.contains("panicked"), "{error}");
    assert_eq!(output.status.code(), Some(141));
}
