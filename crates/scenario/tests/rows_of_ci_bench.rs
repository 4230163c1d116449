//! The rows of rustls's own CI benchmark, by its program's names.

use std::collections::BTreeSet;

use tlslab_protocol::Scenario;
use tlslab_scenario::{Catalogue, Row, Rows, SourceFile};

const STACKS: [&str; 3] = ["rustls/ring", "rustls/aws-lc-rs", "rustls/free"];
const WORK: [&str; 4] =
    ["handshake_no_resume", "handshake_session_id", "handshake_tickets", "transfer_no_resume"];

fn suite(name: &str) -> (Rows, Vec<Scenario>) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../../scenarios");
    let mut files = Vec::new();
    for folder in ["ci-bench", "suites"] {
        for entry in std::fs::read_dir(format!("{root}/{folder}")).unwrap() {
            let path = entry.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            files.push(SourceFile { path: format!("scenarios/{folder}/{name}"), text, is_own: false });
        }
    }
    let catalogue = Catalogue::parse(&files).unwrap();
    let suite = catalogue.suite(name).unwrap();
    assert_eq!(suite.stacks, STACKS);
    (suite.rows.clone().unwrap(), catalogue.select(&suite.scenarios).unwrap())
}

/// The program's benchmarks: two providers with seven groups each, and two groups without cryptography.
fn benchmarks() -> BTreeSet<String> {
    let groups = [
        "1.2_rsa_aes",
        "1.3_rsa_aes",
        "1.3_ecdsap256_aes",
        "1.3_ecdsap384_aes",
        "1.3_rsa_chacha",
        "1.3_ecdsap256_chacha",
        "1.3_ecdsap384_chacha",
    ];
    let with_providers = ["ring", "aws_lc_rs"]
        .into_iter()
        .flat_map(|provider| groups.map(|group| format!("{provider}_{group}")));
    let all: Vec<String> =
        with_providers.chain(["1.2_no_crypto", "1.3_no_crypto"].map(str::to_owned)).collect();
    WORK.iter().flat_map(|work| all.iter().map(move |group| format!("{work}_{group}"))).collect()
}

fn with_sides(names: impl IntoIterator<Item = String>) -> BTreeSet<String> {
    names.into_iter().flat_map(|name| ["client", "server"].map(|side| format!("{name}_{side}"))).collect()
}

fn names(rows: &[Row]) -> BTreeSet<String> {
    let names: BTreeSet<String> = rows.iter().map(|row| row.name.clone()).collect();
    assert_eq!(names.len(), rows.len());
    assert!(rows.iter().map(|row| &row.name).eq(&names), "rows are in the order of their names");
    names
}

#[test]
fn times_have_a_row_for_each_of_the_64_benchmarks() {
    let (rows, scenarios) = suite("ci-bench-walltime");
    let resolved = rows.resolve(&scenarios, &STACKS).unwrap();
    assert_eq!((resolved.len(), names(&resolved)), (64, benchmarks()));
    assert!(resolved.iter().all(|row| row.side.is_none()));
    let [file] = &rows.files[..] else { panic!("one file") };
    let [column] = &file.columns[..] else { panic!("one column") };
    assert_eq!((&*file.name, &*column.metric), ("walltime.csv", "time"));
    for row in &resolved {
        let scenario = &scenarios[row.scenario];
        let once = column.once(scenario, &scenarios).unwrap().map(|at| scenarios[at].name.as_str());
        // All but full handshakes begin with one of the same kind.
        let work = WORK.iter().find(|work| row.name.starts_with(*work)).unwrap();
        let full = scenario.name.replace(work, WORK[0]);
        assert_eq!(once, (*work != WORK[0]).then_some(full.as_str()));
        let times = match *work {
            "handshake_no_resume" => 1,
            "transfer_no_resume" => 40,
            _ => 30,
        };
        assert_eq!(column.times(scenario).unwrap(), times);
    }
}

#[test]
fn counts_have_a_row_for_each_side_and_ring_by_its_older_names() {
    let (rows, scenarios) = suite("ci-bench");
    let resolved = rows.resolve(&scenarios, &STACKS).unwrap();
    assert_eq!((resolved.len(), names(&resolved)), (128, with_sides(benchmarks())));
    let older = rows.files.iter().find(|file| file.name == "icounts.older-names.csv").unwrap();
    let own = rows.resolve_own(older, &scenarios, &STACKS).unwrap();
    let groups = ["1.2_rsa_aes", "1.3_rsa_aes", "1.3_ecdsa_aes", "1.3_rsa_chacha", "1.3_ecdsa_chacha"];
    let expected = WORK.iter().flat_map(|work| groups.map(|group| format!("{work}_{group}")));
    assert_eq!((own.len(), names(&own)), (40, with_sides(expected)));
    for row in &own {
        assert_eq!(row.stack, 0);
        let scenario = &scenarios[row.scenario];
        let times = match row.name.split_once("_1.").unwrap().0 {
            "handshake_no_resume" => 1,
            "transfer_no_resume" => 4,
            _ => 30,
        };
        assert_eq!(older.columns[0].times(scenario).unwrap(), times);
        // The parts that the older name omits are in the newer row of the same cell.
        let is_same =
            |other: &&Row| (other.scenario, other.stack, other.side) == (row.scenario, row.stack, row.side);
        let newer = &resolved.iter().find(is_same).unwrap().name;
        assert_eq!(newer.replace("_ring", "").replace("ecdsap256", "ecdsa"), row.name);
    }
    // Without ring there is no row of that file.
    assert_eq!(rows.resolve_own(older, &scenarios, &STACKS[1..]).unwrap(), []);
}
