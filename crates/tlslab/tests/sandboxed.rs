//! The lab's reports about a stack are equal inside and outside of the sandbox.

mod support;

use std::path::Path;

use support::{stdout, tlslab};

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const COLD: &str = "cold/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

/// A command's output.
fn run_under(mode: &str, arguments: &[&str]) -> String {
    stdout(&tlslab().args(["--sandbox", mode]).args(arguments).output().unwrap())
}

/// The cells of a run, a line each.
fn cells(mode: &str, arguments: &[&str]) -> Vec<String> {
    let out = tempfile::tempdir().unwrap();
    let mut all = vec!["run", "--format", "csv", "--out", out.path().to_str().unwrap()];
    all.extend(arguments);
    run_under(mode, &all).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn functions_and_what_changed_of_them_are_the_same() {
    for counted in ["--counter=valgrind", "--callers"] {
        let folders = ["off", "require"].map(|_| tempfile::tempdir().unwrap());
        let profile = |mode: &str, folder: &Path| {
            let how = ["--stack", "openssl", "--scenario", SCENARIO, "--count-iterations", "2", counted];
            let out = ["--out", folder.to_str().unwrap()];
            run_under(mode, &[&["profile"], &how[..], &out[..]].concat()).replace(out[1], "DIR")
        };
        let [outside, inside] = [("off", &folders[0]), ("require", &folders[1])]
            .map(|(mode, folder)| profile(mode, folder.path()));
        assert!(outside.contains("instructions per iteration"), "{outside}");
        assert_eq!(inside, outside);
        let kept = |folder: &tempfile::TempDir| format!("folder:{}", folder.path().display());
        let diff = run_under("require", &["diff", &kept(&folders[0]), &kept(&folders[1])]);
        assert!(diff.contains("every function as before"), "{diff}");
    }
}

#[test]
fn heap_and_cold_figures_are_there() {
    let weighed = ["--stack", "rustls/ring", "--scenario", SCENARIO, "--metric", "heap"];
    let (outside, inside) = (cells("off", &weighed), cells("require", &weighed));
    assert!(outside.iter().any(|cell| cell.contains("heap")), "{outside:?}");
    assert_eq!(inside, outside);

    let timed = ["--metric", "time", "--budget", "3s", "--rounds", "4"];
    let cold = ["--stack", "rustls/ring", "--scenario", SCENARIO, "--cold"];
    let fresh = ["--stack", "rustls/ring", "--scenario", COLD];
    for asked in [&cold[..], &fresh[..]] {
        let cells = cells("require", &[asked, &timed[..]].concat());
        let measured = cells.iter().filter(|cell| cell.contains("rustls/ring") && !cell.contains("failed"));
        assert!(cells.len() >= 2 && measured.count() == cells.len(), "{cells:?}");
    }
}

/// With a sandbox, a cache in a checkout is rejected; this shows whether one is used.
#[test]
fn under_ci_everything_but_released_stacks_of_the_lab_is_in_the_sandbox() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["cache", ".git", "own/drivers", "settings", "library"] {
        std::fs::create_dir_all(at(name)).unwrap();
    }
    let lab = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap();
    for name in ["own", "settings"] {
        std::fs::write(at(name).join("tlslab.toml"), format!("lab = {lab:?}\n")).unwrap();
    }
    std::fs::write(at("a.patch"), "").unwrap();
    let is_refused = |root: &Path, checkout: &Path, stack: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_tlslab"));
        command.arg("--root").arg(root).arg("--cache").arg(at("cache")).args(["stacks", stack]);
        command.current_dir(folder.path()).env("CI", "true").env("GITHUB_WORKSPACE", checkout);
        for name in
            ["TLSLAB_SANDBOX", "TLSLAB_TRUSTED_CACHE", "TLSLAB_CHECKOUT", "CI_PROJECT_DIR", "WORKSPACE"]
        {
            command.env_remove(name);
        }
        let output = command.output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        let is_refused = said.contains("name a folder outside of checkouts with --cache or TLSLAB_CACHE");
        assert!(is_refused || output.status.success(), "{stack}: {said}");
        is_refused
    };
    let elsewhere = at("elsewhere");
    assert!(!is_refused(&lab, &elsewhere, "rustls/ring"));
    assert!(!is_refused(&at("settings"), &elsewhere, "rustls/ring"), "it has no drivers or recipes");
    for stack in [
        "rustls/ring@path:library",
        "rustls/ring@patch:a.patch",
        "rustls/ring@git:https://example.com/x.git#main",
    ] {
        assert!(is_refused(&lab, &elsewhere, stack), "{stack}");
    }
    assert!(is_refused(&at("own"), &elsewhere, "rustls/ring"), "its drivers come first");
    assert!(is_refused(&lab, &lab, "rustls/ring"), "the lab itself may be the change");
}
