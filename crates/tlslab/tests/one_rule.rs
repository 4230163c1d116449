//! One rule decides which changes a comparison marks and which make it fail: the cell's own threshold from
//! recorded runs, or the policy's floor; acknowledged regressions fail nothing.

mod support;

use std::path::Path;
use std::process::Output;

use serde_json::Value;
use support::{stdout, tlslab};
use tlslab_record::{Counted, FigureOutcome};
use tlslab_store::{Address, Owner, Store};

const SCENARIO: &str = "handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none";

fn database(folder: &Path) -> Box<dyn Store> {
    std::fs::create_dir_all(folder).unwrap();
    tlslab_store::open(&Address::Sqlite(folder.join("tlslab.sqlite"))).unwrap()
}

fn compare(pair: [&str; 2], out: &Path, more: &[&str]) -> Output {
    let mut command = tlslab();
    command.arg("compare").args(pair).args(["--scenario", SCENARIO, "--metric", "count", "--no-functions"]);
    command.args(["--fail-on", "regression"]).args(more).arg("--out").arg(out).output().unwrap()
}

/// The only comparison of a folder.
fn comparison(out: &Path) -> (std::path::PathBuf, Value) {
    let found = std::fs::read_dir(out).unwrap().map(|entry| entry.unwrap().path().join("comparison.json"));
    let files: Vec<_> = found.filter(|file| file.is_file()).collect();
    let [file] = &files[..] else { panic!("{files:?}") };
    (file.clone(), serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap())
}

fn regressions(comparison: &Value) -> Vec<&Value> {
    let changes = comparison["changes"].as_array().unwrap();
    changes.iter().filter(|change| change["verdict"] == "regression").collect()
}

/// Ten runs of the candidate into a database, each another version, whose counts differ from one to the next
/// by a share. Every other one is from another kind of machine, whose counter showed a processor with these
/// additional features.
fn history(from: &dyn Store, run: &str, folder: &Path, noise: f64, more_features: &[&str]) {
    let record = from.load(run).unwrap();
    let candidate = record.plan.comparison.as_ref().unwrap().pairs[0].candidate;
    let figures = from.figures(run).unwrap();
    let mut to = database(folder);
    for version in 0..10_u64 {
        let is_other = version % 2 == 1;
        let mut plan = record.plan.clone();
        plan.id = format!("history-{version}");
        plan.started_unix_ms = 1_700_000_000_000 + version;
        to.create_run(&plan, &Owner::this_process()).unwrap();
        for mut count in record.counts.clone() {
            if let (true, Counted::Counted(counted)) = (is_other, &mut count.counted) {
                counted.features.extend(more_features.iter().map(|feature| (*feature).to_owned()));
            }
            to.add_count(&plan.id, &count).unwrap();
        }
        let mut of_it = figures.clone();
        of_it.retain(|figure| figure.place == candidate as u32);
        for figure in &mut of_it {
            figure.label = format!("1.{version}");
            if is_other {
                figure.series.class = "another kind of machine".to_owned();
            }
            if let FigureOutcome::Value(value) = &mut figure.outcome {
                let factor = if is_other { 1.0 + noise } else { 1.0 };
                value.value *= factor;
                value.lower = Some(value.value);
                value.upper = Some(value.value);
            }
        }
        to.put_figures(&plan.id, &of_it).unwrap();
        to.complete_run(&plan.id).unwrap();
    }
}

