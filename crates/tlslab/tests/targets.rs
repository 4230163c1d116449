//! Every target of the Makefile's menu is in the list of targets, in the record of what ran, and on the page
//! generated from both.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(name: &str) -> String {
    std::fs::read_to_string(root().join(name)).unwrap()
}

/// The rows of the list, without comments.
fn list() -> Vec<Vec<String>> {
    let text = read("tests/targets/list");
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
}

#[test]
fn the_list_has_every_target_of_the_menu() {
    let menu: BTreeSet<String> = read("Makefile")
        .lines()
        .filter_map(|line| Some(line.split_once(": ")?).filter(|(_, rest)| rest.contains("## ")))
        .map(|(name, _)| name.to_owned())
        .filter(|name| name.chars().all(|sign| sign.is_ascii_lowercase() || sign == '-'))
        .collect();
    assert!(menu.len() > 25, "{menu:?}");
    let rows = list();
    for row in &rows {
        assert!(row.len() == 5 && row.iter().all(|field| !field.is_empty()), "tests/targets/list: {row:?}");
    }
    let listed: BTreeSet<String> = rows.into_iter().map(|row| row[0].clone()).collect();
    assert_eq!(listed, menu, "tests/targets/list must have the targets that `make` prints");
}

#[test]
fn every_short_form_was_run() {
    let record = read("docs/targets.tsv");
    for row in list().iter().filter(|row| row[2] != "-") {
        let start = format!("{}\tshort\t", row[0]);
        let target = &row[0];
        assert!(
            record.lines().any(|line| line.starts_with(&start)),
            "docs/targets.tsv has no short form of {target}: run `tests/targets/run short {target}`"
        );
    }
}

#[test]
fn the_page_is_made_of_the_record() {
    let page = tempfile::NamedTempFile::new().unwrap();
    let status =
        Command::new(root().join("tests/targets/run")).arg("page").env("PAGE", page.path()).status().unwrap();
    assert!(status.success());
    let made = std::fs::read_to_string(page.path()).unwrap();
    assert!(made == read("docs/targets.md"), "docs/targets.md differs from its record: run `make targets`");
}

/// Runs a list of three targets, one of which fails and one cannot run.
#[test]
fn all_targets_run_and_the_end_lists_what_failed() {
    let place = tempfile::tempdir().unwrap();
    let tests = place.path().join("tests/targets");
    std::fs::create_dir_all(&tests).unwrap();
    std::fs::copy(root().join("tests/targets/run"), tests.join("run")).unwrap();
    std::fs::create_dir(place.path().join("docs")).unwrap();
    let rows = ["a\tfails\tfalse\tfalse\tany", "b\tneeds\techo 'not run: no b'; false\t-\tany"];
    std::fs::write(tests.join("list"), format!("{}\n{}\nc\tpasses\ttrue\t-\tany\n", rows[0], rows[1]))
        .unwrap();
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.current_dir(place.path()).args(["-c", "user.name=test", "-c", "user.email=test@localhost"]);
        assert!(git.args(arguments).output().unwrap().status.success());
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all"]);
    git(&["commit", "--quiet", "--message", "a state"]);
    let output = Command::new(tests.join("run")).arg("short").output().unwrap();
    let said = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("not run:\nb: no b\n") && said.contains("failed: a;"), "{said}");
    let record = std::fs::read_to_string(place.path().join("docs/targets.tsv")).unwrap();
    let results: Vec<&str> = record.lines().skip(1).map(|line| line.split('\t').nth(2).unwrap()).collect();
    assert_eq!(results, ["failed", "not run: no b", "passed"], "{record}");
}
