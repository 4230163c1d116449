//! Sharing between threads of real stacks: equal in each run, for any number of threads.

mod support;

use serde_json::Value;
use support::stdout;
use tlslab_contention::{Contention, Held, Owner, Step};

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const TRANSFER: &str = "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm";

fn printed(stack: &str, scenario: &str, more: &[&str]) -> String {
    let mut command = support::tlslab();
    command.args(["contention", "--stack", stack, "--scenario", scenario]).args(more);
    stdout(&command.output().unwrap())
}

fn noted(stack: &str, scenario: &str, threads: &str, connections: &str) -> Contention {
    let more = ["--threads", threads, "--connections", connections, "--format", "json"];
    serde_json::from_str(&printed(stack, scenario, &more)).unwrap()
}

/// Atomic operations of both sides on contended lines, and instructions under locks, per connection.
fn each(found: &Contention) -> [f64; 3] {
    let connections = found.connections as f64;
    let [client, server]: [Step; 2] = ["client", "server"].map(|side| found.side(side));
    [client.library.atomics, server.library.atomics, client.serial_instructions + server.serial_instructions]
        .map(|value| value as f64 / connections)
}

#[test]
fn a_handshake_shares_the_same_in_each_run_and_with_more_threads() {
    for (stack, servers) in [("rustls/ring", 1.0..40.0), ("openssl", 200.0..2000.0)] {
        let two = noted(stack, HANDSHAKE, "2", "8");
        assert_eq!(two, noted(stack, HANDSHAKE, "2", "8"), "{stack}");
        let [_, server, _] = each(&two);
        assert!(servers.contains(&server), "{stack}: {server}");
        assert_eq!(each(&two), each(&noted(stack, HANDSHAKE, "4", "16")), "{stack}: with four threads");
        assert!(
            two.lines.iter().any(|line| matches!(line.owner, Owner::Heap { .. })),
            "{stack}: {:?}",
            two.lines
        );
    }
}

#[test]
fn records_of_rustls_are_written_and_read_without_sharing() {
    let found = noted("rustls/ring", TRANSFER, "2", "8");
    assert_eq!(each(&found), [0.0; 3]);
    assert!(found.locks.iter().all(|lock| lock.in_all() == Held::default()));
}

#[test]
fn a_reader_sees_the_hottest_line_with_its_functions() {
    let said = printed("openssl", HANDSHAKE, &["--top", "1"]);
    assert!(said.contains("contended atomic operations") && said.contains("EVP_MD_up_ref < "), "{said}");
    let mut command = support::tlslab();
    command.args(["contention", "--stack", "openssl", "--scenario", "primitive/hash/sha-256/1KiB"]);
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(error.contains("a primitive has no connections"), "{error}");
    assert_eq!(output.status.code(), Some(2), "{error}");
}

/// The figures of a cell in `results.json`: client and server.
fn figures(report: &Value, stack: &str, metric: &str) -> Vec<f64> {
    let cells = report["exact"].as_array().unwrap().iter();
    let of_stack = cells.filter(|cell| cell["stack"] == stack && cell["metric"] == metric);
    of_stack.map(|cell| cell["estimate"].as_f64().unwrap_or_else(|| panic!("{cell}"))).collect()
}

