//! What real stacks send: the same in each run, equal to what the proof reads, with extensions named.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use support::exact::{self, Figures, figures, lab};

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const TLS12: &str = "handshake/1.2/rsa-2048/x25519/aes-128-gcm/none";
const TRANSFER: &str = "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm";

fn run(own: &Path, stacks: &[&str], scenarios: &[&str]) -> Value {
    exact::run(own, "wire", stacks, scenarios)
}

fn figure(of: &Figures, scenario: &str, stack: &str, side: &str, metric: &str) -> f64 {
    of[&[scenario, stack, side, metric].map(str::to_owned)][0]
}

#[test]
fn figures_repeat_and_are_those_of_the_proof() {
    let own = tempfile::tempdir().unwrap();
    let (stacks, scenarios) = (["openssl", "rustls/ring"], [HANDSHAKE, TLS12, TRANSFER]);
    let report = run(own.path(), &stacks, &scenarios);
    let found = figures(&report);
    assert_eq!(found, figures(&run(own.path(), &stacks, &scenarios)));
    for proof in report["proofs"].as_array().unwrap() {
        let (scenario, stack) = (proof["scenario"].as_str().unwrap(), proof["stack"].as_str().unwrap());
        let facts = &proof["facts"];
        let of = |side: &str, metric: &str| figure(&found, scenario, stack, side, metric);
        if scenario == TRANSFER {
            let bytes = facts["data"]["sent"]["client"]["wire_bytes"].as_f64().unwrap();
            assert_eq!(of("client", "wire.data"), bytes, "{stack}");
            assert_eq!(of("client", "wire.data.overhead"), (bytes - 16384.0) / 16.0, "{stack}");
            continue;
        }
        let size = |name: &str| facts["sizes"][name].as_f64().unwrap();
        assert_eq!(of("client", "wire.hello"), size("client_hello_bytes"), "{stack}, {scenario}");
        assert_eq!(of("client", "wire.flight.1"), size("client_first_flight_bytes"), "{stack}, {scenario}");
        assert_eq!(of("client", "wire.round_trips"), size("round_trips"), "{stack}, {scenario}");
        let parts = found.iter().filter(|(key, _)| {
            key[0] == scenario && key[1] == stack && key[2] == "client" && key[3].starts_with("wire.hello.")
        });
        assert_eq!(parts.map(|(_, value)| value[0]).sum::<f64>(), of("client", "wire.hello"));
        // A signature of RSA has one length, one of ECDSA has several.
        let flight = found[&[scenario, stack, "server", "wire.flight.1"].map(str::to_owned)];
        assert_eq!(flight[2] - flight[1], if scenario == TLS12 { 0.0 } else { 2.0 }, "{stack}: {flight:?}");
    }
    // Header of the extension, length of the list, group, length of the share, share.
    assert_eq!(figure(&found, HANDSHAKE, "rustls/ring", "client", "wire.hello.extension.key_share"), 42.0);
}

#[test]
fn a_report_shows_flights_packets_and_extensions_and_a_history_the_series() {
    let own = tempfile::tempdir().unwrap();
    let text = lab(
        own.path(),
        &["run", "--metric", "wire", "--stack", "openssl", "--stack", "rustls/ring", "--scenario", HANDSHAKE],
    );
    for part in
        ["The client's first flight: ", "one packet is enough", "yes / yes / yes", "key_share", "in all"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let folder = std::fs::read_dir(own.path().join("out")).unwrap().find_map(|entry| {
        let path = entry.unwrap().path();
        path.is_dir().then_some(path).filter(|path| path.join("report.md").exists())
    });
    let folder = folder.unwrap();
    let file = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    assert!(file("report.md").contains("#### ClientHello by part: bytes with headers"));
    assert!(file("results.csv").contains("wire.flight.1.packets_1460"));
    assert!(file("report.html").contains("<h2 id=\"wire-title\">On the wire</h2>"));
    let history = lab(own.path(), &["history", "--metric", "wire.flight.1", "--side", "client"]);
    assert!(history.contains("rustls/ring") && history.contains("wire.flight.1"), "{history}");
    let unsupported = run(own.path(), &["rustls/ring"], &["primitive/hash/sha-256/1KiB"]);
    let cell = &unsupported["exact"][0];
    assert_eq!(cell["unsupported"].as_str(), Some("a primitive sends nothing"), "{cell}");
}

#[test]
fn what_tls_adds_to_a_connection_is_ranked() {
    let own = tempfile::tempdir().unwrap();
    let arguments = ["choose", "--by", "wire", "--stack", "openssl", "--stack", "rustls/ring", "--mix"];
    let choose = |mix: &str| -> Value {
        let arguments = [&arguments[..], &[mix, "--format", "json"]].concat();
        serde_json::from_str(&lab(own.path(), &arguments)).unwrap()
    };
    let chosen = choose("resumed_percent=25,kib_per_connection=32");
    assert!(
        chosen["answer"].as_str().unwrap().starts_with("TLS adds to a million connections: "),
        "{chosen}"
    );
    let ranked = chosen["ranked"].as_array().unwrap();
    assert_eq!(ranked.len(), 2, "{chosen}");
    for one in ranked {
        let of = |key: &str| one[key].as_f64().unwrap_or_else(|| panic!("{key}: {one}"));
        // A record of TLS 1.3 has a header of 5 bytes, the inner type and a tag of 16.
        assert_eq!(of("write"), 22.0, "{one}");
        let full = of("full_client") + of("full_server");
        let resumed = of("resumed_client") + of("resumed_server");
        assert!(resumed < full, "no certificate is sent: {one}");
        assert_eq!(of("overhead"), 0.75 * full + 0.25 * resumed + 2.0 * of("write"), "{one}");
    }
    // What is known is not measured again, in whatever mix.
    let again = choose("resumed_percent=0,kib_per_connection=0");
    assert_eq!(again["runs"], chosen["runs"]);
    assert_eq!(again["ranked"][0]["resumed_client"], Value::Null);
}

#[test]
fn a_comparison_names_the_extensions_that_changed() {
    let own = tempfile::tempdir().unwrap();
    let compare = |baseline: &str, candidate: &str| -> Value {
        let arguments =
            ["compare", baseline, candidate, "--metric", "wire", "--scenario", HANDSHAKE, "--format", "json"];
        serde_json::from_str(&lab(own.path(), &arguments)).unwrap()
    };
    let found = compare("openssl", "rustls/ring");
    let change = |side: &str, metric: &str| {
        let mut changes = found["changes"].as_array().unwrap().iter();
        changes.find(|change| change["side"] == side && change["metric"] == metric).unwrap()
    };
    let first = change("client", "wire.flight.1");
    assert_eq!(first["exact"], true);
    assert_ne!(first["verdict"], "not_significant");
    let reasons: BTreeMap<&str, f64> = first["reasons"]
        .as_array()
        .unwrap()
        .iter()
        .map(|reason| (reason["function"].as_str().unwrap(), reason["change"].as_f64().unwrap()))
        .collect();
    assert_eq!(reasons["extension encrypt_then_mac"], -4.0, "{first}");
    assert_eq!(
        reasons.values().sum::<f64>(),
        first["new"].as_f64().unwrap() - first["base"].as_f64().unwrap(),
        "{first}"
    );
    let second = change("client", "wire.flight.2");
    assert_eq!((second["verdict"].as_str(), second["base"].as_f64()), (Some("not_significant"), Some(64.0)));
    let server = change("server", "wire.flight.1");
    assert_eq!(server["exact"], false);
    assert!(server["note"].as_str().unwrap().starts_with("varies between connections: "), "{server}");
}
