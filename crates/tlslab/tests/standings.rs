//! Standings: measured, written, computed again, and against an earlier report.

mod support;

use std::fs;
use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::stdout;

const FILE: &str = r#"
title = "Two builds and a library"
stacks = [
  { name = "Ring", stack = "rustls/ring" },
  { name = "System", stack = "openssl@system" },
]
[[groups]]
title = "Full handshakes"
results = [
  { name = "client", scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", side = "client" },
  { name = "server", scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", side = "server" },
]
[published]
title = "A report"
address = "https://example.org/report"
note = "Of other versions."
places = { Ring = [2, 0], System = [0, 2] }
"#;

fn standings(folder: &Path, words: &[&str]) -> Output {
    let mut command = support::tlslab();
    command
        .arg("standings")
        .arg(folder.join("file.toml"))
        .args(words)
        .arg("--out")
        .arg(folder.join("results"));
    command.output().unwrap()
}

fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn a_report_is_measured_and_the_next_one_says_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(folder.join("file.toml"), FILE).unwrap();
    let first: Value =
        serde_json::from_str(&stdout(&standings(folder, &["--budget", "4s", "--format", "json"]))).unwrap();
    let entries = first["groups"][0]["results"][0]["entries"].as_array().unwrap().clone();
    let rate = |entry: &Value| entry["value"].as_f64().unwrap();
    let fastest = usize::from(rate(&entries[1]) > rate(&entries[0]));
    let (winner, other) = (&entries[fastest], &entries[1 - fastest]);
    assert!(winner["place"] == 1 && winner["over_first"].is_null(), "{first}");
    let over = |key: &str| other["over_first"][key].as_f64().unwrap_or_else(|| panic!("{first}"));
    let is_slower = 1.0 / over("lower") < 1.0 - over("floor");
    assert_eq!(other["place"], if is_slower { 2 } else { 1 }, "{first}");
    assert!((over("ratio") * rate(other) / rate(winner) - 1.0).abs() < 0.3, "{first}");
    let run = first["run"].as_str().unwrap();
    let written = folder.join("results").join(run);
    for file in ["standings.html", "standings.md", "standings.csv", "standings.json", "standings-1.svg"] {
        assert!(written.join(file).metadata().unwrap().len() > 200, "{file}");
    }
    let page = fs::read_to_string(written.join("standings.html")).unwrap();
    assert!(
        page.contains(" is first in ") && page.contains("of 2 results") && page.contains("<svg"),
        "{page}"
    );

    // The earlier report has another version, other places, and half the rate.
    let earlier = folder.join("earlier.json");
    let mut before = first.clone();
    before["run"] = "20200101-000000-0000".into();
    before["stacks"][0]["version"] = "rustls 0.1.0".into();
    let client = &mut before["groups"][0]["results"][0]["entries"];
    let [ring, system] = [0, 1].map(|at| entries[at]["place"].as_u64().unwrap());
    (client[0]["place"], client[1]["place"]) = ((3 - ring).into(), (3 - system).into());
    for bound in ["value", "lower", "upper"] {
        client[0][bound] = (client[0][bound].as_f64().unwrap() / 2.0).into();
    }
    fs::write(&earlier, before.to_string()).unwrap();
    let again = standings(folder, &["--run", run, "--since", earlier.to_str().unwrap()]);
    let text = stdout(&again);
    assert!(text.contains("Ring: rustls 0.1.0 → rustls 0."), "{text}");
    for (name, place) in [("Ring", ring), ("System", system)] {
        assert!(text.contains(&format!("{name}, client: place {} → {place}", 3 - place)), "{text}");
    }
    assert!(text.contains("Ring, client: 2.00×") && !text.contains("Ring, server: "), "{text}");
    assert!(text.contains("1st, published"), "{text}");
}

#[test]
fn a_wrong_file_is_named_with_its_cause() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let refused = |text: &str, words: &[&str]| {
        fs::write(folder.join("file.toml"), text).unwrap();
        let output = standings(folder, words);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        said(&output)
    };
    let text = refused(&FILE.replace("side = \"server\"", "side = \"both\""), &[]);
    assert!(text.contains("file.toml") && text.contains("groups[0].results[1].side"), "{text}");
    let text = refused(&FILE.replace("System\", stack", "Ring\", stack"), &[]);
    assert!(text.contains("two stacks have the name \"Ring\""), "{text}");
    let text = refused(FILE, &["--since", folder.join("file.toml").to_str().unwrap()]);
    assert!(text.contains("standings.json of an earlier report"), "{text}");
    let text = refused(FILE, &["--since", "/nowhere.json"]);
    assert!(text.contains("/nowhere.json") && text.contains("No such file"), "{text}");
}

/// The example is read, and its scenarios exist.
#[test]
fn the_example_is_one() {
    let example = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/standings/three-libraries.toml");
    let read = tlslab_standings::Definition::parse(&fs::read_to_string(example).unwrap()).unwrap();
    assert_eq!((read.results().count(), read.stacks.len()), (16, 3));
    let mut list = support::tlslab();
    list.arg("scenarios").args(read.scenarios());
    let listed = stdout(&list.output().unwrap());
    for scenario in read.scenarios() {
        assert!(listed.contains(&scenario), "{scenario} is in no catalogue");
    }
}
