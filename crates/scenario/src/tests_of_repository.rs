//! The scenarios and suites of this repository.

use tlslab_protocol::{Measure, Scenario, Work};

use crate::{Catalogue, SourceFile, Suite};

/// All files of the repository.
pub(crate) fn curated() -> Catalogue {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut files = Vec::new();
    for folder in ["conformance", "curated", "suites"] {
        for entry in std::fs::read_dir(format!("{root}/{folder}")).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).unwrap();
            files.push(SourceFile { path: format!("scenarios/{folder}/{name}"), text, is_own: false });
        }
    }
    files.sort_by(|a, b| a.path.cmp(&b.path));
    Catalogue::parse(&files).unwrap()
}

fn count(pattern: &str) -> usize {
    curated().select(&[pattern]).unwrap().len()
}

#[test]
fn the_curated_scenarios_are_the_whole_matrix() {
    // Handshakes of TLS 1.3: 3 signatures × 2 groups × 3 suites × 3 levels. Those of 1.2: 2 × 2 × 2 × 2.
    assert_eq!(count("handshake/1.3/**"), 54);
    assert_eq!(count("handshake/1.2/**"), 16);
    // 3 suites × 2 senders × 2 sizes × 2 ages.
    assert_eq!(count("transfer/1.3/**"), 24);
    // 2 versions × 2 suites × 12 sizes, and with AES-256 a full record and a byte less.
    assert_eq!(count("sizes/**"), 52);
    // 2 operations × 3 suites × 3 sizes × 2 headers.
    assert_eq!(count("record/**"), 36);
}

#[test]
fn the_full_suite_is_every_scenario_but_those_that_only_try_claims() {
    let catalogue = curated();
    let full = catalogue.select(&catalogue.suite("full").unwrap().scenarios).unwrap();
    let all = catalogue.scenarios().filter(|scenario| !scenario.name.starts_with("conformance/"));
    // Idle connections are not timed.
    let timed = all.filter(|scenario| !matches!(scenario.work, Work::Idle { .. }));
    let name = |scenario: &Scenario| scenario.name.clone();
    assert_eq!(full.iter().map(name).collect::<Vec<_>>(), timed.map(name).collect::<Vec<_>>());
}

#[test]
fn the_memory_suite_weighs_and_holds_connections_open() {
    let catalogue = curated();
    let suite = catalogue.suite("memory").unwrap();
    assert_eq!(suite.metrics, [Measure::Heap]);
    let idle: Vec<Work> = catalogue
        .select(&suite.scenarios)
        .unwrap()
        .into_iter()
        .map(|scenario| scenario.work)
        .filter(|work| matches!(work, Work::Idle { .. }))
        .collect();
    assert_eq!(idle, [Work::Idle { connections: 10_000 }]);
    assert_eq!(
        catalogue.suite("quick").unwrap().metrics,
        [Measure::Time],
        "what a suite measures unless it says so"
    );
}

#[test]
fn the_quick_suite_is_what_its_patterns_say() {
    let catalogue = curated();
    let quick = catalogue.select(&catalogue.suite("quick").unwrap().scenarios).unwrap();
    let names: Vec<&str> = quick.iter().map(|scenario| scenario.name.as_str()).collect();
    insta::assert_snapshot!(names.join("\n"), @r"
    handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none
    handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/chain+name
    handshake/1.3/ecdsa-p256/p-256/aes-128-gcm/none
    handshake/1.3/rsa-2048/x25519/aes-128-gcm/none
    handshake/1.3/rsa-2048/x25519/aes-128-gcm/chain+name
    transfer/1.3/aes-128-gcm/client-sends/16KiB/fresh
    transfer/1.3/aes-128-gcm/client-sends/16KiB/warm
    transfer/1.3/aes-128-gcm/client-sends/1MiB/warm
    transfer/1.3/chacha20-poly1305/client-sends/16KiB/warm
    ");
}

#[test]
fn a_fresh_connection_has_no_bursts() {
    let bursts: Vec<u32> = curated()
        .select(&["transfer/1.3/aes-128-gcm/client-sends/16KiB/*"])
        .unwrap()
        .iter()
        .map(|scenario| scenario.work.burst())
        .collect();
    assert_eq!(bursts, [1, 4]);
}

#[test]
fn a_pattern_without_a_match_is_an_error() {
    let error = curated().select(&["handshake/1.1/**"]).unwrap_err();
    insta::assert_snapshot!(error, @r#"no scenario matches "handshake/1.1/**"; did you mean handshake/1.2/**? `tlslab scenarios` lists them all"#);
    let error = curated().suite("slow").unwrap_err().to_string();
    assert!(error == "no suite is called \"slow\"; `tlslab scenarios` lists them", "{error}");
    let error = curated().select(&["handshake/{"]).unwrap_err();
    insta::assert_snapshot!(error, @r#""handshake/{" is not a pattern: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)"#);
}

#[test]
fn a_suite_says_which_scenarios_are_measured_together() {
    let suite = |more: &str| {
        let text = format!("scenarios = [\"h/**\"]\ntogether = [\"h/{{a,b}}\"]\n{more}");
        Suite::parse("suites/s.toml", "s", &text).map_err(|error| error.to_string())
    };
    assert_eq!(suite("").unwrap().together, ["h/{a,b}"]);
    for (more, says) in [
        ("cold = true", "omit cold"),
        ("pairing = \"cross\"", "omit pairing"),
        ("metrics = [\"count\"]", "add \"time\" to metrics"),
    ] {
        let error = suite(more).unwrap_err();
        assert!(error.contains(says), "{more}: {error}");
    }
    let wrong = Suite::parse("suites/s.toml", "s", "scenarios = [\"h/**\"]\ntogether = [\"{h\"]");
    assert!(wrong.unwrap_err().to_string().contains("not a pattern"));
}
