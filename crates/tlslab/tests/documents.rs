//! Published documents measured again: the list, parts that are measured once, and the layout.

mod support;

use std::path::Path;
use std::process::{Command, Output};

use serde_json::Value;
use support::{stdout, tlslab};

const DOCUMENT: &str = r#"
title = "Handshakes of two kinds"
by = "somebody"
on = "another machine"
flaws = ["Its key sizes are unequal."]
words = { ECDSA = "ecdsa-p256" }

[[measurements]]
name = "as-published"
title = "Two handshakes"
basis = "as-published"
stacks = ["rustls/ring"]
scenarios = ["handshake/1.3/{ecdsa-p256,rsa-2048}/x25519/aes-128-gcm/none"]
budget_s = 4
rounds = 8

[[measurements]]
name = "fair"
title = "One handshake"
stacks = ["rustls/ring"]
scenarios = ["handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"]
budget_s = 4
rounds = 8

[published.rates]
columns = ["key", "rate"]
rows = [["ECDSA", 1000]]

[[tables]]
title = "Rates"
measurement = "as-published"
published = "rates"
labels = ["key"]
columns = [
  { title = "Server", unit = "/s", published = "rate", stack = "rustls/ring", scenario = "handshake/1.3/{key}/x25519/aes-128-gcm/none", side = "server", metric = "rate" },
]

