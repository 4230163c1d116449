//! Verbs that take a repository start no program that its configuration names, with a sandbox and without
//! one.

mod support;
#[path = "../../../tests/zoo/mod.rs"]
mod zoo;

use std::process::Command;

use support::tlslab;

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

#[test]
fn verbs_start_no_program_that_a_repository_names() {
    let folder = tempfile::tempdir().unwrap();
    let [library, outside] = ["library", "outside"].map(|name| folder.path().join(name));
    std::fs::create_dir(&library).unwrap();
    std::fs::create_dir(&outside).unwrap();
    std::fs::write(library.join("answer.c"), "int answer(void) { return 1; }\n").unwrap();
    let all = zoo::specimens("checkouts");
    let specimen = all.iter().find(|specimen| specimen.name == "programs-everywhere").unwrap();
    let mut script = Command::new("sh");
    script.args(["-ec", &specimen.script]).current_dir(folder.path()).env("OUTSIDE", &outside);
    assert!(script.status().unwrap().success());
    let stack = format!("rustls/ring@path:{}", library.display());
    let library = library.to_str().unwrap();
    let bisect = ["bisect", "rustls/ring", "--repository", library, "--good", "base", "--scenario", SCENARIO];
    let compare = ["compare", "--scenario", SCENARIO, "--merge-base"];
    let verbs = [
        [&compare[..], &["lost", &stack]].concat(),
        [&bisect[..], &["--bad", "lost"]].concat(),
        // The signed commit exists, but is not a library of that stack.
        [&bisect[..], &["--bad", "main", "--metric", "count"]].concat(),
        vec!["build", &stack],
    ];
    for mode in ["off", "require"] {
        for verb in &verbs {
            let mut command = tlslab();
            command.args(verb).args(["--sandbox", mode]).env("TLSLAB_TOKEN", "canary");
            if verb[0] != "build" {
                command.arg("--out").arg(folder.path().join("out"));
            }
            let output = command.output().unwrap();
            let said = String::from_utf8_lossy(&output.stderr);
            assert!(!output.status.success() && !said.contains("Usage:"), "{verb:?}: {said}");
            let mark = std::fs::read_to_string(outside.join("mark"));
            assert!(mark.is_err(), "{mode} {verb:?}: {mark:?}");
        }
    }
}
