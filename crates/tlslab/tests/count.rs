//! Instructions on real stacks: counts are equal in every run, whatever else differs.

mod support;

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;
use support::stdout;

const HANDSHAKE: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";
const TRANSFER: &str = "transfer/1.3/aes-128-gcm/client-sends/16KiB/warm";
const HASH: &str = "primitive/hash/sha-256/1KiB";

type Exact = BTreeMap<[String; 4], Value>;

/// A run's counts by stack, scenario, side and metric.
fn counted(out: &Path, environment: &str, more: &[&str]) -> (Value, Exact) {
    let mut command = support::tlslab();
    command
        .args(["run", "--metric", "count", "--format", "json", "--count-iterations", "4"])
        .arg("--out")
        .arg(out);
    command.args(["--stack", "openssl", "--stack", "rustls/ring"]);
    for scenario in [HANDSHAKE, TRANSFER, HASH] {
        command.args(["--scenario", scenario]);
    }
    command.args(more).env("SOMETHING_ELSE", environment);
    let results: Value = serde_json::from_str(&stdout(&command.output().unwrap())).unwrap();
    assert!(results["cells"].as_array().unwrap().is_empty(), "nothing was to be timed");
    let cells = results["exact"].as_array().unwrap().iter().map(|cell| {
        let key = ["stack", "scenario", "side", "metric"].map(|key| cell[key].as_str().unwrap().to_owned());
        (key, cell.clone())
    });
    (results.clone(), cells.collect())
}

fn value(exact: &Exact, stack: &str, scenario: &str, side: &str, metric: &str) -> f64 {
    let key = [stack, scenario, side, metric].map(str::to_owned);
    exact
        .get(&key)
        .and_then(|cell| cell["estimate"].as_f64())
        .unwrap_or_else(|| panic!("{key:?}: {exact:#?}"))
}

#[test]
fn two_runs_count_the_same_to_the_instruction() {
    let folder = tempfile::tempdir().unwrap();
    let (results, one) = counted(&folder.path().join("one"), "", &[]);
    let (_, other) = counted(&folder.path().join("a-folder-with-a-longer-name"), &"long".repeat(100), &[]);
    assert_eq!(one, other);
    for stack in ["openssl", "rustls/ring"] {
        for side in ["client", "server"] {
            let of = |scenario: &str, metric: &str| value(&one, stack, scenario, side, metric);
            let whole = of(HANDSHAKE, "count.instructions");
            // An exchange, a signature or its check: hundreds of thousands, whatever the library.
            assert!((100_000.0..20_000_000.0).contains(&whole), "{stack} {side}: {whole}");
            let phases = ["create", "handshake", "free"]
                .map(|phase| of(HANDSHAKE, &format!("count.instructions.{phase}")));
            assert!(
                (phases.iter().sum::<f64>() - whole).abs() <= whole * 0.2,
                "{stack} {side}: {phases:?} of {whole}"
            );
            assert!(of(HANDSHAKE, "count.loads") < whole && of(HANDSHAKE, "count.stores") < whole);
            // At least one instruction for each 16 bytes that are encrypted, and no more than a few for each byte.
            let write = of(TRANSFER, "count.instructions");
            assert!((1_024.0..200_000.0).contains(&write), "{stack} {side}: {write}");
        }
        let hash = value(&one, stack, HASH, "client", "count.instructions");
        assert!((1_000.0..60_000.0).contains(&hash), "{stack}: {hash}");
    }
    let notes = results["notes"].to_string();
    assert!(notes.contains("do not rank libraries"), "{notes}");
    assert!(one.values().all(|cell| cell.get("ratio").is_none()), "no ratio between stacks");
}

#[test]
fn versions_and_builds_of_one_library_have_ratios() {
    let folder = tempfile::tempdir().unwrap();
    let run = |format: &str| {
        let mut command = support::tlslab();
        command.args([
            "run",
            "--metric",
            "count",
            "--count-iterations",
            "2",
            "--scenario",
            HASH,
            "--format",
            format,
        ]);
        command.args(["--stack", "rustls/ring", "--stack", "rustls/ring+trimming", "--out"]);
        stdout(&command.arg(folder.path()).output().unwrap())
    };
    let results: Value = serde_json::from_str(&run("json")).unwrap();
    let is_it =
        |cell: &&Value| cell["metric"] == "count.instructions" && cell["stack"] == "rustls/ring+trimming";
    let cell = results["exact"].as_array().unwrap().iter().find(is_it).unwrap();
    // It is the same program.
    assert_eq!((cell["ratio"]["value"].as_f64(), cell["no_ratio"].as_str()), (Some(1.0), None), "{cell}");
    let table = run("markdown");
    assert!(table.contains(", the same") && !table.contains("no ratio: counted"), "{table}");
}

