//! Comparisons of real stacks, with planted changes.

mod support;

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use rusqlite::Connection;
use serde_json::Value;
use support::plant::{copied, plant};
use support::{stdout, tlslab};

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
/// About 1 % of a handshake's instructions, in a separate function.
const LOOP: &str = "        let mut turns = 0u32;
        while core::hint::black_box(turns) < 3_000 {
            turns += 1;
        }";
const BEHIND: &str = "        let client_secret = self.ks.derive_logged_secret(\n            SecretKind::ClientHandshakeTrafficSecret,";

fn compare(out: &Path, arguments: &[&str]) -> Output {
    let mut command = tlslab();
    command.arg("compare").args(arguments).args(["--scenario", HANDSHAKE, "--format", "json", "--out"]);
    command.arg(out).output().expect("the lab starts")
}

fn json(output: &Output) -> Value {
    let text = String::from_utf8_lossy(&output.stdout);
    serde_json::from_str(&text)
        .unwrap_or_else(|error| panic!("{error}\n{text}\n{}", String::from_utf8_lossy(&output.stderr)))
}

fn verdicts(comparison: &Value) -> Vec<&str> {
    let changes = comparison["changes"].as_array().expect("changes");
    changes.iter().map(|change| change["verdict"].as_str().unwrap_or("missing")).collect()
}

/// A repository of the library with a slow-down in the `slow`th of `count` commits, some of which do not
/// build.
fn repository(folder: &Path, count: usize, slow: usize, broken: &[usize]) {
    let source = copied(folder, "rustls/ring", "rustls");
    let git = |arguments: &[&str]| {
        let status = Command::new("git")
            .arg("-C")
            .arg(&source)
            .args(["-c", "user.name=n", "-c", "user.email=n@example.org", "-c", "init.defaultBranch=main"])
            .args(arguments)
            .status()
            .expect("git starts");
        assert!(status.success(), "git {arguments:?}");
    };
    git(&["init", "--quiet"]);
    git(&["add", "--all", "--force"]);
    git(&["commit", "--quiet", "--message", "start"]);
    let notes = source.join("src/verify.rs");
    for commit in 1..=count {
        let mut text = std::fs::read_to_string(&notes).unwrap();
        text = text.replace("\nfn broken( {\n", "\n");
        text += &format!("// {commit}\n");
        if broken.contains(&commit) {
            text += "\nfn broken( {\n";
        }
        std::fs::write(&notes, text).unwrap();
        if commit == slow {
            // Before the text, so that it is a statement of its own.
            let file = source.join("src/tls13/key_schedule.rs");
            let text = std::fs::read_to_string(&file).unwrap();
            std::fs::write(&file, text.replacen(BEHIND, &format!("{LOOP}\n{BEHIND}"), 1)).unwrap();
        }
        git(&["commit", "--quiet", "--all", "--message", &format!("commit {commit}")]);
    }
}

#[test]
fn a_stack_against_itself_is_the_same_code_and_every_cell_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = [
        "rustls/ring",
        "rustls/ring",
        "--metric",
        "time",
        "--budget",
        "3s",
        "--fixed-layout",
        "--arrangement",
        "duet",
    ];
    let output = compare(folder.path(), &arguments);
    let comparison = json(&output);
    assert!(output.status.success());
    assert_eq!(verdicts(&comparison), ["identical", "identical"]);
    assert_eq!(comparison["pairs"][0]["identical"], true);
    // It was measured nevertheless.
    assert!(comparison["changes"][0]["ratios"].as_array().unwrap().len() >= 16);
    let run = comparison["runs"][0].as_str().unwrap();
    for file in ["comparison.html", "comparison.md", "comparison.json"] {
        assert!(folder.path().join(run).join(file).is_file(), "{file}");
    }
}

