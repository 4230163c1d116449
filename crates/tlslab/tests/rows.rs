//! A suite with rows: its files have a line for each, and missing ones are reported.

mod support;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use support::stdout;
use tlslab_text::number::whole;

const SUITE: &str = r#"
title = "Two handshakes by other names"
budget_s = 4
rounds = 1
metrics = ["count", "heap"]
stacks = ["rustls/ring"]
scenarios = ["ci-bench/handshake_{no_resume,session_id}/1.3/ecdsa-p256/x25519/aes-128-gcm/*"]

[counting]
as_callgrind = true
iterations = 4

[rows]
words = { ecdsa-p256 = "ecdsap256", aes-128-gcm = "aes" }

[[rows.of]]
stack = "rustls/ring"
scenario = "ci-bench/{work}/1.3/{key}/x25519/{suite}/chain+name"
name = "{work}_ring_1.3_{key}_{suite}_{side}"

[[rows.files]]
name = "icounts.csv"
columns = [{ metric = "count.instructions", times = { "ci-bench/handshake_session_id/**" = 30 } }]

[[rows.files]]
name = "icounts.older-names.csv"
of = [{ stack = "rustls/ring", scenario = "ci-bench/handshake_no_resume/1.3/{key}/x25519/{suite}/chain+name", name = "handshake_1.3_{suite}_{side}" }]
columns = [{ metric = "count.instructions" }]

[[rows.files]]
name = "memory.csv"
columns = [{ metric = "heap.allocated" }, { metric = "heap.allocations" }, { metric = "heap.peak" }, { metric = "heap.peak_blocks" }]
"#;

const TIMES: &str = r#"
title = "Two handshakes and a transfer by other names, timed"
budget_s = 3
rounds = 8
stacks = ["rustls/ring"]
scenarios = ["ci-bench/{handshake_no_resume,handshake_session_id,transfer_no_resume}/1.3/ecdsa-p256/x25519/aes-128-gcm/*"]

[rows]
words = { ecdsa-p256 = "ecdsap256", aes-128-gcm = "aes" }

[[rows.of]]
stack = "rustls/ring"
scenario = "ci-bench/{work}/1.3/{key}/x25519/{suite}/chain+name"
name = "{work}_ring_1.3_{key}_{suite}"

[[rows.files]]
name = "walltime.csv"

[[rows.files.columns]]
metric = "time"
times = { "ci-bench/handshake_session_id/**" = 30, "ci-bench/transfer_no_resume/**" = 40 }

[rows.files.columns.once]
"ci-bench/handshake_session_id/1.3/{key}/{group}/{suite}/{level}" = "ci-bench/handshake_no_resume/1.3/{key}/{group}/{suite}/{level}"
"ci-bench/transfer_no_resume/1.3/{key}/{group}/{suite}/{level}" = "ci-bench/handshake_no_resume/1.3/{key}/{group}/{suite}/{level}"
"#;

/// A folder of one's own with the suites above.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let lab = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    std::fs::write(folder.path().join("tlslab.toml"), format!("lab = \"{lab}\"\n")).unwrap();
    let suites = folder.path().join("scenarios/suites");
    std::fs::create_dir_all(&suites).unwrap();
    std::fs::write(suites.join("two.toml"), SUITE).unwrap();
    std::fs::write(suites.join("times.toml"), TIMES).unwrap();
    folder
}

fn run(folder: &Path, out: &str, more: &[&str]) -> Output {
    run_suite("two", folder, out, more)
}

fn run_suite(suite: &str, folder: &Path, out: &str, more: &[&str]) -> Output {
    let mut run = Command::new(env!("CARGO_BIN_EXE_tlslab"));
    run.current_dir(folder).args(["run", "--suite", suite, "--format", "csv", "--out", out]).args(more);
    run.output().unwrap()
}

/// Compares two folders; the exit status and the output.
fn compared(base: &Path, new: &Path, more: &[&str]) -> (bool, String) {
    let output = support::tlslab()
        .args(["compare", "--folders", "--format", "markdown"])
        .args([base, new])
        .args(more)
        .output()
        .unwrap();
    let described = String::from_utf8_lossy(&output.stderr);
    assert!(described.is_empty(), "{described}");
    (output.status.success(), String::from_utf8_lossy(&output.stdout).into_owned())
}