#[test]
fn a_run_has_the_figures_that_the_verb_prints_and_a_comparison_names_what_differs() {
    let own = tempfile::tempdir().unwrap();
    let out = own.path().join("out");
    let lab = |arguments: &[&str]| {
        let mut command = support::tlslab();
        command.current_dir(own.path()).args(arguments).args([
            "--scenario",
            HANDSHAKE,
            "--metric",
            "contention",
        ]);
        command.arg("--out").arg(&out);
        command.output().unwrap()
    };
    let report = stdout(&lab(&["run", "--stack", "rustls/ring", "--stack", "mbedtls", "--format", "json"]));
    let report: Value = serde_json::from_str(&report).unwrap();
    let found = noted("rustls/ring", HANDSHAKE, "2", "8");
    let [client, server, _] = each(&found);
    assert_eq!(figures(&report, "rustls/ring", "contention.atomics"), [client, server]);
    assert_eq!(figures(&report, "rustls/ring", "contention.serial"), [0.0, 0.0]);
    let exact = report["exact"].as_array().unwrap();
    let of_mbedtls = exact.iter().find(|cell| cell["stack"] == "mbedtls").unwrap();
    assert!(of_mbedtls["unsupported"].as_str().is_some_and(|why| !why.is_empty()), "{of_mbedtls}");

    let output = lab(&["compare", "rustls/ring", "rustls/aws-lc-rs", "--format", "json"]);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let comparison: Value = serde_json::from_slice(&output.stdout).unwrap();
    let changes = comparison["changes"].as_array().unwrap();
    let of_server = |metric: &str| {
        changes.iter().find(|change| change["metric"] == metric && change["side"] == "server").unwrap()
    };
    let atomics = of_server("contention.atomics");
    assert_eq!((atomics["verdict"].as_str(), atomics["base"].as_f64()), (Some("regression"), Some(server)));
    let reasons = atomics["reasons"].as_array().unwrap();
    let is_more = |reason: &Value| reason["change"].as_f64() > Some(0.0);
    assert!(reasons.iter().any(is_more), "{atomics}");
    let is_lock_function = |reason: &Value| {
        let function = reason["function"].as_str().unwrap();
        function.starts_with("pthread_") || function.starts_with("CRYPTO_STATIC_MUTEX")
    };
    assert!(!reasons.iter().any(is_lock_function), "callers say more: {atomics}");
    let page = out.join(comparison["runs"][0].as_str().unwrap()).join("comparison.html");
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("rustls/ring is lower than rustls/aws-lc-rs in 2 of 4 cells"), "{page}");
    assert_eq!(of_server("contention.serial")["verdict"], "not_significant");
}

#[test]
fn each_thread_has_a_turn_and_contexts_of_its_own_are_refused() {
    let one = noted("rustls/ring", HANDSHAKE, "2", "1");
    assert_eq!((one.connections, each(&one)), (2, each(&noted("rustls/ring", HANDSHAKE, "2", "8"))));
    let mut command = support::tlslab();
    let private = "threads/2/private/1.3/ticket/ecdsa-p256/x25519/aes-128-gcm";
    command.args(["contention", "--stack", "rustls/ring", "--scenario", private]);
    let output = command.output().unwrap();
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && error.contains("contexts of their own"), "{error}");
}

#[test]
fn threads_are_timed_against_processes_beside_what_they_contend_for() {
    let scaling = |more: &[&str]| {
        let mut command = support::tlslab();
        command.args(["scaling", "--stack", "rustls/ring", "--stack", "mbedtls", "--format", "json"]);
        command.args(["--scenario", HANDSHAKE, "--point", "1s"]).args(more).output().unwrap()
    };
    let output = scaling(&["--threads", "64"]);
    let error = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{error}");
    assert!(error.contains("the lab may use") && error.contains("name at most so many"), "{error}");
    let output = scaling(&[]);
    let error = String::from_utf8_lossy(&output.stderr);
    if std::thread::available_parallelism().unwrap().get() < 2 {
        assert_eq!(output.status.code(), Some(2), "{error}");
        return;
    }
    assert_eq!(output.status.code(), Some(3), "mbedtls has no threads: {error}");
    let table: Value = serde_json::from_slice(&output.stdout).unwrap();
    let [rustls, mbedtls] = &table["stacks"].as_array().unwrap()[..] else { panic!("{table}") };
    assert!(mbedtls["failed"].as_str().is_some_and(|why| why.contains("thread")), "{mbedtls}");
    let found = &rustls["found"];
    let ratio = &found["threads_over_processes"];
    let bounds = ["lower", "value", "upper"].map(|name| ratio[name].as_f64().unwrap());
    assert!(bounds.is_sorted() && bounds[0] > 0.0 && ratio["n"] == 9, "{ratio}");
    let [_, server, _] = each(&noted("rustls/ring", HANDSHAKE, "2", "8"));
    let sides = found["sides"].as_array().unwrap();
    assert_eq!(sides[1]["side"], "server");
    assert_eq!(sides[1]["limits"]["contended_writes"].as_f64(), Some(server));
    // The ceiling follows from the hottest line; nothing is serial.
    let (move_ns, ceilings) = (table["move_ns"].as_f64().unwrap(), &sides[1]["ceilings"]);
    let hottest = sides[1]["limits"]["hottest_writes"].as_f64().unwrap();
    let line_per_s = ceilings["line_per_s"].as_f64().unwrap();
    assert!((line_per_s * hottest * move_ns / 1e9 - 1.0).abs() < 1e-9, "{ceilings}");
    assert!(ceilings["serial_per_s"].is_null());
}
