//! Documents that are wrong, and requests for documents that cannot be met, are refused before anything is
//! built; others are not affected.

use std::collections::BTreeSet;
use std::io::Read;
use std::path::Path;
use std::process::{Command, Output};

use flate2::read::GzDecoder;
use serde_json::Value;
use tlslab_reproduction::Document;

/// A user's own folder with a document that is not TOML.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    std::fs::write(folder.path().join("tlslab.toml"), format!("lab = \"{}\"\n", lab.display())).unwrap();
    std::fs::create_dir(folder.path().join("documents")).unwrap();
    std::fs::write(folder.path().join("documents/bad.toml"), "title = \"x\n").unwrap();
    folder
}

fn tlslab(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    command.current_dir(folder).args(arguments).output().unwrap()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn a_document_that_is_wrong_is_skipped_and_named_and_the_others_are_not_affected() {
    let folder = folder();
    let listed = tlslab(folder.path(), &["reproduce"]);
    let (said, list) = (text(&listed.stderr), text(&listed.stdout));
    assert!(listed.status.success() && list.contains("wolfssl"), "{said}");
    assert!(
        said.contains("skipped: ") && said.contains("documents/bad.toml: TOML parse error at line 1"),
        "{said}"
    );

    let page = tlslab(folder.path(), &["reproduce", "wolfssl", "--from", "--format", "markdown"]);
    assert!(page.status.success() && text(&page.stdout).starts_with("# TLS 1.3"), "{}", text(&page.stderr));
    let all = tlslab(folder.path(), &["reproduce", "--all", "--from", "--to", "pages"]);
    assert_eq!(all.status.code(), Some(1), "not all of them");
    assert!(folder.path().join("pages/wolfssl.md").is_file());

    for arguments in [&["reproduce", "bad"][..], &["reproduce", "bad", "--from"]] {
        let bad = tlslab(folder.path(), arguments);
        assert_eq!(bad.status.code(), Some(1));
        let said = text(&bad.stderr);
        assert_eq!(said.matches("documents/bad.toml: TOML parse error").count(), 1, "{said}");
    }
}

#[test]
fn self_check_names_documents_and_own_files_that_are_wrong() {
    let folder = folder();
    std::fs::create_dir(folder.path().join("scenarios")).unwrap();
    std::fs::write(folder.path().join("scenarios/odd.toml"), "odd = 1\n").unwrap();
    let checked = tlslab(folder.path(), &["self-check"]);
    let said = text(&checked.stdout);
    assert_eq!(checked.status.code(), Some(1), "{said}");
    for (name, file) in [("documents", "documents/bad.toml"), ("own files", "scenarios/odd.toml")] {
        let is_it = |line: &&str| line.starts_with("wrong    ") && line[9..].starts_with(name);
        assert!(said.lines().find(is_it).is_some_and(|line| line.contains(file)), "{name}: {said}");
    }
    std::fs::remove_file(folder.path().join("documents/bad.toml")).unwrap();
    std::fs::remove_file(folder.path().join("scenarios/odd.toml")).unwrap();
    let said = text(&tlslab(folder.path(), &["self-check"]).stdout);
    assert!(said.contains("\nok       documents") && !said.contains("wrong  "), "{said}");
}

#[test]
fn a_record_that_cannot_be_written_is_refused_before_anything_is_measured() {
    let folder = folder();
    for (place, cause) in
        [("nowhere/x.gz", "nowhere/x.gz: no record can be written"), (".", "it is a folder")]
    {
        let place = format!("--record={place}");
        let arguments = ["reproduce", "wolfssl", "--budget", "2s", "--busy-host", &place];
        let refused = tlslab(folder.path(), &arguments);
        let said = text(&refused.stderr);
        assert!(!refused.status.success() && said.starts_with("tlslab: --record: "), "{said}");
        assert!(said.contains(cause) && said.lines().count() == 1, "{said}");
        assert!(!folder.path().join("tlslab-results/documents").exists());
    }
}

/// The folder has a link to each program that there is, but not to these.
fn programs_without(missing: &[&str]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for place in std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default()) {
        for file in std::fs::read_dir(place).into_iter().flatten().flatten() {
            let link = folder.path().join(file.file_name());
            if !missing.iter().any(|name| file.file_name() == *name) && link.symlink_metadata().is_err() {
                std::os::unix::fs::symlink(file.path(), link).unwrap();
            }
        }
    }
    folder
}

