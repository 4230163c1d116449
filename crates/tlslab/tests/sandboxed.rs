//! What the lab reports of a stack outside the sandbox, it reports inside, too.

mod support;

use std::path::Path;

use support::{stdout, tlslab};

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const COLD: &str = "cold/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

/// What a command prints.
fn said(mode: &str, arguments: &[&str]) -> String {
    stdout(&tlslab().args(["--sandbox", mode]).args(arguments).output().unwrap())
}

/// The cells of a run, a line each.
fn cells(mode: &str, arguments: &[&str]) -> Vec<String> {
    let out = tempfile::tempdir().unwrap();
    let mut all = vec!["run", "--format", "csv", "--out", out.path().to_str().unwrap()];
    all.extend(arguments);
    said(mode, &all).lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn functions_and_what_changed_of_them_are_the_same() {
    for counted in ["--counter=valgrind", "--callers"] {
        let folders = ["off", "require"].map(|_| tempfile::tempdir().unwrap());
        let profile = |mode: &str, folder: &Path| {
            let how = ["--stack", "openssl", "--scenario", SCENARIO, "--count-iterations", "2", counted];
            let out = ["--out", folder.to_str().unwrap()];
            said(mode, &[&["profile"], &how[..], &out[..]].concat()).replace(out[1], "DIR")
        };
        let [outside, inside] = [("off", &folders[0]), ("require", &folders[1])]
            .map(|(mode, folder)| profile(mode, folder.path()));
        assert!(outside.contains("instructions per iteration"), "{outside}");
        assert_eq!(inside, outside);
        let kept = |folder: &tempfile::TempDir| format!("folder:{}", folder.path().display());
        let diff = said("require", &["diff", &kept(&folders[0]), &kept(&folders[1])]);
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
