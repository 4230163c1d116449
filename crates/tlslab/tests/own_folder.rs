//! The example of a folder of one's own: its recipes, drivers, scenarios and suite work together with the
//! lab's.

mod support;

use std::process::Command;

use support::stdout;

#[test]
fn a_driver_in_rust_and_scenarios_of_ones_own() {
    assert_works("rust-openssl", 4);
}

#[test]
#[ignore = "needs autoconf and its friends: `make test-all`"]
fn a_driver_in_c_of_ones_own() {
    // Two of its four handshakes have a group that libtls cannot name.
    assert_works("libretls", 2);
}

/// Runs the folder's family of scenarios on one of its stacks and one of the lab's.
fn assert_works(stack: &str, values: usize) {
    let out = tempfile::tempdir().unwrap();
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/own-stacks");
    let mut run = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    // Without --root: the folder is found like a user's, from where the command is called.
    run.current_dir(folder).args(["run", "--scenario", "site/**", "--stack", stack, "--stack", "openssl"]);
    run.args(["--budget", "4s", "--rounds", "2", "--format", "csv", "--out", out.path().to_str().unwrap()]);
    let cells = stdout(&run.output().unwrap());
    let row = |line: &&str| line.split(',').nth(1) == Some(stack) && line.split(',').nth(3) == Some("time");
    let with_value = |line: &&str| line.split(',').nth(6).is_some_and(|value| value.parse::<f64>().is_ok());
    let clients = cells.lines().filter(row).filter(|line| line.split(',').nth(2) == Some("client"));
    assert_eq!(clients.filter(with_value).count(), values, "{cells}");
}