#[test]
fn functions_add_up_to_what_a_run_counts() {
    let folder = tempfile::tempdir().unwrap();
    let (_, counted) = counted(&folder.path().join("run"), "", &[]);
    let files = folder.path().join("files");
    let profile = |scenario: &str, more: &[&str]| {
        let mut command = support::tlslab();
        command
            .args(["profile", "--stack", "rustls/ring", "--scenario", scenario, "--count-iterations", "4"])
            .args(more);
        stdout(&command.arg("--out").arg(&files).output().unwrap())
    };
    let said = profile(HANDSHAKE, &[]);
    for side in ["client", "server"] {
        let whole = value(&counted, "rustls/ring", HANDSHAKE, side, "count.instructions");
        let line = format!(
            "{side}: {} instructions per iteration",
            tlslab_text::number::whole(format!("{whole:.0}"))
        );
        assert!(said.contains(&line), "{line} is not in {said}");
    }
    assert!(said.contains("sha256") && said.contains("p256"), "{said}");
    let file = std::fs::read_to_string(files.join("server.handshake.1")).unwrap();
    assert!(file.starts_with("# callgrind format"), "{file}");
    let stacks = std::fs::read_to_string(files.join("server.handshake.1.stacks")).unwrap();
    let own = |line: &str| line.rsplit_once(' ').unwrap().1.parse::<u64>().unwrap();
    let summary = file.lines().find_map(|line| line.strip_prefix("summary: ")).unwrap();
    assert_eq!(stacks.lines().map(own).sum::<u64>().to_string(), summary.split(' ').next().unwrap());
    let one = profile(HANDSHAKE, &["--side", "server", "--phase", "handshake.1", "--top", "1"]);
    assert!(one.contains("\nserver: ") && !one.contains("client: ") && one.contains(" others"), "{one}");
    // The stored run can be compared with itself: nothing has changed.
    let kept = format!("files:{}", files.display());
    let diff = |format: &str| {
        let mut command = support::tlslab();
        stdout(&command.arg("diff").args([&kept, &kept]).args(["--format", format]).output().unwrap())
    };
    assert!(diff("table").contains("every function as before"), "{}", diff("table"));
    assert!(diff("markdown").contains("every function as before"));
    // Such counts do not rank two stacks, and the output says so.
    let mut command = support::tlslab();
    command.arg("diff").arg(&kept).args([
        "openssl",
        "--scenario",
        HANDSHAKE,
        "--count-iterations",
        "1",
        "--top",
        "3",
    ]);
    let two = stdout(&command.output().unwrap());
    assert!(two.contains("does not show which stack takes fewer instructions here"), "{two}");
    let page = std::fs::read_to_string(files.join("profile.html")).unwrap();
    assert!(page.contains("\"flame\"") && page.contains("x25519"), "there are stacks");
    // Parts of the work, as the lab's own rules have them.
    assert!(said.contains("cryptography 9"), "{said}");
}

#[test]
fn seeds_show_how_far_chance_matters() {
    let folder = tempfile::tempdir().unwrap();
    let (_, exact) = counted(folder.path(), "", &["--seeds", "2"]);
    let cell = |scenario: &str| {
        exact[&["openssl", scenario, "client", "count.instructions"].map(str::to_owned)].clone()
    };
    assert_eq!(cell(HANDSHAKE)["n"], 2);
    assert_ne!(cell(HANDSHAKE)["minimum"], cell(HANDSHAKE)["maximum"], "keys and signatures are others");
    assert_eq!(cell(HASH)["minimum"], cell(HASH)["maximum"], "a hash does the same whatever it hashes");
}

#[test]
fn a_processor_without_counters_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let (_, exact) = counted(folder.path(), "", &["--counter", "hardware"]);
    let cell = &exact[&["openssl", HANDSHAKE, "client", "count.instructions"].map(str::to_owned)];
    let has_counter = cell["estimate"].as_f64().is_some_and(|count| count > 100_000.0);
    let says_why =
        cell["unsupported"].as_str().is_some_and(|why| why.starts_with("nothing counts the instructions"));
    assert!(has_counter || says_why, "{cell}");
}

