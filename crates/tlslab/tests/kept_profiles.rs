//! A comparison stores the instructions of every function of a changed count: files that `callgrind_annotate`
//! reads, whose totals are the counts.

mod support;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;
use support::{stdout, tlslab};
use tlslab_protocol::Side;
use tlslab_record::Counted;
use tlslab_store::Address;

const SCENARIOS: [&str; 2] =
    ["handshake/1.3/ecdsa-p256/x25519/aes-128-gcm/none", "handshake/1.2/ecdsa-p256/x25519/aes-128-gcm/none"];

/// The total that `callgrind_annotate` prints of a compressed profile.
fn annotated_total(file: &Path, scratch: &Path) -> u64 {
    let plain = scratch.join("callgrind.out");
    let unpacked = Command::new("gzip").args(["-dc"]).arg(file).output().unwrap();
    assert!(unpacked.status.success(), "{}", file.display());
    fs::write(&plain, unpacked.stdout).unwrap();
    let said = stdout(&Command::new("callgrind_annotate").arg(&plain).output().unwrap());
    let line = said.lines().find(|line| line.ends_with("PROGRAM TOTALS")).unwrap_or_else(|| panic!("{said}"));
    let digits: String =
        line.split_whitespace().next().unwrap().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

#[test]
fn both_profiles_of_each_changed_count_are_kept_and_are_of_that_count() {
    let folder = tempfile::tempdir().unwrap();
    let mut compare = tlslab();
    compare.args(["compare", "rustls/ring", "rustls/aws-lc-rs", "--metric", "count", "--format", "json"]);
    for scenario in SCENARIOS {
        compare.args(["--scenario", scenario]);
    }
    let said = stdout(&compare.arg("--out").arg(folder.path()).output().unwrap());
    let comparison: Value = serde_json::from_str(&said).unwrap();
    let run = comparison["runs"][0].as_str().unwrap();
    let made = folder.path().join(run);
    let store = tlslab_store::open(&Address::Sqlite(folder.path().join("tlslab.sqlite"))).unwrap();
    let record = store.load(run).unwrap();
    let seed = record.plan.counting.as_ref().unwrap().seeds[0];
    let places: HashMap<&str, usize> =
        record.plan.stacks.iter().enumerate().map(|(place, stack)| (stack.name.as_str(), place)).collect();
    let pair = &comparison["pairs"][0];
    let profiles = comparison["profiles"].as_array().unwrap();
    let flagged = comparison["changes"].as_array().unwrap().iter();
    let flagged = flagged
        .filter(|change| ["regression", "improvement"].contains(&change["verdict"].as_str().unwrap_or("")));
    assert_eq!(profiles.len(), flagged.count(), "one pair for each side whose count changed");
    assert!(profiles.len() >= SCENARIOS.len(), "{profiles:?}");
    for profile in profiles {
        let scenario =
            record.plan.scenarios.iter().position(|known| profile["scenario"] == *known.name).unwrap();
        let side = if profile["side"] == "client" { Side::Client } else { Side::Server };
        for (which, stack) in [("baseline", "base"), ("candidate", "new")] {
            let stack = places[pair[stack].as_str().unwrap()];
            let is_it = |count: &&tlslab_record::CellCount| {
                (count.scenario, count.stack, count.seed) == (scenario, stack, seed)
            };
            let count = record.counts.iter().find(is_it).unwrap();
            let Counted::Counted(counted) = &count.counted else { panic!("{count:?}") };
            let expected = counted.sides.side(side).phases.total().instructions;
            assert_eq!(profile["iterations"].as_u64(), Some(counted.iterations));
            let file = made.join(profile[which].as_str().unwrap());
            assert_eq!(annotated_total(&file, folder.path()), expected, "{}", file.display());
        }
    }
    // No other file is there, and the page and the comment link to each.
    let left: Vec<PathBuf> =
        fs::read_dir(made.join("profiles")).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert_eq!(left.len(), 2 * profiles.len());
    let page = fs::read_to_string(made.join("comparison.html")).unwrap();
    let comment = fs::read_to_string(made.join("comparison.md")).unwrap().replace('\u{2060}', "");
    assert_eq!(page.matches("<figure class=\"flame\"").count(), profiles.len());
    for file in profiles.iter().flat_map(|profile| [&profile["baseline"], &profile["candidate"]]) {
        assert!(page.contains(&format!("href=\"{}\"", file.as_str().unwrap())), "{file}");
    }
    assert!(
        comment.contains("for 2 scenarios with a changed count: next to this file, in the folder profiles"),
        "{comment}"
    );
}