/// The files of the one stored run.
fn find_kept(folder: &Path, out: &str) -> PathBuf {
    let entries = std::fs::read_dir(folder.join(out)).unwrap();
    let mut folders = entries.map(|entry| entry.unwrap().path()).filter(|path| path.is_dir());
    folders.next().unwrap()
}

fn rows(file: &Path) -> BTreeMap<String, Vec<u64>> {
    let text = std::fs::read_to_string(file).unwrap();
    let row = |line: &str| {
        let (name, values) = line.split_once(',').unwrap();
        (name.to_owned(), values.split(',').map(|value| value.parse().unwrap()).collect())
    };
    text.lines().map(row).collect()
}

/// A profile with one function more, in its lines and in its sums.
fn with_more(profile: &str, instructions: u64) -> String {
    let line = |line: &str| match line.split_once(": ") {
        Some((name @ ("totals" | "summary"), sums)) => {
            let (first, others) = sums.split_once(' ').unwrap();
            format!("{name}: {} {others}\n", first.parse::<u64>().unwrap() + instructions)
        }
        _ => format!("{line}\n"),
    };
    profile.lines().map(line).collect::<String>() + &format!("fn=once_more\n0 {instructions} 0 0\n")
}

#[test]
fn a_suite_has_rows_by_names_of_its_own() {
    let folder = folder();
    let output = run(folder.path(), "out", &["--functions"]);
    let cells = stdout(&output);
    let kept = find_kept(folder.path(), "out");
    let counts = rows(&kept.join("icounts.csv"));
    let names: Vec<&str> = counts.keys().map(String::as_str).collect();
    assert_eq!(
        names,
        [
            "handshake_no_resume_ring_1.3_ecdsap256_aes_client",
            "handshake_no_resume_ring_1.3_ecdsap256_aes_server",
            "handshake_session_id_ring_1.3_ecdsap256_aes_client",
            "handshake_session_id_ring_1.3_ecdsap256_aes_server",
        ]
    );
    // The row is thirty times the cell.
    let cell = |scenario: &str, metric: &str| -> f64 {
        let of = |line: &&str| line.contains(scenario) && line.contains(&format!(",client,{metric},"));
        cells.lines().find(of).unwrap().split(',').nth(6).unwrap().parse().unwrap()
    };
    let resumed = "ci-bench/handshake_session_id/1.3/ecdsa-p256/x25519/aes-128-gcm/chain+name";
    let expected = (30.0 * cell(resumed, "count.instructions")).round() as u64;
    assert_eq!(counts["handshake_session_id_ring_1.3_ecdsap256_aes_client"], [expected]);
    let memory = rows(&kept.join("memory.csv"));
    assert_eq!(memory.len(), 4);
    for (name, values) in &memory {
        let [allocated, allocations, peak, peak_blocks] = values[..] else { panic!("{name}: {values:?}") };
        assert!(
            allocated >= peak && peak > 1_000 && allocations >= peak_blocks && peak_blocks > 0,
            "{values:?}"
        );
    }
    let full = "ci-bench/handshake_no_resume/1.3/ecdsa-p256/x25519/aes-128-gcm/chain+name";
    let all = &memory["handshake_no_resume_ring_1.3_ecdsap256_aes_client"];
    assert_eq!(all[2], cell(full, "heap.peak") as u64, "peaks are not added up");
    // The suite's scenario without verification has no row, and is excluded from the run.
    assert!(!cells.contains("aes-128-gcm/none"), "{cells}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("icounts.csv: 4 of 4 rows") && said.contains("memory.csv: 4 of 4 rows"), "{said}");
    // The same figures under another program's names, and how these are used.
    let older = rows(&kept.join("icounts.older-names.csv"));
    assert_eq!(older.keys().collect::<Vec<_>>(), ["handshake_1.3_aes_client", "handshake_1.3_aes_server"]);
    assert_eq!(
        older["handshake_1.3_aes_client"],
        counts["handshake_no_resume_ring_1.3_ecdsap256_aes_client"]
    );
    let published = folder.path().join("published");
    std::fs::create_dir(&published).unwrap();
    let client = older["handshake_1.3_aes_client"][0];
    std::fs::write(published.join("icounts.csv"), format!("handshake_1.3_aes_client,{}\n", 2 * client))
        .unwrap();
    let (well, text) = compared(&published, &kept, &["--fail-on", "change"]);
    assert!(
        !well
            && text.contains(&format!(
                "| handshake\\_1.3\\_aes\\_client | {} | {} |",
                whole(2 * client),
                whole(client)
            )),
        "{text}"
    );
    assert!(text.contains("1 row matched by name in ") && text.contains("icounts.older-names.csv"), "{text}");
    functions_are_like_callgrinds(folder.path(), &kept, &counts, &said);
}

fn functions_are_like_callgrinds(
    folder: &Path,
    kept: &Path,
    counts: &BTreeMap<String, Vec<u64>>,
    said: &str,
) {
    // The functions of a row, as callgrind would write them.
    assert!(said.contains("callgrind/: functions of 4 of 4 rows; their sums are within "), "{said}");
    for (name, count) in counts {
        let profile = std::fs::read_to_string(kept.join("callgrind").join(name)).unwrap();
        let summary = profile.lines().find_map(|line| line.strip_prefix("summary: ")).unwrap();
        let instructions: f64 = summary.split(' ').next().unwrap().parse().unwrap();
        let ratio = instructions / count[0] as f64;
        assert!((0.98..1.02).contains(&ratio), "{name}: {summary} of {count:?}");
        assert!(profile.contains("ring_core") && profile.contains("rustls"), "{name}");
    }
    // A function that takes more than before is found.
    let before = folder.join("before");
    std::fs::create_dir_all(before.join("callgrind")).unwrap();
    let row = "handshake_no_resume_ring_1.3_ecdsap256_aes_server";
    let profile = std::fs::read_to_string(kept.join("callgrind").join(row)).unwrap();
    std::fs::write(before.join("callgrind").join(row), with_more(&profile, 900_000)).unwrap();
    std::fs::write(before.join("icounts.csv"), format!("{row},{}\n", counts[row][0] + 900_000)).unwrap();
    let (_, text) = compared(&before, kept, &[]);
    assert!(text.contains("| `once_more`") && text.contains("| 900,000 | 0 | −900,000 |"), "{text}");
}

#[test]
fn a_suite_has_rows_of_times() {
    let folder = folder();
    let output = run_suite("times", folder.path(), "out", &[]);
    let cells = stdout(&output);
    let kept = find_kept(folder.path(), "out");
    let times = rows(&kept.join("walltime.csv"));
    let names: Vec<&str> = times.keys().map(String::as_str).collect();
    let [full, resumed, transfer] = [
        "handshake_no_resume_ring_1.3_ecdsap256_aes",
        "handshake_session_id_ring_1.3_ecdsap256_aes",
        "transfer_no_resume_ring_1.3_ecdsap256_aes",
    ];
    assert_eq!(names, [full, resumed, transfer]);
    assert!(times.values().all(|row| row.len() == 8), "{times:?}");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("walltime.csv: 3 of 3 rows, a time of each of 8 rounds"), "{said}");
    // A row is both sides' time, so many times. Eight rounds on a busy machine are far apart; without its thirty or forty
    // times a row would be out by more.
    let both = |work: &str| -> f64 {
        let scenario = format!("ci-bench/{work}/1.3/ecdsa-p256/x25519/aes-128-gcm/chain+name");
        let is_time = |line: &&str| line.contains(&scenario) && line.split(',').any(|field| field == "time");
        let us: Vec<f64> = cells
            .lines()
            .filter(is_time)
            .map(|line| line.split(',').nth(6).unwrap().parse().unwrap())
            .collect();
        assert_eq!(us.len(), 2, "{cells}");
        1000.0 * (us[0] + us[1])
    };
    let expected = [
        (full, both("handshake_no_resume")),
        (resumed, both("handshake_no_resume") + 30.0 * both("handshake_session_id")),
        (transfer, both("handshake_no_resume") + 40.0 * both("transfer_no_resume")),
    ];
    for (row, expected) in expected {
        let mut figures = times[row].clone();
        figures.sort_unstable();
        let ratio = figures[1] as f64 / expected;
        assert!((0.25..4.0).contains(&ratio), "{row}: {figures:?}, and {expected} was expected");
    }
    // Doubled times alone prove nothing.
    let slower = folder.path().join("slower");
    std::fs::create_dir(&slower).unwrap();
    let doubled = times.iter().map(|(name, row)| {
        let row: Vec<String> = row.iter().map(|ns| (2 * ns).to_string()).collect();
        format!("{name},{}\n", row.join(","))
    });
    std::fs::write(slower.join("walltime.csv"), doubled.collect::<String>()).unwrap();
    let (well, text) = compared(&kept, &slower, &["--fail-on", "change"]);
    assert!(well && text.contains("3 of 3 rows differ") && text.contains("(+100 %)"), "{text}");
    assert!(text.contains("A difference of medians without a test is no verdict"), "{text}");
    let refused = run_suite("times", folder.path(), "other", &["--functions"]);
    let said = String::from_utf8_lossy(&refused.stderr).into_owned();
    assert!(!refused.status.success() && said.contains("this run has no rows of instructions"), "{said}");
    let resumed = support::tlslab()
        .current_dir(folder.path())
        .args(["run", "--resume", "--out", "other"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&resumed.stderr).into_owned();
    assert!(!resumed.status.success() && said.contains("was interrupted"), "{said}");
}

#[test]
fn two_folders_with_profiles_tell_which_functions_changed() {
    let folder = tempfile::tempdir().unwrap();
    let folders = [("base", 900), ("new", 950)].map(|(name, cost)| {
        let folder = folder.path().join(name);
        std::fs::create_dir_all(folder.join("callgrind")).unwrap();
        std::fs::write(folder.join("icounts.csv"), format!("a_server,{}\nb_server,7\n", cost + 100)).unwrap();
        for row in ["a_server", "b_server"] {
            let profile = format!("events: Ir\nfl=x.rs\nfn=slower\n1 {cost}\nfn=same\n2 100\n");
            std::fs::write(folder.join("callgrind").join(row), profile).unwrap();
        }
        folder
    });
    let (_, text) = compared(&folders[0], &folders[1], &[]);
    assert!(text.contains("| a\\_server | 1,000 | 1,050 | +50 (+5.00 %) |"), "{text}");
    assert!(
        text.contains("**a\\_server** against") && text.contains("| `slower` (x.rs) | 900 | 950 | +50 |"),
        "{text}"
    );
    assert!(!text.contains("`same`") && !text.contains("**b\\_server**"), "{text}");
    let (_, without) = compared(&folders[0], &folders[1], &["--no-functions"]);
    assert!(!without.contains("slower"), "{without}");
    std::fs::remove_dir_all(folders[1].join("callgrind")).unwrap();
    let (_, text) = compared(&folders[0], &folders[1], &[]);
    assert!(text.contains("Only one of the two has a folder callgrind"), "{text}");
    std::fs::remove_dir_all(folders[0].join("callgrind")).unwrap();
    let (_, text) = compared(&folders[0], &folders[1], &[]);
    assert!(text.contains("Neither folder has profiles"), "{text}");
    let (_, same) = compared(&folders[0], &folders[0], &[]);
    assert!(!same.contains("profiles") && same.contains("No row of 2 differs"), "{same}");
}

/// The commands of the program that defines these rows, with the program's name changed.
#[test]
fn run_all_and_compare_are_used_as_that_programs_are() {
    let folder = folder();
    let run_all = |arguments: &[&str]| {
        let mut run = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        run.current_dir(folder.path()).args(["run-all", "--suite", "two"]).args(arguments).output().unwrap()
    };
    let printed = stdout(&run_all(&["--output-dir", "foo"]));
    assert_eq!(
        printed,
        "foo: icounts.csv, icounts.older-names.csv, memory.csv, cachegrind/ (4 files in callgrind's format)\n"
    );
    let foo = folder.path().join("foo");
    let counts = rows(&foo.join("icounts.csv"));
    assert_eq!((counts.len(), rows(&foo.join("memory.csv")).len()), (4, 4));
    for name in counts.keys() {
        let profile = std::fs::read_to_string(foo.join("cachegrind").join(name)).unwrap();
        assert!(profile.starts_with("# callgrind format\n"), "{profile}");
    }
    let again = run_all(&["--output-dir", "foo"]);
    let said = String::from_utf8_lossy(&again.stderr).into_owned();
    assert!(!again.status.success(), "{said}");
    assert!(said.contains("foo: it exists and is not an empty folder; remove it, or name another"), "{said}");
    assert_eq!(rows(&foo.join("icounts.csv")), counts);
    let compare = |options: &[&str]| {
        let mut compare = Command::new(env!("CARGO_BIN_EXE_tlslab"));
        let output = compare.current_dir(folder.path()).arg("compare").args(options).output().unwrap();
        stdout(&output)
    };
    std::fs::create_dir(folder.path().join("bar")).unwrap();
    let text = std::fs::read_to_string(foo.join("icounts.csv")).unwrap();
    std::fs::write(folder.path().join("bar/icounts.csv"), text.replace("_client,", "_client,1")).unwrap();
    let markdown = compare(&["foo", "bar"]);
    assert_eq!(markdown, compare(&["--folders", "--format", "markdown", "foo", "bar"]));
    assert!(markdown.contains("2 of 4 rows differ"), "{markdown}");
}

#[test]
fn two_folders_with_rows_need_no_option() {
    let folder = tempfile::tempdir().unwrap();
    for (name, cost) in [("base", 900), ("new", 950)] {
        let folder = folder.path().join(name);
        std::fs::create_dir_all(folder.join("cachegrind")).unwrap();
        std::fs::write(folder.join("icounts.csv"), format!("a_server,{cost}\n")).unwrap();
        let profile = format!("events: Ir\nfl=x.rs\nfn=slower\n1 {cost}\n");
        std::fs::write(folder.join("cachegrind/a_server"), profile).unwrap();
    }
    let compare = |options: &[&str]| {
        let mut compare = support::tlslab();
        stdout(&compare.current_dir(folder.path()).arg("compare").args(options).output().unwrap())
    };
    let markdown = compare(&["base", "new"]);
    assert_eq!(markdown, compare(&["--folders", "--format", "markdown", "base", "new"]));
    assert!(markdown.contains("| a\\_server | 900 | 950 | +50 (+5.56 %) |"), "{markdown}");
    assert!(markdown.contains("| `slower` (x.rs) | 900 | 950 | +50 |"), "{markdown}");
}

#[test]
fn rows_without_figures_are_reported() {
    let folder = folder();
    let output = run(folder.path(), "out", &["--metric", "heap"]);
    stdout(&output);
    let kept = find_kept(folder.path(), "out");
    assert_eq!(std::fs::read_to_string(kept.join("icounts.csv")).unwrap(), "");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(said.contains("icounts.csv: 0 of 4 rows"), "{said}");
    // All that are excluded for one reason are named together.
    let (row, why) = (
        "icounts.csv: excluded: handshake_no_resume_ring_1.3_ecdsap256_aes_client, ",
        "handshake_session_id_ring_1.3_ecdsap256_aes_server: failed: the run has no count.instructions of it",
    );
    assert!(said.contains(row) && said.contains(why), "{said}");
    let report = std::fs::read_to_string(kept.join("report.md")).unwrap();
    assert!(
        report.contains(&row.replace('_', "\\_")) && report.contains(&why.replace('_', "\\_")),
        "{report}"
    );
}

#[test]
fn a_stack_that_the_suite_has_no_rows_of_is_refused() {
    let folder = folder();
    let output = run(folder.path(), "out", &["--stack", "openssl"]);
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("the suite has no rows of the stack openssl"),
        "{said}"
    );
}
