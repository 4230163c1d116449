//! From files to series: units, directions, a user's statements, and repeated imports.

use std::path::{Path, PathBuf};

use tlslab_record::HistoryPolicy;
use tlslab_store::{Address, Store, open};

use super::*;
use crate::history::{Order, timelines};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/seeds/foreign_file").join(name)
}

fn request(file: PathBuf, format: ForeignFormat) -> ImportRequest {
    ImportRequest {
        files: vec![file],
        format,
        label: (format != ForeignFormat::GithubAction).then(|| "1.0".to_owned()),
        time: None,
        stack: None,
        given: Given::default(),
        class: "machine".to_owned(),
        epoch: "e".to_owned(),
    }
}

fn given(metric: Option<&str>, unit: Option<&str>, better: Option<ForeignBetterAsked>) -> Given {
    Given { metric: metric.map(str::to_owned), unit: unit.map(str::to_owned), better }
}

fn better(import: &Imported, series: &Series) -> Better {
    let said = import.better.iter().find(|one| one.series == *series);
    said.map_or_else(|| Better::of_series(series), |one| one.better)
}

/// The series as `SCENARIO METRIC [UNIT] BETTER`.
fn series(request: &ImportRequest) -> Vec<String> {
    let imports = import(request).unwrap();
    let one = |import: &Imported, figure: &Figure| {
        let Series { scenario, metric, unit, .. } = &figure.series;
        format!("{scenario} {metric} [{unit}] {:?}", better(import, &figure.series))
    };
    imports.iter().flat_map(|import| import.figures.iter().map(|figure| one(import, figure))).collect()
}

fn has(all: &[String], wanted: &[&str]) {
    for one in wanted {
        assert!(all.iter().any(|known| known == one), "{one} is not among {all:#?}");
    }
}

#[test]
fn every_format_says_what_it_can_of_directions() {
    let read = |name: &str, format| series(&request(file(name), format));
    has(
        &read("hyperfine.json", ForeignFormat::Hyperfine),
        &["openssl version time [s] Smaller", "openssl version memory.peak [bytes] Smaller"],
    );
    has(
        &read("google_benchmark.json", ForeignFormat::GoogleBenchmark),
        &[
            "BM_sum/8 time.real [us] Smaller",
            "BM_sum/8 throughput [bytes/s] Larger",
            "BM_sum/8 counter.depth [] Unknown",
            "BM_once rate [items/s] Larger",
        ],
    );
    has(
        &read("openssl_speed.txt", ForeignFormat::OpensslSpeed),
        &["sha256 16 bytes throughput [bytes/s] Larger", "rsa 2048 bits sign [ops/s] Larger"],
    );
    has(
        &read("pyperf.json", ForeignFormat::Pyperf),
        &["handshake time [s] Smaller", "startup memory memory [bytes] Smaller", "records value [] Unknown"],
    );
    has(
        &read("go_test.txt", ForeignFormat::Go),
        &[
            "example.com/x509.Parse time [ns/op] Smaller",
            "example.com/tls.Handshake/suite=aes throughput [MB/s] Larger",
            "example.com/tls.Handshake/suite=aes resumptions/op [resumptions/op] Larger",
        ],
    );
    has(
        &read("data.js", ForeignFormat::GithubAction),
        &["Rust/handshake value [ns/iter] Smaller", "Load/requests-per-second value [req/s] Larger"],
    );
}

#[test]
fn observations_are_kept_with_their_series() {
    let imports = import(&request(file("go_test.txt"), ForeignFormat::Go)).unwrap();
    let raw = imports[0].run.raw.iter().find(|raw| raw.series.unit == "ns/op").unwrap();
    assert_eq!(raw.values, [1500.0, 1400.0, 1600.0]);
}

