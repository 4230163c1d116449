//! Short connections of real stacks: their steps, their alerts, and what a driver without a close says.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use support::stdout;

const FULL: &str = "request/1.3/full/ecdsa-p256/x25519/aes-128-gcm/none";
const RESUMED: &str = "request/1.2/ticket/ecdsa-p256/x25519/aes-128-gcm/none";
const SOCKETS: &str = "sockets/request/1.3/full/ecdsa-p256/x25519/aes-128-gcm/none";
/// The parts of which `tlslab choose` makes a connection.
const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const WRITE: &str = "transfer/1.3/aes-128-gcm/server-sends/16KiB/warm";
const CLOSES: [&str; 2] = ["openssl", "rustls/ring"];

fn run(own: &Path, arguments: &[&str]) -> Value {
    let mut command = support::tlslab();
    command.current_dir(own).args(["run", "--format", "json", "--out", "out"]).args(arguments);
    serde_json::from_str(&stdout(&command.output().unwrap())).unwrap()
}

/// (scenario, stack, side, metric) → the cell.
fn cells<'r>(report: &'r Value, list: &str) -> BTreeMap<[&'r str; 4], &'r Value> {
    let key =
        |cell: &'r Value| ["scenario", "stack", "side", "metric"].map(|key| cell[key].as_str().unwrap());
    report[list].as_array().unwrap().iter().map(|cell| (key(cell), cell)).collect()
}

#[test]
fn each_step_of_a_short_connection_has_its_time_and_its_bytes() {
    let own = tempfile::tempdir().unwrap();
    let scenarios = [FULL, RESUMED, SOCKETS];
    let mut arguments = vec!["--metric", "time,wire", "--budget", "6s", "--rounds", "8"];
    arguments.extend(CLOSES.iter().chain(&["bertie"]).flat_map(|stack| ["--stack", stack]));
    arguments.extend(scenarios.iter().flat_map(|scenario| ["--scenario", scenario]));
    let report = run(own.path(), &arguments);
    let (times, sent) = (cells(&report, "cells"), cells(&report, "exact"));
    for scenario in scenarios {
        for (stack, side) in CLOSES.iter().flat_map(|stack| ["client", "server"].map(|side| (*stack, side))) {
            let time = |metric: &str| {
                let cell = times.get(&[scenario, stack, side, metric]);
                cell.map(|cell| cell["estimate"].as_f64().unwrap_or_else(|| panic!("{cell}")))
            };
            let steps = ["create", "handshake", "post_handshake", "send", "receive", "close", "free"];
            let known: Vec<&str> =
                steps.into_iter().filter(|step| time(&format!("time.{step}")).is_some()).collect();
            for step in ["create", "handshake", "send", "receive", "close", "free"] {
                assert!(known.contains(&step), "{scenario}, {stack}, {side}: {step} of {known:?}");
            }
            let sum: f64 = known.iter().filter_map(|step| time(&format!("time.{step}"))).sum();
            let whole = time("time").unwrap();
            // Each is a median of its own.
            assert!((sum / whole - 1.0).abs() < 0.2, "{scenario}, {stack}, {side}: {sum} of {whole}");
            let bytes = |metric: &str| sent[&[scenario, stack, side, metric]]["estimate"].as_f64().unwrap();
            // Header, level and description, tag; the content's type, or 8 bytes of the nonce.
            let (alert, more) = if scenario == RESUMED { (31.0, 29.0) } else { (24.0, 22.0) };
            assert_eq!(bytes("wire.close"), alert, "{scenario}, {stack}, {side}");
            let plaintext = if side == "client" { 200.0 } else { 8192.0 };
            assert_eq!(bytes("wire.data"), plaintext + more, "{scenario}, {stack}, {side}");
            assert!(bytes("wire.total") > bytes("wire.data") + alert + bytes("wire.flight.1") - 1.0);
        }
    }
    let hole = times[&[FULL, "bertie", "server", "time"]]["unsupported"].as_str().unwrap();
    assert_eq!(hole, "Bertie gives its user no closing alert");
}

#[test]
fn counts_of_short_connections_repeat() {
    let own = tempfile::tempdir().unwrap();
    let mut arguments = vec!["--metric", "count,heap", "--seed", "7"];
    arguments.extend(CLOSES.iter().flat_map(|stack| ["--stack", stack]));
    arguments.extend([FULL, RESUMED, HANDSHAKE, WRITE].iter().flat_map(|scenario| ["--scenario", scenario]));
    let (first, second) = (run(own.path(), &arguments), run(own.path(), &arguments));
    let (first, second) = (cells(&first, "exact"), cells(&second, "exact"));
    for scenario in [FULL, RESUMED] {
        for (stack, side) in CLOSES.iter().flat_map(|stack| ["client", "server"].map(|side| (*stack, side))) {
            let value = |of: &BTreeMap<[&str; 4], &Value>, metric: &str| {
                let cell = of[&[scenario, stack, side, metric]];
                cell["estimate"].as_f64().unwrap_or_else(|| panic!("{metric}: {cell}"))
            };
            for metric in ["count.instructions", "count.instructions.close", "heap.peak"] {
                let both = [&first, &second].map(|of| value(of, metric));
                assert_eq!(both[0], both[1], "{scenario}, {stack}, {side}: {metric}");
                assert!(both[0] > 0.0, "{scenario}, {stack}, {side}: {metric}");
            }
            let steps = ["create", "handshake", "post_handshake", "send", "receive", "close", "free"];
            let sum: f64 = steps
                .iter()
                .filter_map(|step| {
                    let metric = format!("count.instructions.{step}");
                    first.get(&[scenario, stack, side, metric.as_str()])?["estimate"].as_f64()
                })
                .sum();
            let whole = value(&first, "count.instructions");
            assert!((sum - whole).abs() <= 1.0, "{scenario}, {stack}, {side}: {sum} of {whole}");
        }
    }
    for stack in CLOSES {
        let server = |scenario: &str| {
            let cell = first[&[scenario, stack, "server", "count.instructions"]];
            cell["estimate"].as_f64().unwrap_or_else(|| panic!("{cell}"))
        };
        // 8 KiB are half of a write of 16 KiB.
        let parts = server(HANDSHAKE) + server(WRITE) / 2.0;
        let share = parts / server(FULL);
        assert!((0.98..1.0).contains(&share), "{stack}: the parts are {share} of a short connection");
    }
}
