//! The clients of real stacks against each other's servers, once undisturbed and once with the lab killed.

mod support;

use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::tlslab;
use tlslab_record::PairSample;
use tlslab_store::Address;

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

fn cross(out: &Path, rounds: &str) -> Command {
    let mut command = tlslab();
    command.args(["run", "--suite", "cross", "--budget", "2s", "--rounds", rounds, "--seed", "1"]);
    command.args(["--format", "json"]).arg("--out").arg(out);
    for stack in support::STACKS {
        command.args(["--stack", stack]);
    }
    command
}

#[test]
fn every_pair_of_client_and_server_has_its_figures_or_a_reason() {
    let folder = tempfile::tempdir().unwrap();
    let output = cross(folder.path(), "2").output().unwrap();
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    let table = &results["cross"][0];
    assert_eq!(table["scenario"], SCENARIO);
    let pairs = table["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 9);
    let pair = |client: &str, server: &str| {
        pairs.iter().find(|pair| pair["client"] == client && pair["server"] == server).unwrap()
    };
    for client in ["rustls/ring", "openssl"] {
        for server in ["rustls/ring", "openssl"] {
            let pair = pair(client, server);
            let us = |what: &str| pair[what]["estimate"].as_f64().unwrap_or_else(|| panic!("{pair}"));
            assert!(us("client_us") > 1.0 && us("server_us") > 1.0, "{pair}");
            // Each is an estimate of its own, and under other load two visits may differ by any factor.
            assert!(us("sum_us") >= us("client_us").max(us("server_us")), "{pair}");
            assert!(pair["connections"].as_u64().unwrap() > 0, "{pair}");
        }
    }
    // Whether a signature of Bertie's can be verified by others is random.
    for pair in pairs {
        let kinds = ["sum_us", "unsupported", "error", "failed"];
        assert_eq!(kinds.iter().filter(|kind| pair.get(**kind).is_some()).count(), 1, "{pair}");
    }
    let failed = pairs.iter().any(|pair| pair.get("error").is_some() || pair.get("failed").is_some());
    assert_eq!(output.status.code(), Some(if failed { 3 } else { 0 }));
    let checked = table["checks"].as_array().unwrap();
    assert!(checked.iter().any(|check| check["stack"] == "openssl"), "{table}");
    let id = results["run"]["id"].as_str().unwrap();
    let rows = std::fs::read_to_string(folder.path().join(id).join("cross.csv")).unwrap();
    assert_eq!(rows.lines().count(), 10, "a header and nine pairs");
    let page = std::fs::read_to_string(folder.path().join(id).join("report.html")).unwrap();
    assert!(page.contains("class=\"heat\""));
}

#[test]
fn a_scenario_that_two_processes_cannot_share_is_unsupported_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tlslab();
    command.args([
        "run",
        "--pairing",
        "cross",
        "--scenario",
        "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm",
    ]);
    command.args(["--stack", "rustls/ring", "--budget", "1s", "--rounds", "1", "--format", "json", "--out"]);
    let results: Value =
        serde_json::from_str(&support::stdout(&command.arg(folder.path()).output().unwrap())).unwrap();
    let reason = results["cross"][0]["pairs"][0]["unsupported"].as_str().unwrap();
    assert!(reason.contains("without application data"), "{reason}");
}

#[test]
fn a_killed_run_goes_on_with_every_sample_that_it_had() {
    let folder = tempfile::tempdir().unwrap();
    let database = folder.path().join("tlslab.sqlite");
    let mut lab = cross(folder.path(), "3").stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(300);
    while read_kept(&database).len() < 20 {
        assert!(Instant::now() < deadline, "no samples of pairs came");
        assert!(lab.try_wait().unwrap().is_none(), "the lab ended before it could be killed");
        std::thread::sleep(Duration::from_millis(5));
    }
    lab.kill().unwrap();
    lab.wait().unwrap();
    let before = read_kept(&database);
    let mut command = tlslab();
    let output =
        command.args(["run", "--resume", "--format", "json", "--out"]).arg(folder.path()).output().unwrap();
    let results: Value = serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&output.stderr)));
    assert_eq!(results["run"]["complete_visits"], 3);
    let after = read_kept(&database);
    assert!(after.len() > before.len());
    assert!(before.iter().all(|sample| after.contains(sample)), "a sample was lost");
}

/// Every sample of a pair in the database.
fn read_kept(database: &Path) -> Vec<PairSample> {
    if !database.exists() {
        return Vec::new();
    }
    let store = tlslab_store::open(&Address::Sqlite(database.to_owned())).unwrap();
    let runs = store.runs().unwrap();
    runs.first().map(|run| store.load(&run.id).unwrap().pair_samples).unwrap_or_default()
}
