//! Memory on real stacks: two runs agree to the byte, and the system agrees with the count.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use support::own_folder::{FEW_IDLE, lab_in, own_folder};
use support::stdout;

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

/// A run's memory by stack, scenario, side and metric.
fn weighed(out: &Path, own: &Path, scenarios: &[&str]) -> BTreeMap<[String; 4], Value> {
    let mut command = lab_in(own);
    command.args(["run", "--metric", "heap", "--format", "json"]).arg("--out").arg(out);
    command.args(["--stack", "openssl", "--stack", "rustls/ring"]);
    for scenario in scenarios {
        command.args(["--scenario", scenario]);
    }
    let results: Value = serde_json::from_str(&stdout(&command.output().unwrap())).unwrap();
    assert!(results["cells"].as_array().unwrap().is_empty(), "nothing was to be timed");
    let cells = results["exact"].as_array().unwrap().iter().map(|cell| {
        let key = ["stack", "scenario", "side", "metric"].map(|key| cell[key].as_str().unwrap().to_owned());
        (key, cell.clone())
    });
    cells.collect()
}

#[test]
fn two_runs_weigh_the_same_to_the_byte() {
    let (folder, own) = (tempfile::tempdir().unwrap(), own_folder(&[FEW_IDLE]));
    let scenarios = [
        HANDSHAKE,
        "resumption/1.3/ticket/ecdsa-p256/x25519/aes-128-gcm/none",
        "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm",
    ];
    let one = weighed(&folder.path().join("one"), own.path(), &scenarios);
    let other = weighed(&folder.path().join("other"), own.path(), &scenarios);
    assert_eq!(one, other);
    assert!(one.values().all(|cell| cell["repeatable"] == true), "{one:#?}");
    for stack in ["openssl", "rustls/ring"] {
        for side in ["client", "server"] {
            let value = |metric: &str| {
                let key = [stack, HANDSHAKE, side, metric].map(str::to_owned);
                one[&key]["estimate"].as_f64().unwrap_or_else(|| panic!("{key:?}: {:?}", one[&key]))
            };
            // For every library, buffers and keys take kilobytes, and everything is freed again.
            assert!((2_000.0..400_000.0).contains(&value("heap.held")), "{stack} {side}");
            assert!(value("heap.peak") >= value("heap.held"), "{stack} {side}");
            assert!(value("heap.allocated") >= value("heap.peak"), "{stack} {side}");
            assert!((10.0..10_000.0).contains(&value("heap.allocations")), "{stack} {side}");
            assert!((1_000.0..400_000.0).contains(&value("stack")), "{stack} {side}");
            assert_eq!(value("heap.left"), 0.0, "{stack} {side}");
        }
    }
}

#[test]
fn what_an_idle_connection_takes_is_what_the_process_grows_by() {
    let (folder, own) = (tempfile::tempdir().unwrap(), own_folder(&[FEW_IDLE]));
    let cells = weighed(folder.path(), own.path(), &["few/1000"]);
    for stack in ["openssl", "rustls/ring"] {
        for side in ["client", "server"] {
            let value = |metric: &str| {
                let key = [stack, "few/1000", side, metric].map(str::to_owned);
                cells[&key]["estimate"].as_f64().unwrap_or_else(|| panic!("{key:?}: {:?}", cells[&key]))
            };
            assert!(value("idle.room") >= value("idle.heap"), "{stack} {side}");
            // For a thousand connections, partly used pages and the kit's own lists are a few per cent.
            let percent = value("idle.resident_over_room");
            assert!((90.0..112.0).contains(&percent), "{stack} {side}: {percent} %");
        }
    }
}

#[test]
fn idle_connections_are_not_timed() {
    let (folder, own) = (tempfile::tempdir().unwrap(), own_folder(&[FEW_IDLE]));
    let mut command = lab_in(own.path());
    command.args(["run", "--stack", "openssl", "--scenario", "few/1000"]);
    let output = command.arg("--out").arg(folder.path()).output().unwrap();
    assert!(!output.status.success());
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("few/1000: idle connections are not timed; add heap to the metrics"), "{said}");
}
