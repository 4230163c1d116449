//! Connections that arrive at a rate, on a real stack: from the command line to the files of the run.

mod support;

use serde_json::Value;
use support::{stdout, tlslab};

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const TRANSFER: &str = "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm";

#[test]
fn responses_are_reported_where_a_stack_keeps_up_and_a_reason_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut command = tlslab();
    command.args(["run", "--out", out, "--stack", "rustls/ring", "--rounds", "1", "--budget", "3s"]);
    // A rate that any machine sustains, and one that none does.
    command.args(["--seed", "1", "--format", "json", "--rate", "200,200000"]);
    command.args(["--scenario", HANDSHAKE, "--scenario", TRANSFER]);
    let results: Value = serde_json::from_str(&stdout(&command.output().unwrap())).unwrap();
    let cells = results["cells"].as_array().unwrap();
    let cell = |scenario: &str, side: &str, metric: &str| {
        let is_it =
            |cell: &&Value| cell["scenario"] == scenario && cell["side"] == side && cell["metric"] == metric;
        cells.iter().find(is_it).unwrap_or_else(|| panic!("no cell {scenario} {side} {metric}"))
    };
    let estimate = |cell: &Value| cell["estimate"].as_f64().unwrap_or_else(|| panic!("{cell}"));
    assert!(cells.iter().all(|cell| cell.get("failed").is_none()), "{cells:#?}");

    let slow = format!("{HANDSHAKE}/open-loop-200");
    let median = cell(&slow, "both", "response.p50");
    // Both sides must work on a connection before it is done.
    let own = estimate(cell(&slow, "client", "latency.p50")) + estimate(cell(&slow, "server", "latency.p50"));
    assert_eq!(median["unit"], "µs");
    assert!(estimate(median) > 0.5 * own, "{median} of {own}");
    assert!(estimate(cell(&slow, "both", "response.p90")) >= estimate(median));
    assert!((100.0..400.0).contains(&estimate(cell(&slow, "both", "load.offered"))));
    assert!(estimate(cell(&slow, "both", "load.server")) < 100.0);
    assert_eq!(cell(&slow, "both", "load.server")["unit"], "%");
    assert!(estimate(cell(&slow, "server", "time")) > 1.0);
    assert!(cell(&slow, "both", "response.p99.9")["unsupported"].as_str().unwrap().contains("too few"));

    let fast = format!("{HANDSHAKE}/open-loop-200000");
    for metric in ["response.p50", "response.p99.9"] {
        let reason = cell(&fast, "both", metric)["unsupported"].as_str().unwrap();
        assert!(reason.starts_with("saturated: "), "{reason}");
    }
    assert!(estimate(cell(&fast, "both", "load.unserved")) > 10.0);
    let time = cell(&fast, "server", "time");
    assert!(time["unsupported"].is_string() || estimate(time) > 1.0, "{time}");
    assert!(estimate(cell(&fast, "both", "load.achieved")) < 100_000.0);

    let reason = cell(&format!("{TRANSFER}/open-loop-200"), "both", "response.p50");
    assert!(reason["unsupported"].as_str().unwrap().contains("carry no data"), "{reason}");

    let id = results["run"]["id"].as_str().unwrap();
    for file in ["report.html", "report.md"] {
        let written = std::fs::read_to_string(folder.path().join(id).join(file)).unwrap();
        assert!(written.contains("Response time, open loop"), "{file}");
    }
    let rows = std::fs::read_to_string(folder.path().join(id).join("results.csv")).unwrap();
    assert!(rows.contains("response.p50"));
    // The same samples give the same figures at any time.
    let again = stdout(&tlslab().args(["report", id, "--out", out, "--format", "json"]).output().unwrap());
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), results);
}

#[test]
fn a_name_with_a_rate_is_a_scenario() {
    let asked = format!("{HANDSHAKE}/open-loop-50-fixed");
    let said = stdout(&tlslab().args(["requests", "--scenario", &asked]).output().unwrap());
    let prepare: Value =
        serde_json::from_str(said.lines().find(|line| line.contains("\"prepare\"")).unwrap()).unwrap();
    let scenario = &prepare["prepare"]["scenario"];
    assert_eq!((&scenario["rate"], &scenario["arrivals"]), (&50.into(), &"fixed".into()));
    assert_eq!((&scenario["transport"], &scenario["name"]), (&"loopback".into(), &asked.as_str().into()));
}
