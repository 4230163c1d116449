//! A scenario's specification is part of its series: an edited scenario is not a slower library.

mod support;

use std::path::Path;
use std::process::Command;

use support::stdout;

const SCENARIO: &str = "mine/1.3";

/// A folder of a user's own with one scenario, which sends so many tickets.
fn write_scenario(folder: &Path, tickets: u32) {
    let text = format!(
        "title = \"Mine\"\ndescription = \"A handshake.\"\nname = \"mine/{{version}}\"\nwork = \"handshake\"\n[axes]\n\
         version = \"1.3\"\nsignature = \"ecdsa-p256\"\ngroup = \"x25519\"\nsuite = \"aes-128-gcm\"\n\
         verification = \"none\"\ntickets = {tickets}\n"
    );
    std::fs::create_dir_all(folder.join("scenarios")).unwrap();
    std::fs::write(folder.join("scenarios/mine.toml"), text).unwrap();
}

#[test]
fn an_edited_scenario_begins_a_new_series_and_history_names_what_changed() {
    let folder = tempfile::tempdir().unwrap();
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    std::fs::write(folder.path().join("tlslab.toml"), format!("lab = {:?}\n", lab.display().to_string()))
        .unwrap();
    let command = |words: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        command.args(words).current_dir(folder.path());
        stdout(&command.output().unwrap())
    };
    let counted = ["--metric", "count", "--count-iterations", "1", "--format", "csv"];
    for tickets in [0, 0, 2] {
        write_scenario(folder.path(), tickets);
        command(&[&["run", "--stack", "rustls/ring", "--scenario", SCENARIO], &counted[..]].concat());
    }
    let history = command(&["history", "--side", "server"]);
    // Twice the same work, then other work: one line at its beginning, with its specification.
    assert_eq!(history.matches("═ work ").count(), 2, "{history}");
    assert_eq!(history.matches("tickets 0 → 2").count(), 1, "{history}");
    assert!(!history.contains("▲ changed"), "{history}");
    let begins = history.lines().find(|line| line.contains("═ work ")).unwrap();
    assert!(begins.contains("; harness ") && !begins.contains("unknown; kernel"), "{begins}");
}
