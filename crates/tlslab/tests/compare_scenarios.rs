//! Two scenarios of real stacks, measured together.

mod support;

use serde_json::Value;
use support::tlslab;

const OLDER: &str = "handshake/1.2/ecdsa-p256/x25519/aes-128-gcm/none";
const NEWER: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

#[test]
fn two_scenarios_have_an_answer_with_intervals_for_each_stack() {
    let folder = tempfile::tempdir().unwrap();
    let compare = |scenarios: [&str; 2], more: &[&str]| {
        let mut command = tlslab();
        command.args(["compare", "--scenarios"]).args(scenarios).args(["--seed", "1"]);
        command.args(more).args(["rustls/ring", "openssl", "--out"]).arg(folder.path());
        support::stdout(&command.output().unwrap())
    };
    const SHORT: [&str; 4] = ["--budget", "3s", "--rounds", "8"];
    let text = compare([OLDER, NEWER], &SHORT);
    // In TLS 1.3 the server's certificate is encrypted, and the key schedule is longer: the result depends on
    // the library.
    for (at, side) in ["a server", "a client"].iter().enumerate() {
        let line = text.lines().nth(at).unwrap();
        assert!(line.starts_with(&format!("1.3 instead of 1.2 costs {side} ")), "{text}");
        assert!(line.contains(" with openssl 3.") && line.contains(" with rustls/ring 0."), "{text}");
    }
    // In the other order, as data: answer and table agree.
    let costs: Value =
        serde_json::from_str(&compare([NEWER, OLDER], &[&SHORT[..], &["--format", "json"]].concat()))
            .unwrap();
    assert_eq!(costs["answer"].as_array().unwrap().len(), 2, "{costs}");
    let rows = costs["costs"].as_array().unwrap();
    assert_eq!(rows.len(), 4, "{costs}");
    for row in rows {
        let ratio = &row["ratio"];
        let value = ratio["estimate"].as_f64().unwrap();
        assert!((0.3..3.0).contains(&value), "{row}");
        assert!(ratio["interval"]["lower"].as_f64().unwrap() <= value);
        let apart = row["scenario"].as_f64().unwrap() / row["over"].as_f64().unwrap();
        assert!((value / apart - 1.0).abs() < 0.2, "the ratio is near that of the two times: {row}");
        answer_agrees(&costs, row);
    }
    let id = costs["run"].as_str().unwrap();
    let file = |name: &str| std::fs::read_to_string(folder.path().join(id).join(name)).unwrap();
    assert_eq!(file("together.csv").lines().count(), 5, "a header, and two sides of two stacks");
    assert!(file("report.html").contains("id=\"together\""));
    assert!(file("report.md").contains("Scenarios measured together"));
}

/// The sentence of a row's side names its stack, and has `more` for additional costs.
fn answer_agrees(costs: &Value, row: &Value) {
    let (named, side) = (row["named"].as_str().unwrap(), row["side"].as_str().unwrap());
    let sentences = costs["answer"].as_array().unwrap().iter().map(|line| line.as_str().unwrap());
    let mut of_side = sentences.filter(|line| line.contains(&format!("costs a {side} ")));
    let sentence = of_side.next().unwrap_or_else(|| panic!("no sentence for {side}: {costs}"));
    let end = sentence.find(&format!(" with {named}")).unwrap_or_else(|| panic!("{named}: {sentence}"));
    let part = &sentence[..end];
    let part = part.rsplit("; ").next().unwrap();
    let (lower, upper) = match &row["ratio"]["interval"] {
        Value::Null => {
            (row["ratio"]["estimate"].as_f64().unwrap(), row["ratio"]["estimate"].as_f64().unwrap())
        }
        interval => (interval["lower"].as_f64().unwrap(), interval["upper"].as_f64().unwrap()),
    };
    let says = match (lower > 1.0, upper < 1.0) {
        (true, _) => &["more", "times the"][..],
        (_, true) => &["less", "fewer"],
        _ => &["no "],
    };
    assert!(says.iter().any(|word| part.contains(word)), "{row}: {part}");
}

#[test]
fn memory_and_counts_of_two_scenarios_need_no_timing() {
    let folder = tempfile::tempdir().unwrap();
    let mut command = tlslab();
    command.args([
        "compare",
        "--scenarios",
        NEWER,
        "resumption/1.3/ticket/ecdsa-p256/x25519/aes-128-gcm/none",
    ]);
    command.args(["--metric", "heap,count", "--format", "json", "rustls/ring", "--out"]).arg(folder.path());
    let costs: Value = serde_json::from_str(&support::stdout(&command.output().unwrap())).unwrap();
    let rows = costs["costs"].as_array().unwrap();
    let metrics: std::collections::BTreeSet<&str> =
        rows.iter().map(|row| row["metric"].as_str().unwrap()).collect();
    assert!(metrics.contains("heap.peak") && metrics.contains("count.instructions"), "{metrics:?}");
    assert!(!metrics.contains("time"));
    for row in rows.iter().filter(|row| row["metric"] == "count.instructions") {
        let ratio = row["ratio"]["estimate"].as_f64().unwrap();
        assert!((ratio - row["scenario"].as_f64().unwrap() / row["over"].as_f64().unwrap()).abs() < 1e-12);
        assert!(ratio < 1.0, "a resumption takes fewer instructions: {row}");
        let only = [row.clone()];
        let answer: Vec<Value> = costs["answer"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|line| line.as_str().unwrap().contains("instructions"))
            .cloned()
            .collect();
        answer_agrees(&serde_json::json!({ "answer": answer, "costs": only }), row);
    }
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
        (&["--scenarios", OLDER, NEWER], "no stack was named"),
        (&["rustls/ring", "openssl", "wolfssl"], "3 stacks were named"),
        (&["--scenarios", OLDER, "handshake/no/such", "rustls/ring"], "no scenario is called"),
        (&["--scenarios", OLDER, NEWER, "--metric", "size", "rustls/ring"], "a size belongs to no scenario"),
        (&["--rounds", "8", "rustls/ring", "openssl"], "--scenarios"),
    ] {
        let output =
            tlslab().arg("compare").args(arguments).arg("--out").arg(folder.path()).output().unwrap();
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success() && text.contains(says), "{arguments:?}: {text}");
    }
}
