//! Instructions of native execution, and how far an emulator's counts agree with them.

mod support;

use std::collections::BTreeMap;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;
use support::stdout;

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const TRANSFER: &str = "transfer/1.3/chacha20-poly1305/client-sends/16KiB/warm";
const HASH: &str = "primitive/hash/sha-256/1KiB";

type Exact = BTreeMap<[String; 4], Value>;

fn results(out: &Path, more: &[&str]) -> (Value, Exact) {
    let mut command = support::tlslab();
    command.args(["run", "--metric", "count", "--format", "json", "--out"]).arg(out).args(more);
    let results: Value = serde_json::from_str(&stdout(&command.output().unwrap())).unwrap();
    let cells = results["exact"].as_array().unwrap().iter().map(|cell| {
        let key = ["stack", "scenario", "side", "metric"].map(|key| cell[key].as_str().unwrap().to_owned());
        (key, cell.clone())
    });
    (results.clone(), cells.collect())
}

fn cell<'e>(exact: &'e Exact, stack: &str, scenario: &str, side: &str) -> &'e Value {
    let key = [stack, scenario, side, "count.instructions"].map(str::to_owned);
    exact.get(&key).unwrap_or_else(|| panic!("{key:?}: {exact:#?}"))
}

/// A folder with every program that the lab may find, except for Python.
fn without_python(folder: &Path) {
    let path = std::env::var_os("PATH").unwrap();
    for entry in std::env::split_paths(&path).filter_map(|folder| folder.read_dir().ok()).flatten().flatten()
    {
        let name = entry.file_name();
        if !name.to_string_lossy().starts_with("python") {
            // The first of a name is the one that counts.
            let _ = symlink(entry.path(), folder.join(name));
        }
    }
}

#[test]
fn a_cell_says_why_nothing_counts_it() {
    let folder = tempfile::tempdir().unwrap();
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    without_python(&bin);
    let mut command = support::tlslab();
    command.args(["run", "--metric", "count", "--format", "json", "--counter", "frida", "--scenario", HASH]);
    command.args(["--stack", "rustls/ring", "--out"]).arg(folder.path()).env("PATH", &bin);
    let results: Value = serde_json::from_str(&stdout(&command.output().unwrap())).unwrap();
    let reason = results["exact"][0]["unsupported"].as_str().unwrap();
    assert!(reason.contains("apt-get install python3 python3-pip") && !reason.contains('\n'), "{reason}");
}

#[test]
#[ignore = "installs Frida, if it is not in the cache: `make test-all`"]
fn two_runs_count_the_same_and_stacks_stand_beside_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let run = |name: &str| {
        let mut args = vec!["--counter", "frida", "--count-iterations", "4", "--baseline", "rustls/ring"];
        for scenario in [HANDSHAKE, TRANSFER, HASH] {
            args.extend(["--scenario", scenario]);
        }
        for stack in ["openssl", "rustls/ring"] {
            args.extend(["--stack", stack]);
        }
        results(&folder.path().join(name), &args)
    };
    let (results, one) = run("one");
    let (_, other) = run("another-with-a-longer-name");
    assert_eq!(one, other);
    for side in ["client", "server"] {
        let value = |stack| cell(&one, stack, HANDSHAKE, side)["estimate"].as_f64().unwrap();
        let ratio = &cell(&one, "openssl", HANDSHAKE, side)["ratio"];
        assert_eq!(ratio["baseline"], "rustls/ring");
        assert_eq!(ratio["value"].as_f64().unwrap(), value("openssl") / value("rustls/ring"));
        assert!(cell(&one, "rustls/ring", HANDSHAKE, side).get("ratio").is_none());
        assert!((100_000.0..20_000_000.0).contains(&value("openssl")), "{side}");
        // Less than one instruction for each byte, on every processor.
        let transfer = cell(&one, "openssl", TRANSFER, side)["estimate"].as_f64().unwrap();
        assert!((8_192.0..200_000.0).contains(&transfer), "{side}: {transfer}");
    }
    let counter = &results["run"]["counter"];
    assert_eq!(counter["native"], true);
    assert!(!counter["features"]["openssl"].as_array().unwrap().is_empty(), "{counter}");
    assert!(results["notes"].to_string().contains("RDSEED"), "{}", results["notes"]);
}

/// The instructions of each function of a side, by name, from files in callgrind's format.
fn functions(folder: &Path, side: &str) -> BTreeMap<String, u64> {
    let mut functions: BTreeMap<String, u64> = BTreeMap::new();
    for entry in folder.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if !path.file_name().unwrap().to_string_lossy().starts_with(side)
            || path.extension().is_some_and(|e| e == "stacks")
        {
            continue;
        }
        let profile = tlslab_profile::parse(&std::fs::read_to_string(&path).unwrap()).unwrap();
        for (function, costs) in &profile.functions {
            *functions.entry(function.name.clone()).or_default() += costs[0];
        }
    }
    functions
}

