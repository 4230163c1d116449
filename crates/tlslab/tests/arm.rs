//! Drivers and kit on 64-bit ARM, run by an emulator: whether they are correct there. `make test-arm`.

mod support;

use support::{stdout, tlslab};

/// One for each way of building a driver, and every library whose recipe supports another processor.
const STACKS: [&str; 8] = [
    "rustls/ring+aarch64",
    "openssl+aarch64",
    "mbedtls+aarch64",
    "wolfssl+aarch64",
    "botan+aarch64",
    "gnutls+aarch64",
    "s2n-tls+aarch64",
    "bertie+aarch64",
];

#[test]
#[ignore = "needs a compiler and an emulator for ARM, and builds eight stacks: `make test-arm`"]
fn every_claim_holds_on_arm() {
    let chosen = std::env::var("TLSLAB_ARM").unwrap_or_default();
    let is_chosen = |stack: &str| {
        chosen.is_empty() || chosen.split_whitespace().any(|name| stack == format!("{name}+aarch64"))
    };
    let stacks: Vec<&str> = STACKS.into_iter().filter(|stack| is_chosen(stack)).collect();
    assert!(!stacks.is_empty(), "none of {STACKS:?} is in TLSLAB_ARM={chosen}");
    for stack in stacks {
        let out = tempfile::tempdir().unwrap();
        let mut run = tlslab();
        run.args(["run", "--suite", "conformance", "--stack", stack, "--format", "csv", "--out"]);
        let cells = stdout(&run.arg(out.path()).output().unwrap());
        let of_stack = cells.lines().filter(|line| line.contains(stack)).count();
        println!("{stack}: {of_stack} rows");
        assert!(of_stack > 50, "{stack} takes no part: {cells}");
    }
}
