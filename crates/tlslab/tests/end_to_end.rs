//! One small run on real stacks, from the command line to the files it leaves.

mod support;

use serde_json::Value;
use support::{stdout, tlslab};

#[test]
fn a_run_measures_every_cell_and_says_why_where_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut command = tlslab();
    command.args(["run", "--out", out, "--budget", "4s", "--rounds", "8", "--seed", "1", "--format", "json"]);
    for stack in support::STACKS {
        command.args(["--stack", stack]);
    }
    for scenario in [
        "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/{none,chain,chain+name}",
        "transfer/1.3/aes-128-gcm/{client,server}-sends/16KiB/warm",
        "transfer/1.3/chacha20-poly1305/client-sends/1MiB/fresh",
    ] {
        command.args(["--scenario", scenario]);
    }
    let results: Value = serde_json::from_str(&stdout(&command.output().unwrap())).unwrap();
    let cells = results["cells"].as_array().unwrap();
    let content = |stack: &str, scenario: &str, side: &str, metric: &str| {
        let found = cells.iter().find(|cell| {
            cell["stack"] == stack
                && cell["scenario"] == scenario
                && cell["side"] == side
                && cell["metric"] == metric
        });
        found.unwrap_or_else(|| panic!("no cell {stack} {scenario} {side} {metric}"))
    };
    assert!(cells.iter().all(|cell| cell.get("failed").is_none()), "{cells:#?}");
    for stack in support::STACKS {
        for side in ["client", "server"] {
            let cell = content(stack, "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", side, "time");
            let time_us = cell["estimate"].as_f64().unwrap();
            let (lower, upper) = (&cell["interval"]["lower"], &cell["interval"]["upper"]);
            assert_eq!(cell["unit"], "µs");
            assert!(time_us > 1.0 && time_us < 100_000.0, "{cell}");
            assert!(lower.as_f64().unwrap() <= time_us && time_us <= upper.as_f64().unwrap(), "{cell}");
        }
    }
    for level in ["chain", "chain+name"] {
        let scenario = format!("handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/{level}");
        let cell = content("bertie", &scenario, "client", "time");
        assert!(cell["unsupported"].as_str().unwrap().contains("no certificate chain"), "{cell}");
    }
    // Every scenario × stack × side is there, whatever is in it.
    let sides = cells.iter().filter(|cell| cell["metric"] == "time").count();
    assert_eq!(sides, 6 * 3 * 2);

    let runs = stdout(&tlslab().args(["runs", "--out", out]).output().unwrap());
    let id = runs.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(runs.contains("complete"), "{runs}");
    for file in ["report.html", "report.md", "results.json", "results.csv"] {
        let written = std::fs::read_to_string(folder.path().join(id).join(file)).unwrap();
        assert!(written.contains("handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"), "{file}");
    }
    // The same samples give the same figures at any time.
    let again = stdout(&tlslab().args(["report", id, "--out", out, "--format", "json"]).output().unwrap());
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), results);
}