#[test]
#[ignore = "installs Frida, if it is not in the cache: `make test-all`"]
fn a_function_that_runs_both_ways_takes_the_same() {
    let folder = tempfile::tempdir().unwrap();
    let profile = |counter: &str| {
        let files = folder.path().join(counter);
        let mut command = support::tlslab();
        command.args(["profile", "--counter", counter, "--stack", "rustls/ring", "--scenario", HANDSHAKE]);
        let said = stdout(&command.args(["--count-iterations", "4", "--out"]).arg(&files).output().unwrap());
        (said, functions(&files, "server"))
    };
    let (said, native) = profile("frida");
    let (_, emulated) = profile("valgrind");
    let total: u64 = native.values().sum();
    assert!(
        said.contains(&format!(
            "server: {} instructions per iteration",
            tlslab_text::number::whole(format!("{:.0}", total as f64 / 4.0))
        )),
        "{said}"
    );
    // Arithmetic whose work does not depend on its operands. With inlined code one counter reports other
    // names.
    let same: u64 = native
        .iter()
        .filter(|(name, count)| emulated.get(*name) == Some(count))
        .map(|(_, count)| count)
        .sum();
    assert!(same * 10 > total * 3, "{same} of {total} are the same: {said}");
}

#[test]
#[ignore = "installs Frida, if it is not in the cache: `make test-all`"]
fn what_fidelity_finds_marks_the_counts() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path();
    let run = || {
        let args =
            ["--stack", "rustls/ring", "--stack", "openssl", "--scenario", HASH, "--count-iterations", "4"];
        results(out, &args).1
    };
    let before = run();
    let mark = cell(&before, "rustls/ring", HASH, "client")["fidelity"]["what"].as_str().unwrap().to_owned();
    assert!(mark.contains(&format!("run `tlslab fidelity rustls/ring --scenario {HASH}`")), "{mark}");
    let no_ratio = before.values().find_map(|cell| cell["no_ratio"].as_str()).unwrap();
    assert!(no_ratio.contains("--counter native"), "{no_ratio}");
    let mut command = support::tlslab();
    command.args([
        "fidelity",
        "rustls/ring",
        "--scenario",
        HASH,
        "--count-iterations",
        "4",
        "--budget",
        "2s",
        "--out",
    ]);
    let said = stdout(&command.arg(out).output().unwrap());
    assert!(said.contains("instructions under valgrind"), "{said}");
    let hidden = said.lines().find_map(|line| line.strip_prefix("hidden by the counter: ")).unwrap();
    let hides_hashes = hidden.split(' ').any(|feature| feature == "sha");
    let after = run();
    let mark = cell(&after, "rustls/ring", HASH, "client")
        .get("fidelity")
        .map(|mark| mark["what"].as_str().unwrap());
    if hides_hashes {
        assert!(mark.unwrap().contains("functions that do not run natively: ring_core"), "{mark:?}");
        assert!(said.contains("never runs natively") && said.contains("never runs under valgrind"), "{said}");
        assert!(said.contains("µs without the hidden features"), "{said}");
    } else {
        assert_eq!(mark, None, "{said}");
    }
    let still = cell(&after, "openssl", HASH, "client")["fidelity"]["what"].as_str().unwrap();
    assert!(still.contains("not known"), "{still}");
}

/// Processes that work in the lab's folders for counted drivers.
fn counted(lab: u32) -> Vec<String> {
    let begins = format!("count-{lab}-");
    let folders = std::fs::read_dir("/proc").unwrap().flatten();
    let works_in = folders.filter_map(|process| std::fs::read_link(process.path().join("cwd")).ok());
    let names = works_in.map(|folder| folder.to_string_lossy().into_owned());
    names.filter(|folder| folder.contains(&begins)).collect()
}

fn until(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
#[ignore = "installs Frida, if it is not in the cache: `make test-all`"]
fn whatever_ends_the_lab_nothing_outlives_it() {
    // Installed, and built.
    let folder = tempfile::tempdir().unwrap();
    let quick =
        ["--counter", "frida", "--stack", "rustls/ring", "--scenario", HASH, "--count-iterations", "1"];
    results(folder.path(), &quick);
    for signal in [libc::SIGINT, libc::SIGKILL] {
        let folder = tempfile::tempdir().unwrap();
        let mut command = support::tlslab();
        command.args(["run", "--metric", "count", "--counter", "frida", "--count-iterations", "1000000"]);
        command.args(["--stack", "rustls/ring", "--scenario", HANDSHAKE, "--out"]).arg(folder.path());
        let mut lab: Child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        // The program that attaches, and the driver that it follows.
        until("nothing was counted", || counted(lab.id()).len() >= 2);
        std::thread::sleep(Duration::from_millis(500));
        // SAFETY: the lab has not been waited for, so the id is its own.
        unsafe { libc::kill(lab.id() as i32, signal) };
        lab.wait().unwrap();
        until("something outlives the lab", || counted(lab.id()).is_empty());
    }
}
