//! Every driver in the tree is compiled by a test: `tests/drivers` names the stack that does it.

use std::path::{Path, PathBuf};
use std::process::Command;

struct Row {
    folder: String,
    lab: String,
    stack: String,
    built_in: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn rows() -> Vec<Row> {
    let text = std::fs::read_to_string(root().join("tests/drivers")).unwrap();
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            assert!(
                matches!(&fields[..], [_, _, _, "test"])
                    || matches!(&fields[..], [_, _, _, "all", why] if !why.is_empty()),
                "tests/drivers: {line:?} is neither `test` nor `all` with a reason"
            );
            let [folder, lab, stack, built_in] = [0, 1, 2, 3].map(|at| fields[at].to_owned());
            Row { folder, lab, stack, built_in }
        })
        .collect()
}

/// Builds the drivers of one kind, each lab's in one command.
fn build(built_in: &str) {
    let rows = rows();
    let mut labs: Vec<&str> = rows.iter().map(|row| row.lab.as_str()).collect();
    labs.dedup();
    for lab in labs {
        let chosen = rows.iter().filter(|row| row.lab == lab && row.built_in == built_in);
        let stacks: Vec<&str> = chosen.map(|row| row.stack.as_str()).collect();
        if stacks.is_empty() {
            continue;
        }
        let mut tlslab = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        let output = tlslab.arg("--root").arg(root().join(lab)).arg("build").args(&stacks).output().unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{}{errors}", String::from_utf8_lossy(&output.stdout));
    }
}

#[test]
fn no_folder_with_a_driver_is_missing() {
    let mut folders = vec![];
    let listed = Command::new("git").current_dir(root()).arg("ls-files").output().unwrap();
    for file in String::from_utf8(listed.stdout).unwrap().lines() {
        // Files directly below a folder `drivers`, except descriptions of hostile drivers, which are scripts.
        let parts: Vec<&str> = file.split('/').collect();
        let Some(at) = parts.iter().position(|part| *part == "drivers") else { continue };
        let is_elsewhere = ["docs", "crates"].contains(&parts[0]) || file.starts_with("tests/zoo/");
        if parts.len() > at + 2 && !is_elsewhere {
            folders.push(parts[..at + 2].join("/"));
        }
    }
    folders.sort();
    folders.dedup();
    let named: Vec<String> = rows().into_iter().map(|row| row.folder).collect();
    assert_eq!(named, folders, "tests/drivers must have one row per folder, in this order");
}

#[test]
fn drivers_that_make_test_compiles() {
    build("test");
}

#[test]
#[ignore = "builds libraries that take minutes: `make drivers`"]
fn drivers_that_take_minutes() {
    build("all");
}
