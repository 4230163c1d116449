//! A document that two hosts have measured: a column for each, and how far their ratios differ.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::Value;

const DOCUMENT: &str = r#"
title = "Records of two versions"
by = "somebody"
on = "another machine"

[[measurements]]
name = "throughput"
title = "Writes that fill a record"
stacks = ["wolfssl", "openssl"]
scenarios = ["sizes/{1.2,1.3}/chacha20-poly1305/client-sends/16384B"]
budget_s = 60
rounds = 16

[published.writes]
columns = ["version", "rate"]
rows = [["1.2", 2000], ["1.3", 1900]]

[[tables]]
title = "Throughput"
measurement = "throughput"
published = "writes"
labels = ["version"]
each = { unit = "MB/s", scenario = "sizes/{version}/chacha20-poly1305/client-sends/16384B", side = "client", metric = "throughput", published = { wolfssl = "rate" }, over = "openssl" }

[[claims]]
says = "It is slower in TLS 1.3."
published = "3 to 5 % less throughput"
about = ["wolfssl"]
direction = "more"
throughput = { from = 0.95, to = 0.97 }
measurement = "throughput"
ratio = "time of a write, TLS 1.3 over TLS 1.2"
of = { scenario = "sizes/1.3/chacha20-poly1305/client-sends/16384B", side = "client" }
over = { scenario = "sizes/1.2/chacha20-poly1305/client-sends/16384B", side = "client" }
"#;
const SCENARIOS: [&str; 2] =
    ["sizes/1.2/chacha20-poly1305/client-sends/16384B", "sizes/1.3/chacha20-poly1305/client-sends/16384B"];

/// A record of the document above: two stacks, measured in a tenth of the time by an earlier rule.
fn record() -> Value {
    serde_json::from_str(include_str!("record.json")).unwrap()
}

/// The same of another host, measured in full by the current rule: there TLS 1.3 takes wolfSSL 1.3 times as
/// long.
fn elsewhere(mut record: Value) -> Value {
    record["provenance"]["share"] = 1.0.into();
    record["rule"] = tlslab_record::RULE_VERSION.into();
    let of = &mut record["reports"]["throughput"][0];
    let is_slower = |one: &Value| one["stack"] == "wolfssl" && one["scenario"] == SCENARIOS[1];
    let times = |number: &mut Value, factor: f64| {
        if let Some(value) = number.as_f64() {
            *number = (value * factor).into();
        }
    };
    for visits in of["visits"].as_array_mut().unwrap().iter_mut().filter(|visits| is_slower(visits)) {
        visits["rounds"].as_array_mut().unwrap().iter_mut().for_each(|round| times(&mut round[1], 1.3));
    }
    let report = &mut of["report"];
    let scaled = |of: &mut Value, factor: f64| {
        times(&mut of["estimate"], factor);
        for end in ["lower", "upper"] {
            times(&mut of["interval"][end], factor);
        }
    };
    for cell in report["cells"].as_array_mut().unwrap().iter_mut().filter(|cell| is_slower(cell)) {
        let factor = if cell["metric"] == "time" { 1.3 } else { 1.0 / 1.3 };
        scaled(cell, factor);
    }
    let groups = report["together"].as_array_mut().unwrap().iter_mut();
    for ratio in groups.flat_map(|group| group["ratios"].as_array_mut().unwrap()) {
        let factor = match (&ratio["scenario"], &ratio["over"]) {
            (of, _) if of == SCENARIOS[1] => 1.3,
            (_, over) if over == SCENARIOS[1] => 1.0 / 1.3,
            _ => 1.0,
        };
        if ratio["stack"] == "wolfssl" && ratio["ratio"].is_object() {
            scaled(&mut ratio["ratio"], factor);
        }
    }
    let run = &mut report["run"];
    run["id"] = "20261203-080000-abcd".into();
    run["started"] = "2026-12-03T08:00:00Z".into();
    run["placement"] = "randomised-with-program".into();
    run["between_runs"] = serde_json::json!({ "time": 0.02, "ratio": 0.002 });
    report["host"]["cpu"]["name"] = "Intel(R) Xeon(R) Platinum 8375C CPU @ 2.90GHz".into();
    report["host"]["cpu"]["vendor"] = "GenuineIntel".into();
    record
}

fn write(file: &Path, record: &Value) {
    let mut packer = GzEncoder::new(Vec::new(), Compression::fast());
    packer.write_all(record.to_string().as_bytes()).unwrap();
    fs::write(file, packer.finish().unwrap()).unwrap();
}

/// A folder of one's own with the document and the records of both hosts.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lab = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    fs::write(folder.path().join("tlslab.toml"), format!("lab = \"{lab}\"\n")).unwrap();
    let documents = folder.path().join("documents");
    fs::create_dir(&documents).unwrap();
    fs::write(documents.join("two.toml"), DOCUMENT).unwrap();
    let here = record();
    write(&documents.join("two.xeon.recorded.json.gz"), &elsewhere(here.clone()));
    write(&documents.join("two.recorded.json.gz"), &here);
    folder
}

fn reproduce(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    command.current_dir(folder).arg("reproduce").args(arguments).output().expect("the program starts")
}

fn printed(folder: &Path, arguments: &[&str]) -> String {
    let output = reproduce(folder, arguments);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn two_hosts_have_a_column_each_and_their_ratios_are_compared() {
    let folder = folder();
    let page = printed(folder.path(), &["two", "--from", "--format", "markdown"]);
    insta::assert_snapshot!(page);
    let written = folder.path().join("pages");
    fs::create_dir(&written).unwrap();
    printed(folder.path(), &["two", "--from", "--to", written.to_str().unwrap()]);
    assert_eq!(fs::read_to_string(written.join("two.md")).unwrap(), page);
    let html = printed(folder.path(), &["two", "--from", "--format", "html"]);
    assert!(
        html.contains("wolfssl, Intel Xeon Platinum 8375C")
            && html.contains("largest uncertainty of a ratio"),
        "{html}"
    );
    let terminal = printed(folder.path(), &["two", "--from"]);
    assert!(terminal.contains("Intel Xeon Platinum 8375C: 1."), "{terminal}");
    let json: Value =
        serde_json::from_str(&printed(folder.path(), &["two", "--from", "--format", "json"])).unwrap();
    assert_eq!(json["hosts"].as_array().unwrap().len(), 2);
    assert_eq!(json["claims"][0]["here"][0]["elsewhere"][0]["host"], "Intel Xeon Platinum 8375C");
}

#[test]
fn one_record_is_shown_alone_and_a_name_with_other_letters_is_refused() {
    let folder = folder();
    let documents = folder.path().join("documents");
    let alone = format!("--from={}", documents.join("two.xeon.recorded.json.gz").display());
    let page = printed(folder.path(), &["two", &alone, "--format", "markdown"]);
    assert!(
        page.contains("\n\nMeasured on 3 December 2026 on Intel Xeon Platinum 8375C.\n")
            && !page.contains("AMD EPYC"),
        "{page}"
    );
    fs::rename(documents.join("two.xeon.recorded.json.gz"), documents.join("two.My Host.recorded.json.gz"))
        .unwrap();
    let output = reproduce(folder.path(), &["two", "--from"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(!output.status.success() && said.contains("lowercase letters, digits and hyphens"), "{said}");
    let output = reproduce(folder.path(), &["two", "--record", "--host", "../x"]);
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(2), "{said}");
    assert!(said.contains("lowercase letters, digits and hyphens"), "{said}");
}