#[test]
fn what_cannot_be_compared_is_said_and_named() {
    let folder = tempfile::tempdir().unwrap();
    let said = |arguments: &[&str]| {
        let output = compare(folder.path(), arguments);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(said(&["rustls/ring"]).contains("there is no baseline"));
    assert_eq!(compare(folder.path(), &[]).status.code(), Some(2), "it needs stacks");
    assert!(said(&["rustls/ring", "no-such-stack"]).contains("no-such-stack"));
    let of_folders = |arguments: &[&str], status: i32| {
        let output =
            tlslab().args(["compare", "--folders"]).args(arguments).output().expect("the lab starts");
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        String::from_utf8_lossy(&output.stderr).into_owned()
    };
    assert!(of_folders(&["/none", "/nor-this"], 1).contains("/none"));
    assert!(of_folders(&["/none"], 2).contains("name two"));
    let contradicting = compare(folder.path(), &["--folders", "/none", "/nor-this"]);
    assert_eq!(contradicting.status.code(), Some(2), "folders have no scenarios");
    assert!(said(&["rustls/ring", "--merge-base", "main"]).contains("is not a checkout"));
    assert!(said(&["rustls/ring", "openssl", "--budget", "0.2s", "--metric", "time"]).contains("--budget"));
    assert!(
        said(&["rustls/ring", "openssl", "--metric", "time", "--counter", "valgrind"])
            .contains("--counter: nothing is counted in this comparison; add count")
    );
}

#[test]
fn runs_that_were_made_can_be_compared_afterwards() {
    let folder = tempfile::tempdir().unwrap();
    let (here, there) = (folder.path().join("here"), folder.path().join("there"));
    let run = |out: &Path| {
        let mut command = tlslab();
        command.args([
            "run",
            "--stack",
            "rustls/ring",
            "--scenario",
            HANDSHAKE,
            "--budget",
            "2s",
            "--format",
            "json",
        ]);
        let output = command.arg("--out").arg(out).output().expect("the lab starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let report: Value = serde_json::from_str(&stdout(&output)).unwrap();
        report["run"]["id"].as_str().unwrap().to_owned()
    };
    let (base, new) = (run(&here), run(&there));
    let mut command = tlslab();
    command.args(["compare", "--runs", &base, &format!("{new}@{}", there.display()), "--format", "json"]);
    let comparison = json(&command.arg("--out").arg(&here).output().expect("the lab starts"));
    assert_eq!(comparison["runs"], serde_json::json!([base, new]));
    let changes = comparison["changes"].as_array().unwrap();
    assert!(
        changes.iter().any(|change| change["side"] == "client" && change["ratio"].is_number()),
        "{changes:?}"
    );
    // One of the two is not in the named place.
    let mut command = tlslab();
    command.args(["compare", "--runs", &base, &new, "--out"]).arg(&here);
    let output = command.output().expect("the lab starts");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains(&new));
}

#[test]
fn what_two_stacks_take_of_the_heap_is_compared() {
    let folder = tempfile::tempdir().unwrap();
    let output = compare(folder.path(), &["rustls/ring", "rustls/aws-lc-rs", "--metric", "heap"]);
    let comparison = json(&output);
    assert!(output.status.success());
    let changes = comparison["changes"].as_array().unwrap();
    let peak: Vec<&Value> = changes.iter().filter(|change| change["metric"] == "heap.peak").collect();
    assert_eq!(peak.len(), 2, "{changes:?}");
    assert!(peak.iter().all(|change| change["ratio"].is_number()), "{peak:?}");
}

/// Waits until so many visits are complete.
fn wait_for_visits(database: &Path, count: i64) {
    let database = Connection::open(database).unwrap();
    database.busy_timeout(Duration::from_secs(10)).unwrap();
    let complete = "SELECT count(*) FROM visit WHERE complete";
    let deadline = Instant::now() + Duration::from_secs(120);
    while database.query_row(complete, [], |row| row.get::<_, i64>(0)).unwrap() < count {
        assert!(Instant::now() < deadline, "fewer than {count} visits are complete");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_comparison_that_was_killed_goes_on_where_it_stopped() {
    let folder = tempfile::tempdir().unwrap();
    let arguments = ["rustls/ring", "rustls/ring", "--metric", "time", "--budget", "16s", "--fixed-layout"];
    let mut command = tlslab();
    command.arg("compare").args(arguments).args([
        "--arrangement",
        "interleaved",
        "--scenario",
        HANDSHAKE,
        "--out",
    ]);
    let mut lab = command.arg(folder.path()).stderr(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
    let lines = BufReader::new(lab.stderr.take().unwrap()).lines();
    let reached = lines.map_while(Result::ok).find(|line| line.starts_with("measure:"));
    assert!(reached.is_some(), "nothing was measured");
    wait_for_visits(&folder.path().join("tlslab.sqlite"), 8);
    assert!(lab.try_wait().unwrap().is_none(), "the comparison has ended");
    lab.kill().unwrap();
    lab.wait().unwrap();
    let mut command = tlslab();
    command.args(["compare", "--resume", "--format", "json", "--out"]).arg(folder.path());
    let started = Instant::now();
    let comparison = json(&command.output().expect("the lab starts"));
    assert_eq!(comparison["complete"], true);
    let rounds = comparison["changes"][0]["ratios"].as_array().unwrap().len();
    assert_eq!(rounds, 16, "the same code is measured until the first look");
    let (again, whole) = (started.elapsed().as_secs_f64(), comparison["measuring_s"].as_f64().unwrap());
    assert!(whole > 2.0, "{whole} s of measuring are in it, the last {again} s among them");
    let output = command.output().expect("the lab starts");
    assert!(String::from_utf8_lossy(&output.stderr).contains("no comparison"), "there is nothing more to do");
}

#[test]
#[ignore = "builds a library in two versions"]
fn a_planted_regression_is_found_with_its_function_and_ends_with_its_status() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path(), 1, 0, &[]);
    let source = folder.path().join("rustls");
    plant(
        &source.join("src/tls13/key_schedule.rs"),
        "        // Use an empty handshake hash for the initial handshake.",
        LOOP,
    );
    let new = format!("rustls/ring@path:{}", source.display());
    let base = format!("rustls/ring@git:{}#main", source.display());
    let out = folder.path().join("out");
    let checkout = [&new, "--merge-base", "main"];
    let output = compare(&out, &[&checkout[..], &["--metric", "count", "--fail-on", "regression"]].concat());
    let comparison = json(&output);
    assert_eq!(output.status.code(), Some(4), "{}", String::from_utf8_lossy(&output.stderr));
    assert_eq!(verdicts(&comparison), ["regression", "regression"]);
    for change in comparison["changes"].as_array().unwrap() {
        let first = change["reasons"][0]["function"].as_str().unwrap();
        assert!(first.ends_with("KeyScheduleHandshakeStart::into_handshake"), "{first}");
        assert!(change["confirmation"]["agrees"].as_bool().unwrap());
    }
    // In the other order it is an improvement, and not a failure.
    let output =
        compare(&out, &[&new, &base, "--metric", "count", "--fail-on", "regression", "--no-functions"]);
    assert!(output.status.success());
    assert_eq!(verdicts(&json(&output)), ["improvement", "improvement"]);
}

#[test]
#[ignore = "builds a library in many versions"]
fn a_planted_regression_is_found_among_revisions_of_which_some_do_not_build() {
    let folder = tempfile::tempdir().unwrap();
    repository(folder.path(), 64, 41, &[32]);
    let mut command = tlslab();
    command.args(["bisect", "rustls/ring", "--good", "HEAD~64", "--bad", "HEAD", "--scenario", HANDSHAKE]);
    command.arg("--repository").arg(folder.path().join("rustls")).arg("--out").arg(folder.path().join("out"));
    let started = Instant::now();
    let said = stdout(&command.output().expect("the lab starts"));
    println!("{} s, builds included\n{said}", started.elapsed().as_secs());
    assert!(said.lines().any(|line| line.starts_with("caused by ") && line.ends_with("commit 41")), "{said}");
    assert!(said.contains("commit 32: skipped"), "{said}");
    assert!(said.contains("into_handshake"), "{said}");
    // The second time, the answers are recorded.
    let again = stdout(&command.output().expect("the lab starts"));
    assert!(!again.contains("skipped"), "{again}");
}