#[test]
fn a_threshold_from_history_decides_the_mark_and_the_status_alike() {
    let folder = tempfile::tempdir().unwrap();
    let place = |name: &str| folder.path().join(name);
    let (ring, aws) = ("rustls/ring", "rustls/aws-lc-rs");

    // Without a history the floor decides. Which of both takes more does not matter here.
    let first = compare([ring, aws], &place("first"), &[]);
    let pair = if first.status.code() == Some(4) { [ring, aws] } else { [aws, ring] };
    let without = compare(pair, &place("without"), &[]);
    assert_eq!(without.status.code(), Some(4), "{}", String::from_utf8_lossy(&without.stderr));
    let said = String::from_utf8_lossy(&without.stdout).into_owned();
    assert!(said.contains("above the policy's floor of 0.50 %"), "{said}");
    let (_, found) = comparison(&place("without"));
    let run = found["runs"][0].as_str().unwrap().to_owned();
    let largest =
        regressions(&found).iter().map(|change| change["ratio"].as_f64().unwrap()).fold(1.0, f64::max);
    let from = database(&place("without"));

    // Ten points that differ by more than that: nothing is marked, and only the raw rule fails.
    let noisy = place("noisy-history");
    history(&*from, &run, &noisy, largest, &[]);
    let address = format!("sqlite:{}/tlslab.sqlite", noisy.display());
    let below = compare(pair, &place("below"), &["--history", &address]);
    let said = String::from_utf8_lossy(&below.stdout).into_owned();
    assert_eq!(below.status.code(), Some(0), "{said}\n{}", String::from_utf8_lossy(&below.stderr));
    assert!(said.contains("below the threshold of its history"), "{said}");
    let (file, found) = comparison(&place("below"));
    for change in regressions(&found) {
        assert_eq!(change["tracked"]["points"], 10, "{change}");
        let points: Vec<u64> =
            change["points"].as_array().unwrap().iter().map(|of| of["points"].as_u64().unwrap()).collect();
        assert_eq!(points, [5, 5], "the counter shows both kinds of machines alike: {change}");
    }
    let comment = std::fs::read_to_string(file.with_file_name("comparison.md")).unwrap();
    assert!(!comment.contains('🔴') && comment.contains("5 of another kind of machine"), "{comment}");
    let status = |fail_on: &str| {
        let mut shown = tlslab();
        shown.args(["compare", "--fail-on", fail_on, "--from"]).arg(&file);
        shown.output().unwrap().status.code()
    };
    assert_eq!(status("regression"), Some(0));
    assert_eq!(status("any-regression"), Some(4));

    // Counts that saw another processor do not apply to this one, and five points are too few.
    let other = place("other-history");
    history(&*from, &run, &other, largest, &["avx512f"]);
    let address = format!("sqlite:{}/tlslab.sqlite", other.display());
    let few = compare(pair, &place("few"), &["--history", &address]);
    assert_eq!(few.status.code(), Some(4));
    let said = String::from_utf8_lossy(&few.stdout).into_owned();
    assert!(said.contains("not used: counted on another processor"), "{said}");
    assert!(said.contains("above the policy's floor"), "{said}");

    // Ten points that hardly differ.
    let quiet = place("quiet-history");
    history(&*from, &run, &quiet, 1e-3, &[]);
    let address = format!("sqlite:{}/tlslab.sqlite", quiet.display());
    let above = compare(pair, &place("above"), &["--history", &address]);
    assert_eq!(above.status.code(), Some(4));
    let (file, _) = comparison(&place("above"));
    let comment = std::fs::read_to_string(file.with_file_name("comparison.md")).unwrap();
    assert!(comment.contains('🔴') && comment.contains("tlslab acknowledge"), "{comment}");

    // An acknowledged regression is shown and fails nothing. The history lacks this version, which a
    // comparison's file names.
    let mut acknowledge = tlslab();
    let (_, found) = comparison(&place("above"));
    let version = &found["pairs"][0]["version"];
    acknowledge.args(["acknowledge", version["stack"].as_str().unwrap(), version["label"].as_str().unwrap()]);
    acknowledge.args(["a fix of security", "--store", &address, "--from"]).arg(&file);
    let said = stdout(&acknowledge.output().unwrap());
    assert!(said.contains("acknowledged up to +"), "{said}");
    let known = compare(pair, &place("known"), &["--history", &address]);
    let said = String::from_utf8_lossy(&known.stdout).into_owned();
    assert_eq!(known.status.code(), Some(0), "{said}\n{}", String::from_utf8_lossy(&known.stderr));
    assert!(said.contains("acknowledged: a fix of security"), "{said}");
    let (file, _) = comparison(&place("known"));
    let comment = std::fs::read_to_string(file.with_file_name("comparison.md")).unwrap();
    assert!(!comment.contains('🔴') && comment.contains("a fix of security"), "{comment}");
}
