//! The stacks' claims: each is tried and is in the committed table, and every "no" has a reason.

mod support;

use support::{stdout, tlslab};

const TABLE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/recorded/capabilities.json");

/// By the table's names.
const STACKS: [&str; 3] = ["bertie", "openssl@3.5.5", "rustls/ring"];

#[test]
fn the_committed_table_is_what_drivers_say() {
    for stack in STACKS {
        support::driver(stack);
    }
    assert_not_drifted(&STACKS.map(str::to_owned));
    assert_not_drifted(&["openssl".to_owned(), "bertie".to_owned()]);
}

#[test]
fn a_check_that_compares_nothing_is_an_error() {
    let cache = tempfile::tempdir().unwrap();
    let mut check = tlslab();
    check.args(["stacks", "openssl", "--capabilities", "--check", TABLE]).arg("--cache").arg(cache.path());
    let output = check.output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let error = String::from_utf8(output.stderr).unwrap();
    assert!(error.contains("no stack is built, so there is nothing to compare"), "{error}");
}

#[test]
fn every_claim_is_tried() {
    assert_conforms(&STACKS.map(str::to_owned));
}

#[test]
#[ignore = "builds every stack there is, which takes long: `make test-all`"]
fn every_stack_conforms_and_is_in_the_table() {
    // A stack that cannot be built is a failure here.
    let built = stdout(&tlslab().args(["build", "--all-stacks"]).output().unwrap());
    let stacks: Vec<String> =
        built.lines().filter_map(|line| Some(line.split_once(": ")?.0.to_owned())).collect();
    assert!(stacks.len() > 20, "{built}");
    assert_not_drifted(&stacks);
    assert_conforms(&stacks);
}

fn assert_not_drifted(stacks: &[String]) {
    let output = tlslab().args(["stacks", "--capabilities", "--check", TABLE]).args(stacks).output().unwrap();
    assert!(stdout(&output).contains(&format!("{} stacks compared, 0 differences", stacks.len())));
}

fn assert_conforms(stacks: &[String]) {
    let out = tempfile::tempdir().unwrap();
    let chosen = stacks.iter().flat_map(|stack| ["--stack", stack]);
    let mut run = tlslab();
    run.args(["run", "--suite", "conformance", "--format", "csv", "--out", out.path().to_str().unwrap()]);
    let cells = stdout(&run.args(chosen).output().unwrap());
    for stack in stacks {
        assert!(cells.contains(stack.as_str()), "{stack} takes no part");
    }
}
