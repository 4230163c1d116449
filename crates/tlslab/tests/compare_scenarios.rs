//! Two scenarios of a real stack, measured together.

mod support;

use serde_json::Value;
use support::tlslab;

const OLDER: &str = "handshake/1.2/ecdsa-p256/x25519/aes-128-gcm/none";
const NEWER: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

#[test]
fn two_scenarios_of_one_stack_have_a_ratio_with_its_interval_and_words() {
    let folder = tempfile::tempdir().unwrap();
    let compare = |scenarios: [&str; 2], more: &[&str]| {
        let mut command = tlslab();
        command.args(["compare", "--scenarios"]).args(scenarios).args(["--budget", "2s", "--rounds", "8"]);
        command.args(["--seed", "1"]).args(more).arg("rustls/ring").arg("--out").arg(folder.path());
        support::stdout(&command.output().unwrap())
    };
    let text = compare([OLDER, NEWER], &[]);
    // In TLS 1.3 the server's certificate travels encrypted, and the key schedule is longer: what comes out is decided by the library.
    for side in ["client", "server"] {
        let part = text.split(&format!("rustls/ring, {side}\n")).nth(1).unwrap_or_else(|| panic!("{text}"));
        let lines: Vec<&str> = part.lines().take(4).map(str::trim).collect();
        assert!(lines[0].starts_with(OLDER) && lines[0].ends_with("µs"), "{text}");
        assert!(lines[1].starts_with(NEWER) && lines[1].ends_with("µs"), "{text}");
        assert!(lines[2].starts_with("ratio of times") && lines[2].ends_with("8 rounds"), "{text}");
        let is_said = ["is faster", "is slower", "no difference seen"];
        assert!(is_said.iter().any(|words| lines[3].contains(words)), "{text}");
    }
    // The other way round, as data.
    let results: Value = serde_json::from_str(&compare([NEWER, OLDER], &["--format", "json"])).unwrap();
    let groups = results["together"].as_array().unwrap();
    assert_eq!(groups.len(), 1);
    assert_eq!(groups[0]["ratios"].as_array().unwrap().len(), 2);
    for ratio in groups[0]["ratios"].as_array().unwrap() {
        let value = ratio["ratio"]["estimate"].as_f64().unwrap();
        assert!((0.3..3.0).contains(&value), "{ratio}");
        assert!(ratio["ratio"]["interval"]["lower"].as_f64().unwrap() <= value);
    }
    let id = results["run"]["id"].as_str().unwrap();
    let file = |name: &str| std::fs::read_to_string(folder.path().join(id).join(name)).unwrap();
    assert_eq!(file("together.csv").lines().count(), 3, "a header and two sides");
    assert!(file("report.html").contains("id=\"together\""));
    assert!(file("report.md").contains("Scenarios measured together"));
}

#[test]
fn a_run_has_ratios_of_its_groups_alone() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tlslab();
    command.args(["run", "--stack", "rustls/ring", "--scenario", OLDER, "--scenario", NEWER]);
    command.args(["--scenario", "handshake/1.3/ecdsa-p256/p-256/aes-128-gcm/none"]);
    command.args(["--together", "handshake/1.{2,3}/ecdsa-p256/x25519/aes-128-gcm/none"]);
    command.args(["--budget", "1s", "--rounds", "2", "--out"]).arg(folder.path());
    let text = support::stdout(&command.output().unwrap());
    assert!(text.contains("Scenarios measured together"), "{text}");
    assert!(text.contains(&format!("{NEWER} over {OLDER}")), "{text}");
}

#[test]
fn what_is_no_pair_of_scenarios_is_refused_at_once() {
    let folder = tempfile::tempdir().unwrap();
    for (arguments, says) in [
        (&["--scenarios", OLDER, OLDER, "rustls/ring"][..], "it is named twice"),
        (&["--scenarios", OLDER, NEWER], "0 stacks were named"),
        (&["--scenarios", OLDER, NEWER, "rustls/ring", "openssl"], "2 stacks were named"),
        (&["--scenarios", OLDER, "handshake/no/such", "rustls/ring"], "no scenario is called"),
        (&["--rounds", "8", "rustls/ring", "openssl"], "--scenarios"),
    ] {
        let output =
            tlslab().arg("compare").args(arguments).arg("--out").arg(folder.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(says), "{arguments:?}: {text}");
    }
}