/// Only the later parts of the document have a stack that needs clang.
#[test]
fn programs_that_a_later_part_needs_are_missed_before_the_first() {
    let (folder, programs) = (folder(), programs_without(&["clang", "clang++"]));
    let mut reproduce = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    reproduce.current_dir(folder.path()).env("PATH", programs.path());
    let refused = reproduce.args(["reproduce", "rustls-ci", "--budget", "2s"]).output().unwrap();
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && said.contains("  clang (for rustls/ring"), "{said}");
    assert!(said.contains("install them with: apt-get install clang"), "{said}");
    assert!(!said.contains("prove: ") && !said.contains("build: "), "{said}");
    assert!(!folder.path().join("tlslab-results/documents").exists(), "{said}");
    let named: Vec<&str> =
        said.lines().find(|line| line.starts_with("  clang ")).unwrap().split(", ").collect();
    let once: BTreeSet<&str> = named.iter().copied().collect();
    assert_eq!(named.len(), once.len(), "{said}");
}

#[test]
fn programs_that_one_document_needs_do_not_keep_the_others_from_being_measured() {
    let (folder, programs) = (folder(), tempfile::tempdir().unwrap());
    let mut reproduce = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    reproduce.current_dir(folder.path()).env("PATH", programs.path());
    let refused = reproduce.args(["reproduce", "--all", "--quick"]).output().unwrap();
    let said = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    assert_eq!(said.matches("some programs that builds need are missing").count(), 6, "{said}");
}

#[test]
fn options_of_records_that_do_not_fit_are_refused_with_the_cause() {
    let folder = folder();
    for (arguments, said) in [
        (&["--from"][..], "tlslab: --from: no document was named; name the document"),
        (
            &["--all", "--from=x.gz"],
            "tlslab: --from: one file has the results of one document; name that document",
        ),
        (&["wolfssl", "--from", "--host", "foo"], "--host"),
    ] {
        let refused = tlslab(folder.path(), &[&["reproduce"], arguments].concat());
        let text = text(&refused.stderr);
        assert!(!refused.status.success() && text.contains(said), "{arguments:?}: {text}");
    }
}

#[test]
fn a_target_for_a_document_that_does_not_exist_begins_no_build() {
    let mut make = Command::new("make");
    make.current_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).env_clear();
    let path = std::env::var_os("PATH").unwrap_or_default();
    let refused = make.env("PATH", path).args(["documents-measured", "ONLY=nothing"]).output().unwrap();
    let said = text(&refused.stderr);
    assert!(!refused.status.success() && refused.stdout.is_empty(), "{}", text(&refused.stdout));
    assert!(said.contains("documents/nothing.toml: there is no such document; ONLY is one of: "), "{said}");
}

/// The metrics and units of every run that is recorded for a document of the lab.
fn recorded() -> BTreeSet<(String, String)> {
    let mut all = BTreeSet::new();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../documents");
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if !path.to_string_lossy().ends_with(".recorded.json.gz") {
            continue;
        }
        let mut text = String::new();
        GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
        let record: Value = serde_json::from_str(&text).unwrap();
        let reports =
            record["reports"].as_object().unwrap().values().flat_map(|runs| runs.as_array().unwrap());
        for report in reports.map(|run| &run["report"]) {
            let cells = ["cells", "exact"].into_iter().filter_map(|part| report[part].as_array()).flatten();
            let word = |cell: &Value, key: &str| cell[key].as_str().unwrap().to_owned();
            all.extend(cells.map(|cell| (word(cell, "metric"), word(cell, "unit"))));
        }
    }
    all
}

#[test]
fn a_document_can_ask_for_every_metric_that_runs_have_in_its_unit() {
    let all = recorded();
    assert!(all.len() > 30, "{all:?}");
    for (metric, unit) in all {
        let text = format!(
            r#"
title = "A document"
by = "somebody"
on = "a machine"
[[measurements]]
name = "run"
title = "Handshakes"
stacks = ["one"]
scenarios = ["handshake/**"]
budget_s = 10
rounds = 8
[published.rates]
columns = ["key"]
rows = [["RSA"]]
[[tables]]
title = "Rates"
measurement = "run"
published = "rates"
labels = ["key"]
columns = [{{ title = "One", unit = "{unit}", stack = "one", scenario = "x", side = "client", metric = "{metric}" }}]
"#
        );
        let read = Document::parse("it.toml", "it", &text);
        assert!(read.is_ok(), "{metric}, {unit}: {}", read.unwrap_err());
    }
}
