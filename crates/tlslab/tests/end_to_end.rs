//! One small run on real stacks, from the command line to its files.

mod support;

use serde_json::Value;
use support::{stdout, tlslab};

#[test]
fn a_run_measures_every_cell_and_says_why_where_it_cannot() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().to_str().unwrap();
    let mut command = tlslab();
    command.args(["run", "--out", out, "--budget", "4s", "--rounds", "8", "--seed", "1", "--format", "json"]);
    for stack in support::STACKS {
        command.args(["--stack", stack]);
    }
    for scenario in [
        "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/{none,chain,chain+name}",
        "transfer/1.3/aes-128-gcm/{client,server}-sends/16KiB/warm",
        "transfer/1.3/chacha20-poly1305/client-sends/1MiB/fresh",
    ] {
        command.args(["--scenario", scenario]);
    }
    let results: Value = serde_json::from_str(&stdout(&command.output().unwrap())).unwrap();
    let cells = results["cells"].as_array().unwrap();
    let content = |stack: &str, scenario: &str, side: &str, metric: &str| {
        let found = cells.iter().find(|cell| {
            cell["stack"] == stack
                && cell["scenario"] == scenario
                && cell["side"] == side
                && cell["metric"] == metric
        });
        found.unwrap_or_else(|| panic!("no cell {stack} {scenario} {side} {metric}"))
    };
    assert!(cells.iter().all(|cell| cell.get("failed").is_none()), "{cells:#?}");
    for stack in support::STACKS {
        for side in ["client", "server"] {
            let cell = content(stack, "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", side, "time");
            let time_us = cell["estimate"].as_f64().unwrap();
            let (lower, upper) = (&cell["interval"]["lower"], &cell["interval"]["upper"]);
            assert_eq!(cell["unit"], "µs");
            assert!(time_us > 1.0 && time_us < 100_000.0, "{cell}");
            assert!(lower.as_f64().unwrap() <= time_us && time_us <= upper.as_f64().unwrap(), "{cell}");
        }
    }
    for level in ["chain", "chain+name"] {
        let scenario = format!("handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/{level}");
        let cell = content("bertie", &scenario, "client", "time");
        assert!(cell["unsupported"].as_str().unwrap().contains("no certificate chain"), "{cell}");
    }
    // Every scenario × stack × side is present, with a value or a reason.
    let sides = cells.iter().filter(|cell| cell["metric"] == "time").count();
    assert_eq!(sides, 6 * 3 * 2);

    let runs = stdout(&tlslab().args(["runs", "--out", out]).output().unwrap());
    let id = runs.lines().nth(1).unwrap().split_whitespace().next().unwrap();
    assert!(runs.contains("complete"), "{runs}");
    for file in ["report.html", "report.md", "results.json", "results.csv"] {
        let written = std::fs::read_to_string(folder.path().join(id).join(file)).unwrap();
        assert!(written.contains("handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none"), "{file}");
    }
    // The same samples give the same figures at any time.
    let again = stdout(&tlslab().args(["report", id, "--out", out, "--format", "json"]).output().unwrap());
    assert_eq!(serde_json::from_str::<Value>(&again).unwrap(), results);
}

#[test]
fn a_stack_that_cannot_be_built_is_a_failed_cell_and_an_exit_status_of_3() {
    let tree = tempfile::tempdir().unwrap();
    let lab = std::path::Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../..")).canonicalize().unwrap();
    for part in ["crates", "drivers", "scenarios", "Cargo.toml", "Cargo.lock", "tlslab.toml"] {
        std::os::unix::fs::symlink(lab.join(part), tree.path().join(part)).unwrap();
    }
    let stacks = tree.path().join("stacks");
    std::fs::create_dir(&stacks).unwrap();
    std::fs::copy(lab.join("stacks/rustls/ring.toml"), stacks.join("ring.toml")).unwrap();
    std::fs::create_dir(tree.path().join("source")).unwrap();
    std::fs::write(tree.path().join("source/README"), "no library").unwrap();
    std::fs::write(
        stacks.join("broken.toml"),
        r#"
name = "broken"
title = "A library that does not build"
licence = "MIT"
driver = "libssl"
[source]
path = "../source"
[build]
steps = [["sh", "-c", "echo the compiler is on holiday; exit 7"]]
[link]
args = []
"#,
    )
    .unwrap();
    let out = tree.path().join("results");
    let output = tlslab()
        .args(["run", "--suite", "smoke", "--budget", "1s", "--stack", "rustls/ring", "--stack", "broken"])
        .args(["--format", "json", "--root", tree.path().to_str().unwrap(), "--out", out.to_str().unwrap()])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cells = results["cells"].as_array().unwrap();
    let times = |stack: &str| -> Vec<&Value> {
        cells.iter().filter(|cell| cell["stack"] == stack && cell["metric"] == "time").collect()
    };
    assert_eq!(times("broken").len(), 4);
    for cell in times("broken") {
        let reason = cell["failed"].as_str().unwrap();
        assert_eq!(reason, "the stack did not take part: not built");
    }
    // The reason is reported once, with the stack.
    let broken =
        results["stacks"].as_array().unwrap().iter().find(|stack| stack["name"] == "broken").unwrap();
    let reason = broken["failed"].as_str().unwrap();
    assert!(reason.starts_with("not built: ") && reason.contains("the compiler is on holiday"), "{reason}");
    assert_eq!(times("rustls/ring").iter().filter(|cell| cell["estimate"].is_number()).count(), 4);
}

#[test]
fn a_patch_that_does_not_apply_is_one_error_and_no_report() {
    let place = tempfile::tempdir().unwrap();
    let patch = place.path().join("bad.patch");
    std::fs::write(&patch, "--- a/src/nope.rs\n+++ b/src/nope.rs\n@@ -1 +1 @@\n-one\n+two\n").unwrap();
    let stack = format!("rustls/ring@patch:{}", patch.display());
    let output =
        tlslab().args(["run", "--stack", &stack, "--out", place.path().to_str().unwrap()]).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    assert_eq!((output.status.code(), &*output.stdout), (Some(3), &b""[..]), "{errors}");
    assert_eq!(errors.matches("src/nope.rs: No such file").count(), 1, "{errors}");
    assert!(errors.lines().count() < 12, "{errors}");
    assert!(errors.contains("nothing was measured"), "{errors}");
}