#[test]
fn options_of_counting_ask_for_it() {
    let folder = tempfile::tempdir().unwrap();
    let said = |args: &[&str]| {
        let output = support::tlslab()
            .args(["run", "--stack", "rustls/ring", "--scenario", HASH])
            .args(args)
            .arg("--out")
            .arg(folder.path())
            .output();
        let output = output.unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(said(&["--simulate", "caches"]).contains("--simulate: nothing is counted"));
    let simulates = said(&["--metric", "count", "--simulate", "caches", "--counter", "valgrind"]);
    assert!(simulates.contains("only callgrind simulates"), "{simulates}");
    assert!(
        said(&["--seeds", "2"]).contains("--seeds: nothing is counted in this run; add count to the metrics")
    );
    let said = said(&["--metric", "count", "--counter", "hardware", "--seeds", "2"]);
    assert!(said.contains("--seeds: 2 seeds: random numbers are not deterministic"), "{said}");
}

#[test]
fn callgrind_counts_the_same_but_for_its_marks() {
    let folder = tempfile::tempdir().unwrap();
    let counted = |out: &str, more: &[&str]| counted(&folder.path().join(out), "", more).1;
    let (ours, theirs) = (counted("ours", &[]), counted("theirs", &["--counter", "callgrind"]));
    for stack in ["openssl", "rustls/ring"] {
        let of = |exact: &Exact| value(exact, stack, HASH, "client", "count.instructions");
        // Its request to stop collecting is 5 to 9 instructions longer, by how it is compiled, and is in each of
        // four operations or in one of all four.
        let difference = of(&theirs) - of(&ours);
        assert!((1.25..=9.0).contains(&difference), "{stack}: {difference}");
        // It counts each iteration of repeated string instructions, and shows no ADX.
        for side in ["client", "server"] {
            let of = |exact: &Exact| value(exact, stack, HANDSHAKE, side, "count.instructions");
            let ratio = of(&theirs) / of(&ours);
            assert!((0.98..2.0).contains(&ratio), "{stack} {side}: {ratio}");
            let phases = ["create", "handshake", "free"]
                .map(|phase| value(&theirs, stack, HANDSHAKE, side, &format!("count.instructions.{phase}")));
            assert!(phases.iter().all(|phase| *phase > 0.0), "{stack} {side}: {phases:?}");
        }
    }
    let simulated = counted("simulated", &["--simulate", "caches", "--simulate", "branches"]);
    for what in ["instruction_cache", "data_cache", "last_level_cache", "branches"] {
        let cell = simulated.iter().find(|([_, scenario, _, metric], _)| {
            scenario == HANDSHAKE && *metric == format!("count.misses.{what}")
        });
        assert!(cell.is_some_and(|(_, cell)| cell["unit"] == "misses"), "{what}: {cell:?}");
    }
    assert!(value(&simulated, "openssl", HANDSHAKE, "server", "count.loads") > 0.0);
}

#[test]
fn where_the_counter_cannot_be_made_callgrind_counts() {
    let folder = tempfile::tempdir().unwrap();
    // A valgrind without the files for building tools.
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let path = std::env::var("PATH").unwrap();
    let found = path.split(':').map(|folder| Path::new(folder).join("valgrind")).find(|file| file.is_file());
    let script = format!("#!/bin/sh\nexec {} \"$@\"\n", found.expect("valgrind is installed").display());
    std::fs::write(bin.join("valgrind"), script).unwrap();
    let executable = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(bin.join("valgrind"), executable).unwrap();
    let mut command = support::tlslab();
    command.env("PATH", format!("{}:{path}", bin.display()));
    command.args([
        "run",
        "--metric",
        "count",
        "--count-iterations",
        "1",
        "--stack",
        "rustls/ring",
        "--format",
        "json",
    ]);
    let output = command.args(["--scenario", HASH, "--out"]).arg(folder.path()).output().unwrap();
    let results: Value = serde_json::from_str(&stdout(&output)).unwrap();
    let counter = results["run"]["counter"]["name"].as_str().unwrap();
    assert!(counter.starts_with("callgrind of valgrind ") && counter.contains("no header"), "{counter}");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(
        error.contains("count: with callgrind, because the lab's own counter cannot be built"),
        "{error}"
    );
    // Functions, too; their sum is what was counted.
    let mut command = support::tlslab();
    command.env("PATH", format!("{}:{path}", bin.display())).args(["profile", "--stack", "rustls/ring"]);
    let output =
        command.args(["--scenario", HASH, "--count-iterations", "1", "--top", "3"]).output().unwrap();
    let said = stdout(&output);
    assert!(said.contains("sha256_block_data_order") && said.contains("Counted by callgrind"), "{said}");
    let cells = results["exact"].as_array().unwrap();
    let whole = cells.iter().find(|cell| cell["metric"] == "count.instructions").unwrap();
    let whole = whole["estimate"].as_f64().unwrap();
    assert!(
        said.contains(&format!(
            "client: {} instructions per iteration",
            tlslab_text::number::whole(format!("{whole:.0}"))
        )),
        "{whole} is not in {said}"
    );
}

/// A driver that forges its counts. It is a script: the counter has counted no handshake.
const INVENTED: &str = r#"#!/usr/bin/perl
use IPC::Open2;
$| = 1;
delete $ENV{LD_PRELOAD};
my ($out, $in);
my $id = open2($out, $in, "DRIVER");
select((select($in), $| = 1)[0]);
my $side = '{"phases":{"handshake":{"instructions":442049,"loads":82207,"stores":40103}},"marks":128}';
my $copies = 0;
while (my $line = <STDIN>) {
    if ($line =~ /^\{"fork"/) {
        $copies = 1;
        print qq({"forked":{}}\n);
    } elsif ($line =~ /^\{"count":\{"iterations":(\d+)/) {
        print qq({"counted":{"iterations":$1,"sides":{"client":$side,"server":$side},"wire":"2ae1ed46a3a15852"}}\n);
    } elsif ($line =~ /^\{"bye"/ && $copies) {
        $copies = 0;
        print qq({"bye":{}}\n);
    } else {
        print $in $line;
        print scalar <$out>;
        last if $line =~ /^\{"bye"/;
    }
}
close $in;
waitpid $id, 0;
"#;

#[test]
fn invented_counts_are_no_counts() {
    let own = tempfile::tempdir().unwrap();
    let folder = own.path().join("drivers/invented");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::create_dir(own.path().join("stacks")).unwrap();
    let real = support::driver("rustls/ring");
    std::fs::write(folder.join("invented.txt"), INVENTED.replace("DRIVER", real.to_str().unwrap())).unwrap();
    let makefile = "all:\n\tcp invented.txt $(OUT)/driver\n\tchmod 755 $(OUT)/driver\n";
    std::fs::write(folder.join("Makefile"), makefile).unwrap();
    let recipe = "name = \"invented\"\ntitle = \"Invented counts\"\nlicence = \"MIT\"\ndriver = \"invented\"\nversion = \"1\"\n\
                  [make]\nvariables = {}\n[versions.\"1\"]\n";
    std::fs::write(own.path().join("stacks/invented.toml"), recipe).unwrap();
    let lab = concat!("lab = \"", env!("CARGO_MANIFEST_DIR"), "/../..\"\n");
    std::fs::write(own.path().join("tlslab.toml"), lab).unwrap();
    let mut run = std::process::Command::new(env!("CARGO_BIN_EXE_tlslab"));
    run.current_dir(own.path()).args(["run", "--metric", "count", "--scenario", HANDSHAKE]);
    run.args([
        "--stack",
        "invented",
        "--stack",
        "rustls/ring",
        "--format",
        "json",
        "--count-iterations",
        "4",
    ]);
    let output = run.arg("--out").arg(own.path().join("out")).output().unwrap();
    assert_eq!(output.status.code(), Some(3), "{}", String::from_utf8_lossy(&output.stderr));
    let results: Value = serde_json::from_slice(&output.stdout).unwrap();
    let cells: Vec<&Value> = results["exact"].as_array().unwrap().iter().collect();
    let of = |stack: &str| cells.iter().filter(|cell| cell["stack"] == stack).copied().collect::<Vec<_>>();
    let failures: Vec<&str> = of("invented").iter().filter_map(|cell| cell["failed"].as_str()).collect();
    assert!(!failures.is_empty() && of("invented").iter().all(|cell| cell["estimate"].is_null()));
    assert!(failures.iter().all(|why| why.contains("no totals of the counter")), "{failures:?}");
    assert!(of("rustls/ring").iter().any(|cell| cell["estimate"].is_f64()));
}