/// Criterion's files of a benchmark whose mean is 1234 of something.
fn criterion_folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let new = folder.path().join("g/f/new");
    std::fs::create_dir_all(&new).unwrap();
    std::fs::write(new.join("benchmark.json"), r#"{"full_id":"g/f"}"#).unwrap();
    let estimate = r#"{"confidence_interval":{"lower_bound":1230,"upper_bound":1240},"point_estimate":1234}"#;
    let estimates = format!(r#"{{"mean":{estimate},"median":{estimate},"slope":null}}"#);
    std::fs::write(new.join("estimates.json"), estimates).unwrap();
    folder
}

#[test]
fn criterion_measures_time_unless_it_is_said_what_else() {
    let folder = criterion_folder();
    let read = |given: Given| {
        series(&ImportRequest { given, ..request(folder.path().to_owned(), ForeignFormat::Criterion) })
    };
    has(&read(Given::default()), &["g/f time.mean [ns] Smaller", "g/f time.median [ns] Smaller"]);
    has(&read(given(None, Some("cycles"), None)), &["g/f value.mean [cycles] Smaller"]);
    has(&read(given(Some("cycles"), Some("cycles"), None)), &["g/f cycles.median [cycles] Smaller"]);
    has(&read(given(None, Some("µs"), None)), &["g/f time.mean [µs] Smaller"]);
    let larger = Some(ForeignBetterAsked::Larger);
    has(&read(given(Some("hits"), Some("lines"), larger)), &["g/f hits.mean [lines] Larger"]);
    has(&read(given(Some("hits"), Some("lines"), None)), &["g/f hits.mean [lines] Unknown"]);
}

#[test]
fn a_file_of_criterion_is_answered_with_its_folder() {
    let folder = criterion_folder();
    let other = folder.path().join("report.json");
    std::fs::write(&other, "{}").unwrap();
    let refused = |path: PathBuf| import(&request(path, ForeignFormat::Criterion)).unwrap_err().to_string();
    let text = refused(other);
    assert!(text.ends_with("is a file; name criterion's folder instead, such as target/criterion"), "{text}");
    let estimates = folder.path().join("g/f/new/estimates.json");
    assert_eq!(series(&request(estimates, ForeignFormat::Criterion)).len(), 2);
}

#[test]
fn only_what_is_unknown_can_be_said() {
    let refused = |name: &str, format, given: Given| {
        import(&ImportRequest { given, ..request(file(name), format) }).unwrap_err().to_string()
    };
    let smaller = Some(ForeignBetterAsked::Smaller);
    let hyperfine = |given| refused("hyperfine.json", ForeignFormat::Hyperfine, given);
    assert!(hyperfine(given(None, Some("ms"), None)).ends_with("omit --unit"));
    assert!(hyperfine(given(Some("x"), None, None)).ends_with("omit --metric"));
    assert!(hyperfine(given(None, None, smaller)).ends_with("omit --better"));
    // Of a counter neither unit nor direction is known; of the times next to it both are.
    let given = given(None, Some("levels"), smaller);
    let read = series(&ImportRequest {
        given,
        ..request(file("google_benchmark.json"), ForeignFormat::GoogleBenchmark)
    });
    has(&read, &["BM_sum/8 counter.depth [levels] Smaller", "BM_sum/8 throughput [bytes/s] Larger"]);
}

#[test]
fn a_label_is_needed_where_the_files_have_none() {
    let mut history = request(file("data.js"), ForeignFormat::GithubAction);
    history.label = Some("1".to_owned());
    assert!(import(&history).unwrap_err().to_string().ends_with("omit --label and --time"));
    let mut times = request(file("hyperfine.json"), ForeignFormat::Hyperfine);
    times.label = None;
    assert!(import(&times).unwrap_err().to_string().ends_with("give it with --label"));
}

#[test]
fn a_history_that_has_grown_is_imported_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut store = open(&Address::Sqlite(folder.path().join("x.sqlite"))).unwrap();
    let grown = request(file("data.js"), ForeignFormat::GithubAction);
    let all = import(&grown).unwrap();
    let first = keep_imported(&mut *store, &all[..2]).unwrap();
    assert_eq!((first.new.len(), first.known), (2, 0));
    let again = keep_imported(&mut *store, &import(&grown).unwrap()).unwrap();
    assert_eq!((again.new.len(), again.known), (1, 2));
    assert_eq!(again.unknown, BTreeSet::new());
    let labels: Vec<String> = store.runs().unwrap().into_iter().map(|run| run.id).collect();
    assert_eq!(labels.len(), 3);
}

#[test]
fn what_is_said_of_a_series_is_known_to_its_history_and_to_a_copy() {
    let folder = tempfile::tempdir().unwrap();
    let database = |name: &str| open(&Address::Sqlite(folder.path().join(name))).unwrap();
    let (mut store, mut copied) = (database("a.sqlite"), database("b.sqlite"));
    let text = folder.path().join("bmf.json");
    std::fs::write(&text, r#"{"load": {"requests-per-second": {"value": 1000}}}"#).unwrap();
    let better = |store: &dyn Store| {
        let read = timelines(store, None, Order::Time, &HistoryPolicy::default(), &|_| true).unwrap();
        read[0].better
    };
    let mut asked = request(text, ForeignFormat::Bencher);
    let kept = keep_imported(&mut *store, &import(&asked).unwrap()).unwrap();
    assert_eq!((kept.unknown.len(), better(&*store)), (1, Better::Unknown));
    asked.given.better = Some(ForeignBetterAsked::Larger);
    asked.label = Some("1.1".to_owned());
    let kept = keep_imported(&mut *store, &import(&asked).unwrap()).unwrap();
    assert_eq!((kept.unknown.len(), better(&*store)), (0, Better::Larger));
    // An earlier statement stays.
    asked.given.better = None;
    asked.label = Some("1.2".to_owned());
    let kept = keep_imported(&mut *store, &import(&asked).unwrap()).unwrap();
    assert_eq!((kept.unknown.len(), better(&*store)), (0, Better::Larger));
    crate::history::copy(&*store, &mut *copied, &[], crate::history::Extent::Everything).unwrap();
    assert_eq!(better(&*copied), Better::Larger);
}