[[claims]]
says = "An RSA server takes longer."
published = "10 times"
direction = "more"
measurement = "as-published"
ratio = "time of a server, RSA over ECDSA"
of = { scenario = "handshake/1.3/rsa-2048/x25519/aes-128-gcm/none", side = "server" }
over = { scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", side = "server" }

[[claims]]
says = "A client takes less than a tenth of its server."
published = "a tenth"
size = { to = 0.1 }
measurement = "fair"
ratio = "client over server"
of = { scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", side = "client" }
over = { scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", side = "server" }
"#;

/// A folder of one's own with the document above.
fn folder(document: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lab = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    std::fs::write(folder.path().join("tlslab.toml"), format!("lab = \"{lab}\"\n")).unwrap();
    std::fs::create_dir(folder.path().join("documents")).unwrap();
    std::fs::write(folder.path().join("documents/two.toml"), document).unwrap();
    folder
}

fn reproduce(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    command.current_dir(folder).arg("reproduce").args(arguments).output().expect("the lab starts")
}

fn read_output(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_document_of_the_lab_asks_for_what_there_is() {
    let text = stdout(&tlslab().arg("reproduce").output().unwrap());
    for name in ["bertie", "ci-bench", "python", "rustls-ci", "wolfssl"] {
        assert!(text.lines().any(|line| line.trim_start().starts_with(name)), "{name} in {text}");
    }
}

#[test]
fn a_document_is_measured_once_and_its_claims_are_judged() {
    let folder = folder(DOCUMENT);
    let output = reproduce(folder.path(), &["two", "--format", "json"]);
    assert!(output.status.success(), "{}", read_output(&output));
    let document: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let entry = &document["tables"][0]["rows"][0]["entries"][0];
    assert_eq!(entry["published"], 1000.0);
    assert!(entry["here"]["value"].as_f64().unwrap() > 1000.0, "{entry}");
    let verdicts: Vec<&str> = document["claims"]
        .as_array()
        .unwrap()
        .iter()
        .map(|claim| claim["here"][0]["judged"]["verdict"].as_str().unwrap())
        .collect();
    assert_eq!(verdicts, ["holds", "does-not-hold"], "{document}");
    let pages = folder.path().join("tlslab-results/documents");
    let page = std::fs::read_to_string(pages.join("two.html")).unwrap();
    assert!(page.contains("Its key sizes are unequal.") && page.contains("<svg"), "{page}");
    let claims = std::fs::read_to_string(pages.join("claims.md")).unwrap();
    assert!(claims.contains("1 holds; 1 does not hold"), "{claims}");
    // Stored parts are not measured again, and parts that were not requested stay.
    let output = reproduce(folder.path(), &["two", "--fair", "--format", "json"]);
    assert!(read_output(&output).contains("two/fair: already measured (run "), "{}", read_output(&output));
    let again: Value = serde_json::from_str(&stdout(&output)).unwrap();
    assert_eq!(again["tables"], document["tables"]);
    assert_eq!(again["claims"], document["claims"]);
}

const FURTHER: &str = r#"
[[tables]]
title = "Every stack's"
measurement = "as-published"
published = "rates"
labels = ["key"]
each = { unit = "µs", scenario = "handshake/1.3/{key}/x25519/aes-128-gcm/none", side = "client", published = { "rustls/ring" = "rate" } }

[[texts]]
name = "rates.txt"
measurement = "as-published"

[[texts.blocks]]
published = "rates"
head = "{stack}: {version}\n"
row = "{key:8}{value}\n"
figures = { value = { unit = "s", scenario = "handshake/1.3/{key}/x25519/aes-128-gcm/none", side = "client" } }

[[trials]]
title = "What works"
measurement = "as-published"
program = "tool"
script = "two/try.txt"
"#;

#[test]
fn every_stack_has_its_column_and_text_and_a_program_that_says_nothing_is_reported() {
    let folder = folder(&format!("{DOCUMENT}{FURTHER}"));
    let output = reproduce(folder.path(), &["two", "--as-published", "--format", "json"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(read_output(&output).contains("try.txt, which document two needs"), "{}", read_output(&output));
    std::fs::create_dir(folder.path().join("documents/two")).unwrap();
    std::fs::write(folder.path().join("documents/two/try.txt"), "").unwrap();
    std::fs::write(folder.path().join("documents/two/Cargo.toml"), "[package]\n").unwrap();
    let output = reproduce(folder.path(), &["two", "--as-published", "--format", "json"]);
    assert!(output.status.success(), "{}", read_output(&output));
    let document: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let table = &document["tables"][1];
    assert_eq!(table["columns"][0]["title"], "rustls/ring");
    let entry = &table["rows"][0]["entries"][0];
    assert_eq!(entry["published"], 1000.0);
    let micros = entry["here"]["value"].as_f64().unwrap();
    let pages = folder.path().join("tlslab-results/documents");
    let text = std::fs::read_to_string(pages.join("rates.txt")).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].starts_with("rustls/ring: "), "{text}");
    let seconds: f64 = lines[1].strip_prefix("ECDSA   ").unwrap().parse().unwrap();
    assert!((seconds / micros - 1e-6).abs() < 1e-9, "{seconds} s, {micros} µs");
    // A driver that is not such a program ends without output.
    let trial = &document["trials"][0]["stacks"][0];
    assert_eq!(trial["stack"], "rustls/ring");
    assert!(trial["hole"].as_str().unwrap().starts_with("cannot read what it wrote"), "{trial}");
    let page = std::fs::read_to_string(pages.join("two.md")).unwrap();
    assert!(page.contains("## What works"), "{page}");
}

const COMPARED: &str = r#"
title = "No change"
by = "somebody"
on = "another machine"

[[comparisons]]
name = "change"
title = "The same twice"
base = "before=rustls/ring"
new = "after=rustls/ring"
scenarios = ["handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"]
metrics = ["count"]
budget_s = 1

[[comparisons.claims]]
says = "Nothing changes."
published = "no effect"
metric = "count.instructions"
side = "server"
direction = "equal"
size = { from = 0.999, to = 1.001 }

[[measurements]]
name = "history"
title = "Again and again"
stacks = ["rustls/ring"]
scenarios = ["handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"]
metrics = ["count"]
budget_s = 1
rounds = 1
times = 3

[[thresholds]]
title = "How far runs scatter"
measurement = "history"

[published.functions]
columns = ["name", "weight"]
rows = [["ConnectionCore<Data>::process_msg", 1], ["no_such_function", 2]]

[[profiles]]
title = "Functions"
stack = "rustls/ring"
scenario = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"
side = "both"
published = "functions"
labels = ["name"]
function = "name"
weight = "weight"
others = 1
"#;

#[test]
fn comparisons_thresholds_and_profiles_stand_in_tables_and_are_kept() {
    let folder = folder(COMPARED);
    let output = reproduce(folder.path(), &["two", "--format", "json"]);
    assert!(output.status.success(), "{}", read_output(&output));
    let document: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let [compared, thresholds, functions] = &document["tables"].as_array().unwrap()[..] else {
        panic!("{document}")
    };
    assert_eq!(compared["rows"][0]["words"][0], "identical binary", "{compared}");
    let cells = document["claims"][0]["here"].as_array().unwrap();
    assert_eq!(cells.len(), 1);
    assert_eq!(cells[0]["judged"]["verdict"], "holds");
    // One seed makes one count, however often.
    assert_eq!(thresholds["rows"][0]["entries"][0]["here"]["value"], 0.0, "{thresholds}");
    assert!(thresholds["rows"][0]["entries"][1]["here"]["hole"].as_str().unwrap().starts_with("failed: "));
    let share = &functions["rows"][0]["entries"][0]["here"]["value"];
    assert!(share.as_f64().is_some_and(|share| 0.0 < share && share < 100.0), "{functions}");
    let hole = functions["rows"][1]["entries"][0]["here"]["hole"].as_str().unwrap();
    assert_eq!(hole, "unsupported: no function is called no_such_function here");
    assert_eq!(functions["rows"].as_array().unwrap().len(), 3);
    let output = reproduce(folder.path(), &["two", "--format", "json"]);
    let described = read_output(&output);
    for name in
        ["two/change: already measured", "two/history: already measured", "two/history/3: already measured"]
    {
        assert!(described.contains(name), "{name}: {described}");
    }
    assert!(!described.contains("count: "), "nothing is counted again: {described}");
    assert_eq!(serde_json::from_str::<Value>(&stdout(&output)).unwrap(), document);
}

#[test]
fn what_a_document_lacks_is_reported_before_anything_is_measured() {
    let folder = folder(&DOCUMENT.replacen("handshake/1.3/{key}", "handshake/1.2/{key}", 1));
    let output = reproduce(folder.path(), &["two"]);
    assert_eq!(output.status.code(), Some(1));
    let text = read_output(&output);
    assert!(
        text.contains("has no scenario handshake/1.2/ecdsa-p256/x25519/aes-128-gcm/none; add it"),
        "{text}"
    );
    let output = reproduce(folder.path(), &["three"]);
    assert!(
        read_output(&output).contains("three: there is no document of this name;"),
        "{}",
        read_output(&output)
    );
}
