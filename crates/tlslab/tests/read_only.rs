//! Verbs that read records create and change nothing, and need none of the lab's files.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::time::SystemTime;

/// The command where no lab's folder can be found: the one that it was compiled in has a wrong name.
fn tlslab(here: &Path, verb: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    command.current_dir(here).env("TLSLAB_CACHE", here.join("no cache")).args(verb.split(' '));
    match verb.split(' ').next() {
        // A folder of one's own may have the history's policy, so a named one must exist.
        Some("history" | "anomalies") => command.env_remove("TLSLAB_ROOT"),
        _ => command.env("TLSLAB_ROOT", "/nowhere"),
    };
    command
}

fn answer(mut command: Command) -> (Option<i32>, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    (status.code(), String::from_utf8(stdout).unwrap() + &String::from_utf8(stderr).unwrap())
}

/// Every file with its modification time and content.
fn everything(folder: &Path) -> BTreeMap<String, (SystemTime, Vec<u8>)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap());
    entries
        .map(|entry| {
            let changed = entry.metadata().unwrap().modified().unwrap();
            (entry.file_name().into_string().unwrap(), (changed, fs::read(entry.path()).unwrap_or_default()))
        })
        .collect()
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let here = tempfile::tempdir().unwrap();
    for (verb, status) in [
        ("runs", 0),
        ("report", 1),
        ("anomalies", 1),
        ("history", 1),
        ("export --format csv", 1),
        ("recompute --check", 1),
    ] {
        let mut command = tlslab(here.path(), verb);
        command.args(["--out", "newdir"]);
        let (code, text) = answer(command);
        assert_eq!(code, Some(status), "{verb}: {text}");
        assert!(text.contains("newdir/tlslab.sqlite"), "{verb}: {text}");
        assert_eq!(fs::read_dir(here.path()).unwrap().count(), 0, "{verb} made something");
    }
}

#[test]
fn what_is_recorded_is_shown_without_the_labs_files_and_stays_as_it_is() {
    let here = tempfile::tempdir().unwrap();
    let out = here.path().join("results");
    fs::create_dir(&out).unwrap();
    fs::write(out.join("bencher.json"), r#"{"handshake/a": {"time": {"value": 3.0}}}"#).unwrap();
    let mut import = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    import.args(["--root", concat!(env!("CARGO_MANIFEST_DIR"), "/../..")]);
    import.args(["import", "--format", "bencher", "--label", "1.0", "--stack", "library", "--out"]);
    import.arg(&out).arg(out.join("bencher.json"));
    let (code, text) = answer(import);
    assert_eq!(code, Some(0), "{text}");
    let before = everything(&out);
    for verb in ["runs", "history", "history --format json", "recompute --check"] {
        let mut command = tlslab(here.path(), verb);
        command.arg("--out").arg(&out);
        let (code, text) = answer(command);
        assert_eq!(code, Some(0), "{verb}: {text}");
        assert!(text.contains("library") || text.contains("imported"), "{verb}: {text}");
        assert!(everything(&out) == before, "{verb} changed {:?}", everything(&out).keys());
    }
    assert!(!here.path().join("no cache").exists());
}

#[test]
fn a_skeleton_is_written_once_and_is_right() {
    let here = tempfile::tempdir().unwrap();
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    fs::write(here.path().join("tlslab.toml"), format!("lab = {lab:?}\n")).unwrap();
    fs::create_dir_all(here.path().join("scenarios/suites")).unwrap();
    let said = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        // No stack is built there, so none is queried for its capabilities.
        command.current_dir(here.path()).env("TLSLAB_CACHE", here.path().join("cache")).args(words);
        answer(command)
    };
    assert_eq!(said(&["scenarios", "new", "scenarios/mine.toml"]).0, Some(0));
    assert_eq!(said(&["scenarios", "new", "--suite", "scenarios/suites/mine.toml"]).0, Some(0));
    let (code, again) = said(&["scenarios", "new", "scenarios/mine.toml"]);
    assert!(code == Some(2) && again.contains("it exists already"), "{again}");
    let (code, listed) = said(&["scenarios", "--suite", "mine"]);
    assert!(code == Some(0) && listed.contains("mine/1.3/rsa-2048/x25519mlkem768"), "{listed}");

    // An invalid file affects only itself.
    fs::write(here.path().join("scenarios/wrong.toml"), "work = 3\ntitel = \"a\"\n").unwrap();
    fs::create_dir(here.path().join("stacks")).unwrap();
    fs::write(here.path().join("stacks/wrong.toml"), "name = 3\n").unwrap();
    let (code, listed) = said(&["scenarios", "--scenario", "mine/**"]);
    assert!(code == Some(0) && listed.contains("skipped: scenarios/wrong.toml: 2 mistakes:"), "{listed}");
    let (code, asked) = said(&["requests", "--scenario", "wrong"]);
    assert!(code != Some(0) && asked.contains("scenarios/wrong.toml: 2 mistakes:"), "{asked}");
    let (code, stacks) = said(&["stacks", "openssl"]);
    assert!(code == Some(0) && stacks.contains("skipped: ") && stacks.contains("wrong.toml"), "{stacks}");

    // A recipe of one's own replaces the lab's.
    fs::remove_file(here.path().join("stacks/wrong.toml")).unwrap();
    let recipe = fs::read_to_string(lab.join("stacks/openssl.toml")).unwrap();
    let title = recipe.lines().find(|line| line.starts_with("licence = ")).unwrap();
    fs::write(here.path().join("stacks/openssl.toml"), recipe.replacen(title, "licence = \"Mine\"", 1))
        .unwrap();
    let (code, stacks) = said(&["stacks", "openssl"]);
    assert!(code == Some(0) && stacks.contains("Mine"), "{stacks}");
}
